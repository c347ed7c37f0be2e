"""Building the starter, as far as it can be tried without its hours of training."""

import argparse
import json
import logging
import lzma
from pathlib import Path

import numpy as np
import pytest

from model.calibration import threshold_curve
from model.marks import DEFAULT_MARKS
from model.starter import build, figures
from model.starter.build import best_for_each, held_out_texts, measure
from model.starter.corpora import read_corpora
from model.starter.figures import SETS, goal_rows


def options(**more):
    return argparse.Namespace(**more)


def sets_in(folder, names):
    for name in names:
        (folder / f"{name}.tsv.xz").write_bytes(lzma.compress("我\tO\n们\tPERIOD\n".encode()))
    return folder


def test_nothing_is_measured_where_a_set_is_missing(tmp_path, tiny_checkpoint):
    absent, *there = SETS
    sets_in(tmp_path, there)
    with pytest.raises(FileNotFoundError, match=absent):
        measure(options(dev=tmp_path, into=tiny_checkpoint))


def test_figures_go_into_the_card_of_the_starter_however_its_folder_is_named(
    tmp_path, tiny_checkpoint, monkeypatch, capsys
):
    home = tmp_path / "starter"
    (home / "checkpoint").mkdir(parents=True)
    for file in tiny_checkpoint.iterdir():
        if file.is_file():
            (home / "checkpoint" / file.name).write_bytes(file.read_bytes())
    before, after = "# Card\n\n<!-- figures -->\n", "<!-- end of goals -->\n\nThe rest.\n"
    old = "old\n<!-- end of figures -->\n<!-- goals -->\nold\n"
    (home / "README.md").write_text(before + old + after, encoding="utf-8")
    monkeypatch.setattr(build, "CHECKPOINT", home / "checkpoint")
    monkeypatch.chdir(home)
    names = list(SETS)[:2]
    monkeypatch.setattr(figures, "SETS", {name: SETS[name] for name in names})
    measure(options(dev=sets_in(tmp_path, names), into=Path("checkpoint")))
    card = (home / "README.md").read_text("utf-8")
    assert card.startswith(before)
    assert card.endswith(after)
    assert "old" not in card
    shown = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    assert len(shown) == 2 + 2 * len(names)
    assert all(line in card for line in shown), "what is printed is what the card says"
    assert json.loads((home / "measured.json").read_text()).keys() == set(names)


def test_a_corpus_that_is_missing_is_told(tmp_path, caplog):
    line = "Dank u wel, voorzitter. Is dat zo?\n" * 30
    (tmp_path / "nl-handelingen_tk.txt.xz").write_bytes(lzma.compress(line.encode()))
    with caplog.at_level(logging.WARNING):
        train, held = read_corpora(tmp_path)
    assert [lines.name for lines in train] == ["nl-handelingen_tk"]
    assert len(held[0].lines) == 5
    assert len(train[0].lines) == 25, "what is held out is not learned from"
    assert "en-state_of_the_union" in caplog.text


def test_a_folder_without_corpora_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="No training text"):
        read_corpora(tmp_path)


def test_held_out_text_keeps_a_mark_for_each_unit(tmp_path):
    line = "So, uh, we're here. Is it 42.5 million, or not?\n" * 40
    (tmp_path / "en-earnings22.txt.xz").write_bytes(lzma.compress(line.encode()))
    _, held = read_corpora(tmp_path)
    units, labels = held_out_texts(held, texts_a_file=20)
    assert len(units) == 20
    assert [len(text) for text in units] == [len(marks) for marks in labels]
    assert {unit for text in units for unit in text} > {"so", "we", "'re"}
    assert (units, labels) == held_out_texts(held, texts_a_file=20), "the same every time"


def test_each_threshold_is_the_best_for_its_own_mark():
    rng = np.random.default_rng(3)
    logits = rng.normal([2.0, 0.5, 0.5, -1.0], 1.5, (30_000, 4))
    honest = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    labels = (honest.cumsum(axis=1) < rng.random((len(honest), 1))).sum(axis=1)
    found = best_for_each(honest, labels)

    def f1(mark: int, limit: float) -> float:
        from model.predictor import choose

        name = DEFAULT_MARKS.names[mark]
        chosen = np.array(choose(honest, DEFAULT_MARKS, found | {name: limit}))
        right = ((chosen == mark) & (labels == mark)).sum()
        return 2 * right / ((chosen == mark).sum() + (labels == mark).sum())

    assert found.keys() == set(DEFAULT_MARKS.names[1:])
    for mark, name in enumerate(DEFAULT_MARKS.names[1:], start=1):
        others = [f1(mark, limit) for limit in np.arange(0.1, 0.9, 0.05)]
        assert f1(mark, found[name]) >= max(others) - 0.003


def test_full_stops_get_the_lowest_threshold_that_costs_no_more_than_allowed(monkeypatch):
    rng = np.random.default_rng(4)
    logits = rng.normal([2.0, 0.5, 0.5, -1.0], 1.5, (30_000, 4))
    honest = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    labels = (honest.cumsum(axis=1) < rng.random((len(honest), 1))).sum(axis=1)
    monkeypatch.setattr(build, "_HARDLY", {})
    best = best_for_each(honest, labels)
    monkeypatch.setattr(build, "_HARDLY", {"PERIOD": 0.02})
    found = best_for_each(honest, labels)
    curve = threshold_curve(honest, labels, DEFAULT_MARKS, "PERIOD", best)
    f1 = [2 * p * r / (p + r) for p, r in zip(curve.precision[:40], curve.recall[:40], strict=True)]
    at = curve.thresholds.index(found["PERIOD"])
    assert found["PERIOD"] < best["PERIOD"]
    # What the other marks leave of the slots moves as well.
    assert max(f1) - 0.04 < f1[at] < max(f1) - 0.01
    assert f1[at - 1] < max(f1) - 0.015


def test_goals_say_what_is_short_and_count_from_a_products_own_marks():
    def found(micro, macro):
        return {"micro": {"f1": micro}, "macro": {"f1": macro}}

    rows = {
        "crosswoz_test_zh": found(0.8, 0.1),
        "iwslt15_zh_tst2010": found(0.9, 0.5),
        "earnings21_en_asr_google": found(0.46, 0.0),
        "rev16_en_nonverbatim": found(0.0, 0.0),
    }
    lines = goal_rows(rows, {"earnings21_en_asr_google": 0.4})
    assert [line.split(" | ")[-1] for line in lines] == [" |", "**2.0 short** |", "**2.0 short** |"]
    assert "| 40.0 | 48.0 | 46.0 |" in lines[2]
