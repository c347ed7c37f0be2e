"""What is made before the server listens."""

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from db.settings import Settings
from labeling.accounts import sign_in
from webapp.serving import UPLOADS_KEPT, keep_files_at_home, prepare


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


def test_uploads_are_for_the_owner_and_what_a_killed_server_left_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GRADIO_TEMP_DIR", raising=False)
    folder = tmp_path / "uploads"
    (folder / "ab12").mkdir(parents=True)
    folder.chmod(0o755)
    old, new = (folder / "ab12" / name for name in ("old.txt", "new.txt"))
    for file in (old, new):
        file.write_text("what a patient said", encoding="utf-8")
    past = time.time() - UPLOADS_KEPT - 60
    os.utime(old, (past, past))
    keep_files_at_home(tmp_path)
    assert os.environ.pop("GRADIO_TEMP_DIR") == str(folder)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (old.exists(), new.exists()) == (False, True)
