"""The JSON routes: an annotator's day, and what is refused."""

from fastapi.testclient import TestClient

from tests.webapp.conftest import SignIn
from tests.webapp.world import World


def open_next(client: TestClient, project: int) -> dict:
    answer = client.post(f"/api/projects/{project}/next")
    assert answer.status_code == 200, answer.text
    return answer.json()["work"]


def test_a_day(sign_in: SignIn, world: World) -> None:
    client = sign_in("lars")
    work = open_next(client, world.dutch)
    assert len(work["labels"]) == len(work["units"]) == len(work["probabilities"])
    path = f"/api/transcripts/{work['transcript_id']}"
    labels = [1, *work["labels"][1:]]
    draft = {"labels": labels, "draft_number": work["draft_number"]}
    assert client.post(f"{path}/draft", json=draft).json() == {"draft_number": 1}
    again = open_next(client, world.dutch)
    assert again["transcript_id"] == work["transcript_id"]
    assert again["labels"] == labels

    # A second tab still has the first number.
    stale = client.post(f"{path}/draft", json={"labels": [2, *labels[1:]], "draft_number": 0})
    assert stale.status_code == 409
    body = stale.json()
    assert body["code"] == "stale_save"
    assert body["theirs"] == labels
    assert body["theirs_number"] == 1
    assert body["yours"] == [2, *labels[1:]]
    assert open_next(client, world.dutch)["labels"] == labels

    flag = client.post(f"{path}/flag", json={"reason": "words"})
    assert flag.status_code == 200
    answer = {"labels": labels, "based_on": 0, "seconds": 12.5}
    assert client.post(f"{path}/submit", json=answer).json() == {"version": 1}
    other = client.post(f"{path}/submit", json={**answer, "labels": [3, *labels[1:]]})
    assert other.status_code == 409
    assert open_next(client, world.dutch)["transcript_id"] != work["transcript_id"]

    past = client.get(f"{path}/history").json()
    assert [v["number"] for v in past["versions"]] == [1]
    assert past["versions"][0]["labels"] == labels


def test_skipping_brings_another(sign_in: SignIn, world: World) -> None:
    client = sign_in("lea")
    first = open_next(client, world.chinese)
    path = f"/api/transcripts/{first['transcript_id']}"
    assert client.post(f"{path}/skip", json={"reason": "x" * 501}).status_code == 422
    assert client.post(f"{path}/skip", json={"reason": "another language"}).status_code == 200
    assert open_next(client, world.chinese)["transcript_id"] != first["transcript_id"]


def test_bad_input_changes_nothing_and_says_why(sign_in: SignIn, world: World) -> None:
    client = sign_in("lotte")
    work = open_next(client, world.chinese)
    path = f"/api/transcripts/{work['transcript_id']}/draft"
    n = len(work["labels"])
    for labels, code in (([0], "wrong_length"), ([4] * n, "mark_not_in_set"), ([77] * n, None)):
        answer = client.post(path, json={"labels": labels, "draft_number": 0})
        assert answer.status_code == 422
        assert code is None or answer.json()["code"] == code
    for body in ({}, {"labels": "abc", "draft_number": 0}, {"labels": [-1] * n, "draft_number": 0}):
        assert client.post(path, json=body).status_code == 422
    assert client.post(path, content=b"{not json").status_code == 422
    assert open_next(client, world.chinese)["draft_number"] == work["draft_number"]


