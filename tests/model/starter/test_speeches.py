import lzma
import sys

import pytest

from model.starter import speeches
from model.starter.speeches import passages

LONG = "We will go on, as we said we would, because it is right. " * 30


def test_lines_are_whole_sentences_of_about_a_hundred_words():
    lines = list(passages(LONG.strip()))
    assert " ".join(lines) == LONG.strip()
    assert all(line.endswith("right.") for line in lines)
    assert all(100 <= len(line.split()) < 113 for line in lines[:-1])


def test_titles_and_initials_end_no_sentence():
    text = "Mr. Speaker and Dr. A. B. Jones of St. Paul came. " * 30
    lines = list(passages(text.strip()))
    assert len(lines) > 1
    assert all(line.endswith("came.") for line in lines)
    assert " ".join(lines) == text.strip()


def test_what_the_audience_did_is_left_out_and_quotes_stay():
    text = 'I said, "No." [Laughter] They agreed. (Applause.) Thank you (all).'
    assert list(passages(text)) == ['I said, "No." They agreed. Thank you (all).']


def test_only_the_later_addresses_are_written(tmp_path, monkeypatch, capsys):
    for year in (1945, 1946, 2021):
        (tmp_path / "notes.txt").write_text("Not an address.")
        (tmp_path / f"{year}_somebody_d.txt").write_text(f"In {year} we met.\n")
    monkeypatch.setattr(sys, "argv", ["speeches", str(tmp_path), str(tmp_path)])
    speeches.main()
    with lzma.open(tmp_path / "en-state_of_the_union.txt.xz", "rt") as file:
        assert file.read() == "In 1946 we met.\nIn 2021 we met.\n"
    assert capsys.readouterr().out == "2 lines, 8 words\n"


def test_a_folder_without_addresses_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["speeches", str(tmp_path), str(tmp_path)])
    with pytest.raises(SystemExit):
        speeches.main()
    assert "holds no addresses from 1946 on" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
