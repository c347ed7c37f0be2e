"""The benchmark of threads: its table, and that other answers end it."""

import sys
from dataclasses import replace

import pytest

from benchmarks import threads


def run(monkeypatch, folder):
    monkeypatch.setattr(sys, "argv", ["threads", "--model", str(folder), "--rounds", "2"])
    monkeypatch.setattr(threads, "TEXTS", 6)
    threads.main()


def test_every_number_of_callers_has_a_row_beside_one_caller(monkeypatch, capsys, tiny_checkpoint):
    run(monkeypatch, tiny_checkpoint)
    first, head, _, *rows = capsys.readouterr().out.splitlines()
    assert first.startswith("6 texts, 2 rounds; threads: ")
    assert "throughput over one caller" in head
    cells = [[cell.strip() for cell in row.split("|")[1:-1]] for row in rows]
    assert [row[0] for row in cells] == ["1", "2", "4", "8"]
    assert cells[0][2] == "1.00 / 1.00 / 1.00"
    assert all(float(row[2].split(" / ")[0]) > 0 for row in cells)


def test_an_answer_with_other_bits_is_no_figure_but_an_error(monkeypatch, tiny_checkpoint):
    honest = threads.punctuate
    calls = []

    def sometimes_off(texts, predictor):
        calls.append(texts)
        (answer,) = honest(texts, predictor)
        if len(calls) > 6 and len(calls) % 5 == 0:
            answer = replace(answer, probabilities=answer.probabilities + 1e-7)
        return [answer]

    monkeypatch.setattr(threads, "punctuate", sometimes_off)
    with pytest.raises(AssertionError):
        run(monkeypatch, tiny_checkpoint)
