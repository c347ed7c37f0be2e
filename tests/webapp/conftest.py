"""The web application over a small world, without a network."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from db.engine import Database
from db.settings import Settings
from tests.webapp.world import PASSWORD, World, fill, new_database
from webapp.app import create_app

SignIn = Callable[[str], TestClient]


@pytest.fixture(scope="session")
def app_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="session")
def database(app_home: Path) -> Iterator[Database]:
    database = new_database(app_home)
    yield database
    database.close()


@pytest.fixture(scope="session")
def world(database: Database) -> World:
    return fill(database)


@pytest.fixture(scope="session")
def app(database: Database, world: World, app_home: Path) -> FastAPI:
    return create_app(database, Settings(home=app_home))


@pytest.fixture
def anonymous(app: FastAPI) -> TestClient:
    return TestClient(app, base_url="http://interpunct.test", follow_redirects=False)


@pytest.fixture
def sign_in(app: FastAPI) -> SignIn:
    def signed_in(name: str) -> TestClient:
        client = TestClient(app, base_url="http://interpunct.test", follow_redirects=False)
        answer = client.post("/login", data={"username": name, "password": PASSWORD})
        assert answer.status_code == 200, answer.text
        return client

    return signed_in
