"""How many commas stand where little in the text tells of them: the count."""

import sys

from benchmarks import hidden_commas


def test_commas_after_words_that_lead_on_are_counted(tmp_path, monkeypatch, capsys):
    rows = ["The\tCOMMA", "cat\tCOMMA", "and\tO", "WE\tCOMMA", "sat\tPERIOD", "", "so\tCOMMA"]
    (tmp_path / "calls.tsv").write_text("\n".join(rows) + "\n")
    (tmp_path / "none.tsv").write_text("the\tO\nend\tPERIOD\n")
    files = [str(tmp_path / "calls.tsv"), str(tmp_path / "none.tsv")]
    monkeypatch.setattr(sys, "argv", ["hidden_commas", *files])
    hidden_commas.main()
    assert capsys.readouterr().out.splitlines()[2:] == [
        "| calls | 4 | 50.0 % |",
        "| none | 0 | 0.0 % |",
    ]
