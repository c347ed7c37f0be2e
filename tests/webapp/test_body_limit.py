"""Nobody fills the server's memory with one request."""

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from tests.webapp.conftest import SignIn
from tests.webapp.world import PASSWORD, World
from webapp.body_limit import LARGEST_BODY

PIECE = b" " * (1 << 20)


def pieces(size: int, sent: list[int]) -> Iterator[bytes]:
    """A body without a length in its header, as somebody sends it who hides how much comes."""
    for number in range(size // len(PIECE)):
        sent.append(number)
        yield PIECE


@pytest.mark.parametrize("path", ["/login", "/login/"])
def test_strangers_cannot_send_more_than_the_limit(anonymous: TestClient, path: str) -> None:
    answer = anonymous.post(path, content=b"username=" + b"a" * LARGEST_BODY)
    assert answer.status_code == 413
    assert answer.json()["code"] == "too_large"


def test_a_body_without_a_length_is_counted_too(anonymous: TestClient) -> None:
    answer = anonymous.post("/login", content=pieces(4 * LARGEST_BODY, []))
    assert answer.status_code == 413


def test_answers_to_the_longest_texts_pass(sign_in: SignIn, world: World) -> None:
    labels = [255] * 250_000
    client = sign_in("lotte")
    answer = client.post("/api/transcripts/1/draft", json={"labels": labels, "draft_number": 0})
    assert answer.status_code != 413
    beyond = client.post(
        "/api/transcripts/1/draft", json={"labels": labels * 12, "draft_number": 0}
    )
    assert beyond.status_code == 413


def test_a_body_in_pieces_arrives_whole(anonymous: TestClient, world: World) -> None:
    form = f"username=lotte&password={PASSWORD}".encode()
    headers = {"content-type": "application/x-www-form-urlencoded"}
    in_pieces = (form[at : at + 7] for at in range(0, len(form), 7))
    assert anonymous.post("/login", content=in_pieces, headers=headers).status_code == 200
