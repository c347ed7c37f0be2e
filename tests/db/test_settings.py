"""The environment: defaults, names, and what is refused."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from db.settings import Settings


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "DATABASE_URL",
        "REDIS_URL",
        "INTERPUNCT_HOME",
        "INTERPUNCT_PORT",
        "INTERPUNCT_STARTER",
    ):
        monkeypatch.delenv(name, raising=False)


def test_defaults(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    settings = Settings()
    assert settings.home == tmp_path / "var"
    assert settings.database_url == f"sqlite:///{tmp_path}/var/interpunct.db"
    assert (settings.redis_url, settings.host, settings.port) == ("", "127.0.0.1", 7860)
    assert settings.starter is None
    assert not settings.home.exists()
    assert settings.make_home().is_dir()


def test_the_environment_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("INTERPUNCT_HOME", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("INTERPUNCT_PORT", "9000")
    monkeypatch.setenv("DATABASE_URL", "postgresql+psycopg://me@db/interpunct")
    monkeypatch.setenv("REDIS_URL", "")
    monkeypatch.setenv("INTERPUNCT_STARTER", str(tmp_path / "ernie"))
    settings = Settings()
    assert settings.home == tmp_path / "elsewhere"
    assert settings.port == 9000
    assert settings.database_url == "postgresql+psycopg://me@db/interpunct"
    assert settings.redis_url == ""
    assert settings.starter == tmp_path / "ernie"


@pytest.mark.parametrize(
    ("said", "taken"), [("float32", "float32"), (" BFloat16", "bfloat16"), ("", "auto")]
)
def test_a_precision(monkeypatch: pytest.MonkeyPatch, said: str, taken: str) -> None:
    monkeypatch.setenv("INTERPUNCT_PRECISION", said)
    assert Settings().precision == taken


def test_a_precision_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INTERPUNCT_PRECISION", "int8")
    with pytest.raises(ValidationError, match="bfloat16"):
        Settings()


def test_a_port_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INTERPUNCT_PORT", "99999")
    with pytest.raises(ValidationError):
        Settings()