def test_what_does_not_fit_is_told_without_repeating_it(sign_in: SignIn, world: World) -> None:
    """The answer to a million wrong labels, or to a far too long password, must stay small."""
    client = sign_in("lotte")
    work = open_next(client, world.chinese)
    path = f"/api/transcripts/{work['transcript_id']}"
    n = len(work["labels"])
    wrong = [
        ("draft", b'{"draft_number": 0, "labels": [' + b"-1," * 50_000 + b"0]}"),
        ("draft", b'{"draft_number": 0, "labels": [' + b"true," * (n - 1) + b"true]}"),
        ("draft", b'{"draft_number": 0, "labels": [' + b'"1",' * (n - 1) + b'"1"]}'),
        ("submit", b'{"based_on": 0, "labels": [0], "seconds": NaN}'),
        ("flag", rb'{"reason": "half a pair: \ud800"}'),
        ("skip", rb'{"reason": "half a pair: \ud800"}'),
    ]
    for step, body in wrong:
        answer = client.post(f"{path}/{step}", content=body)
        assert answer.status_code == 422, step
        assert set(answer.json()) == {"code", "message"}
        assert len(answer.content) < 500
    sent = {"username": "lotte", "password": "secret" * 300}
    answer = client.post("/login", data=sent)
    assert answer.status_code == 422
    assert "secret" not in answer.text
    again = open_next(client, world.chinese)
    assert (again["transcript_id"], again["draft_number"]) == (work["transcript_id"], 0)
    assert not again["flagged"]


def test_a_submission_does_not_throw_away_another_tabs_draft(sign_in: SignIn, world: World) -> None:
    client = sign_in("lars")
    work = open_next(client, world.dutch)
    path = f"/api/transcripts/{work['transcript_id']}"
    number, plain = work["draft_number"], [0] * len(work["labels"])
    typed = [1, *plain[1:]]
    saved = client.post(f"{path}/draft", json={"labels": typed, "draft_number": number})
    answer = {"labels": plain, "based_on": work["based_on"], "draft_number": number}
    stale = client.post(f"{path}/submit", json=answer)
    assert stale.status_code == 409
    assert stale.json()["of"] == "draft"
    assert stale.json()["theirs"] == typed
    assert open_next(client, world.dutch)["labels"] == typed
    answer["draft_number"] = saved.json()["draft_number"]
    assert client.post(f"{path}/submit", json=answer).status_code == 200


def test_roles_hold_on_the_routes(sign_in: SignIn, world: World) -> None:
    engineer, annotator, lead = sign_in("eva"), sign_in("lotte"), sign_in("lea")
    assert engineer.post(f"/api/projects/{world.chinese}/next").status_code == 403
    work = open_next(annotator, world.chinese)
    path = f"/api/transcripts/{work['transcript_id']}"
    verdict = {"labels": work["labels"], "note": "as it is"}
    assert annotator.post(f"{path}/decide", json=verdict).status_code == 403
    assert engineer.post(f"{path}/decide", json=verdict).status_code == 403
    assert lead.post(f"{path}/decide", json=verdict).json() == {"decision": 1}
    assert annotator.get(f"{path}/history").json()["decisions"] == []
    assert len(lead.get(f"{path}/history").json()["decisions"]) == 1


def test_nobody_sees_or_touches_what_was_given_to_others(sign_in: SignIn, world: World) -> None:
    work = open_next(sign_in("lotte"), world.dutch)
    path = f"/api/transcripts/{work['transcript_id']}"
    other = sign_in("ada")  # may see everything, but was not given this one
    draft = {"labels": work["labels"], "draft_number": work["draft_number"]}
    assert other.post(f"{path}/draft", json=draft).json()["code"] == "not_yours"
    assert sign_in("lars").get("/api/transcripts/999999/history").status_code == 404


def test_a_number_that_no_table_holds_is_bad_input(sign_in: SignIn, world: World) -> None:
    client = sign_in("lotte")
    assert client.get(f"/api/transcripts/{2**64}/history").status_code == 422
    path = f"/api/transcripts/{open_next(client, world.dutch)['transcript_id']}"
    which = {"annotator_id": 1, "number": 2**64}
    assert client.post(f"{path}/restore", json=which).status_code == 422


def test_refusals_speak_the_persons_language(sign_in: SignIn) -> None:
    client = sign_in("eva")
    client.cookies.set("interpunct_language", "zh")
    assert client.post("/api/projects/1/next").json()["message"] == "您的角色不能执行此操作。"
