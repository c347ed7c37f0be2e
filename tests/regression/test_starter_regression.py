"""The starter on texts with careful marks: what changed, and whether it got worse."""

import json
from pathlib import Path

import pytest

from tests.regression.results import (
    LANGUAGES,
    STORED,
    Sample,
    belongs_to,
    changes,
    mark_with,
    micro_points,
    read_samples,
)

MAY_FALL = 1.0  # points of micro F1


@pytest.fixture(scope="module")
def marked_now(starter_checkpoint: Path) -> dict[str, list[str]]:
    return mark_with(starter_checkpoint)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_starter_marks_no_worse_than_the_stored_result(language, marked_now, capsys):
    if not STORED.is_file():
        pytest.skip("No result is stored yet: run `python -m tests.regression.store`.")
    stored = json.loads(STORED.read_text(encoding="utf-8"))[language]
    samples, now = read_samples(language), marked_now[language]
    assert belongs_to(samples, now), "The starter changed a text instead of only marking it."
    assert belongs_to(samples, stored), (
        "The texts changed after the result was stored: run `python -m tests.regression.store`."
    )

    careful = [sample.marked for sample in samples]
    before, after = micro_points(careful, stored), micro_points(careful, now)
    changed = changes(samples, stored, now)
    # Shown when the test passes too, so that a changed model never goes unseen.
    with capsys.disabled():
        print(f"\n{language}: micro F1 {before:.1f} stored, {after:.1f} now", *changed, sep="\n")
    assert after >= before - MAY_FALL


def test_changes_name_the_line_and_say_whether_it_helped():
    samples = [
        Sample("nee dank je", "nee, dank je."),
        Sample("wie belt er", "wie belt er?"),
        Sample("kom maar", "kom maar."),
    ]
    stored = ["nee dank je.", "wie belt er?", "kom maar."]
    now = ["nee, dank je.", "wie belt er.", "kom maar."]

    told = changes(samples, stored, now)

    assert [line for line in told if "line" in line] == [
        "  line 1: +1 slots right",
        "  line 2: -1 slots right",
    ]
    assert "    now     wie belt er." in told


def test_points_fall_with_a_missed_and_with_a_wrong_mark():
    careful = ["我用 iPhone 拍的，你看！", "几点了？"]

    assert micro_points(careful, careful) == 100
    # The exclamation counts as a full stop, so this loses the comma only: 2 of 3 found, none false.
    assert micro_points(careful, ["我用 iPhone 拍的你看。", "几点了？"]) == pytest.approx(80)
    # A wrong mark is both a false one and a missed one.
    assert micro_points(careful, ["我用 iPhone 拍的，你看！", "几点了。"]) == pytest.approx(200 / 3)


def test_texts_that_lost_or_gained_a_word_are_noticed():
    samples = [Sample("zo'n dag", "zo'n dag."), Sample("om 10:30", "om 10:30.")]

    assert belongs_to(samples, ["zo'n dag!", "om, 10:30"])
    assert not belongs_to(samples, ["zo'n dag.", "om 10.30"])
    assert not belongs_to(samples, ["zo'n dag."])
