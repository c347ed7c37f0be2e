import re
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import recogniser_reference
from benchmarks.recogniser_reference import best_counts
from model.marks import ALL_MARKS, DEFAULT_MARKS
from model.metrics import micro_f1

CARD = {"COMMA": 0.5, "PERIOD": 0.5, "QUESTION": 0.5}
WORDS = "we met at ten and went home so did they"


def test_the_best_thresholds_are_found_and_never_lose() -> None:
    probabilities = np.array([[0.75, 0.22, 0.02, 0.01], [0.9, 0.07, 0.02, 0.01], [0.6, 0, 0.4, 0]])
    counts = best_counts(np.array([1, 0, 2]), probabilities, DEFAULT_MARKS, CARD)
    assert micro_f1(counts) == 1.0
    assert not best_counts(np.zeros(3, int), probabilities, DEFAULT_MARKS, CARD)[0]


def written(path: Path, columns: int = 3) -> Path:
    lines = []
    for call in range(3):
        for at, word in enumerate(WORDS.split()):
            mark = "PERIOD" if at == 9 else "COMMA" if at == 3 else "O"
            own = mark if call or at != 3 else "O"
            lines.append("\t".join([word, mark, own][:columns]))
        lines.append("")
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_a_row_a_call_and_one_for_all(
    tmp_path: Path,
    tiny_checkpoint: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = written(tmp_path / "calls.tsv")
    monkeypatch.setattr(sys, "argv", ["", str(file), "--model", str(tiny_checkpoint)])
    recogniser_reference.main()
    lines = capsys.readouterr().out.splitlines()
    cells = [re.split(r"\s*\|\s*", line.strip("| ")) for line in lines[2:6]]
    assert [row[:4] for row in cells] == [
        ["1", "10", "200", "100"],
        ["2", "10", "200", "200"],
        ["3", "10", "200", "200"],
        ["all", "30", "200", "167"],
    ]
    assert [row[5] for row in cells] == ["66.7", "100.0", "100.0", "90.9"]
    assert all(float(row[8]) >= float(row[6]) for row in cells if row[6] != "nan")
    assert all("go together" not in line for line in lines)  # one of them is the same everywhere


def test_it_is_said_how_the_two_go_together(
    tmp_path: Path,
    tiny_checkpoint: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def own_marks(predictor: object, texts: list[list[str]]) -> list[np.ndarray]:
        """Predict just what the product put."""
        return [
            np.eye(len(ALL_MARKS.names))[[0] * 3 + [call > 0] + [0] * 5 + [2]] for call in range(3)
        ]

    monkeypatch.setattr(recogniser_reference.Predictor, "probabilities", own_marks)
    monkeypatch.setattr(recogniser_reference.Predictor, "marks", ALL_MARKS, raising=False)
    file = written(tmp_path / "calls.tsv")
    monkeypatch.setattr(sys, "argv", ["", str(file), "--model", str(tiny_checkpoint)])
    recogniser_reference.main()
    said = capsys.readouterr().out
    rows = [re.split(r"\s*\|\s*", line.strip("| ")) for line in said.splitlines()[2:6]]
    assert [row[5:8] for row in rows] == [
        ["66.7", "66.7", "100.0"],
        ["100.0", "100.0", "100.0"],
        ["100.0", "100.0", "100.0"],
        ["90.9", "90.9", "100.0"],
    ]
    assert said.endswith("go together over 3 calls: r = 1.00\n")


def test_a_file_without_the_product_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for file in (written(tmp_path / "calls.tsv", columns=2), tmp_path / "missing.tsv"):
        monkeypatch.setattr(sys, "argv", ["", str(file)])
        with pytest.raises(SystemExit):
            recogniser_reference.main()
    said = capsys.readouterr().err
    assert "has no third column" in said
    assert "missing.tsv" in said
