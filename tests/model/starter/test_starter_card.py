"""What the starter's card says of itself, against the checkpoint and its measured figures."""

import json
import re

from model.starter import CHECKPOINT, figures
from model.starter.corpora import LANGUAGE_SHARE

CARD = re.sub(r"\s+", " ", (CHECKPOINT.parent / "README.md").read_text("utf-8"))
ABOUT = json.loads((CHECKPOINT / "interpunct.json").read_text("utf-8"))
CONFIG = json.loads((CHECKPOINT / "config.json").read_text("utf-8"))
MEASURED = json.loads((CHECKPOINT.parent / "measured.json").read_text("utf-8"))


def cells(lines):
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line]


def test_it_says_what_share_each_language_has():
    named = {"zh": "Chinese", "en": "English", "nl": "Dutch"}
    for language, share in LANGUAGE_SHARE.items():
        assert f"{named[language]} {round(100 * share)} %" in CARD


def test_it_says_how_large_the_model_is():
    shape = CONFIG["num_hidden_layers"], CONFIG["hidden_size"], CONFIG["num_attention_heads"]
    assert "{} layers, hidden {}, {} heads".format(*shape) in CARD
    assert f"{CONFIG['vocab_size']:,} WordPiece tokens" in CARD
    size = (CHECKPOINT / "model_state.pdparams").stat().st_size
    assert f"float16, {round(size / 1e6)} MB" in CARD
    folder = sum(file.stat().st_size for file in CHECKPOINT.iterdir() if file.is_file())
    assert folder < 60e6, "without the serving graph, which each machine makes"


def test_it_says_how_it_reads_and_when_it_puts_a_mark():
    limits = ", ".join(f"{mark} {limit:.2f}" for mark, limit in ABOUT["thresholds"].items())
    assert f"Temperature ({ABOUT['temperature']:.2f}) and thresholds ({limits})" in CARD
    windows = f"reads {ABOUT['max_units']} units at a time, as it learned; windows of longer texts"
    assert f"{windows} share {ABOUT['overlap']}" in CARD


def test_it_says_how_long_it_learned():
    training = ABOUT["training"]
    seen = f"{training['sub_tokens_seen'] / 1e6:.1f} million sub-tokens were seen"
    assert f"{seen} in {training['step']:,} steps" in CARD
    assert f"The rate is {training['before'][0]['peak']:.0e}".replace("e-0", "e-") in CARD


def test_its_figures_are_those_that_were_measured():
    assert list(MEASURED) == list(figures.SETS)
    shown = (CHECKPOINT.parent / "README.md").read_text("utf-8")
    for name, found in MEASURED.items():
        assert figures.row(name, found) in shown


def test_what_it_was_to_reach_is_told_from_the_same_figures():
    shown = (CHECKPOINT.parent / "README.md").read_text("utf-8")
    goals = shown.partition("<!-- goals -->")[2].partition("<!-- end of goals -->")[0]
    rows = cells(goals.splitlines())[2:]
    assert [row[0] for row in rows] == [name for name, s in figures.SETS.items() if s.must]
    own = {row[0]: float(row[2]) / 100 for row in rows if row[2]}
    for said, row in zip(rows, cells(figures.goal_rows(MEASURED, own)), strict=True):
        assert said[:5] == row[:5]
        assert bool(said[5]) == bool(row[5])
