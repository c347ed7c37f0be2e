"""What is made before the server listens."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from db.settings import Settings
from labeling.accounts import sign_in
from webapp.serving import prepare


def test_servers_that_start_together_on_a_new_home_make_its_people_once(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "home", demo=False)
    with ThreadPoolExecutor(4) as threads:
        started = list(threads.map(lambda _: prepare(settings), range(4)))
    (admin,) = [person for _, people in started for person in people]
    written = (settings.home / "first-sign-in.txt").read_text(encoding="utf-8")
    assert admin.password in written
    for database, _ in started:
        assert sign_in(database, admin.name, admin.password)[0].role == "admin"
        database.close()
