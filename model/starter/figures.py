"""The starter's figures: what it is measured on, what it is to reach there, its card's tables."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class EvaluationSet:
    """A file of marked text that nothing was learned from.

    Attributes
    ----------
    language : str
        ``zh``, ``nl`` or ``en``.
    join : str
        How its texts are joined; see `run.py evaluate --help`.
    must : float or None
        What was to be reached, in per cent; None where that was not said.
    of : str
        Of which figure: ``micro`` or ``macro``.
    product : bool
        Whether its third column holds the marks of the recogniser that wrote it; then `must`
        is what has to be reached on top of these.
    """

    language: str
    join: str
    must: float | None = None
    of: str = "micro"
    product: bool = False


SETS: Final = {
    "tw_legislative_yuan_test_zh": EvaluationSet("zh", "turn", 66),
    "crosswoz_test_zh": EvaluationSet("zh", "turn", 76),
    "kdconv_test_zh": EvaluationSet("zh", "turn", 76),
    "smilechat_test_zh": EvaluationSet("zh", "turn", 76),
    "iwslt15_zh_dev2010": EvaluationSet("zh", "turn"),
    "iwslt15_zh_tst2010": EvaluationSet("zh", "turn", 52, "macro"),
    "iwslt2012_en_dev": EvaluationSet("en", "stream", 66),
    "earnings21_en_ref_eval10": EvaluationSet("en", "stream"),
    "earnings21_en_asr_google": EvaluationSet("en", "stream", 8, product=True),
    "earnings21_en_asr_speechmatics": EvaluationSet("en", "stream", 8, product=True),
    "rev16_en_nonverbatim": EvaluationSet("en", "stream"),
    "handelingen_tk_test_nl": EvaluationSet("nl", "turn", 66),
    "europarl_wmt08_test_nl": EvaluationSet("nl", "turn", 70),
    "gencare_care_notes_test_nl": EvaluationSet("nl", "turn", 85),
}
HEAD: Final = (
    "| set | COMMA | PERIOD | QUESTION | micro | macro | slot errors | flawless | ECE |",
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
)
_GOALS_HEAD: Final = (
    "| set | figure | the product's own marks | to be reached | reached | |",
    "| --- | --- | --- | --- | --- | --- |",
)


def row(name: str, found: Mapping[str, Any]) -> str:
    """Lay one set's figures out as a row of a table."""
    shown = [found["per_mark"][mark]["f1"] for mark in ("COMMA", "PERIOD", "QUESTION")]
    shown += [found["micro"]["f1"], found["macro"]["f1"], found["slot_error_rate"]]
    shown.append(found["flawless_rate"])
    figures = " | ".join("n/a" if x is None else f"{100 * x:.1f}" for x in shown)
    return f"| {name} | {figures} | {found['ece']:.3f} |"


def goal_rows(rows: Mapping[str, Mapping[str, Any]], own: Mapping[str, float]) -> list[str]:
    """Lay out what was to be reached on each set, and what is.

    Parameters
    ----------
    rows : mapping
        Metrics by set, as JSON.
    own : mapping of str to float
        By set, the micro F1 of the marks that the recogniser product put itself.
    """
    lines = []
    for name, found in rows.items():
        goal = SETS[name]
        if goal.must is None:
            continue
        begin = 100 * own[name] if goal.product else 0.0
        must, reached = begin + goal.must, 100 * found[goal.of]["f1"]
        shown = f"{begin:.1f}" if goal.product else ""
        verdict = "" if reached >= must else f"**{must - reached:.1f} short**"
        lines.append(f"| {name} | {goal.of} | {shown} | {must:.1f} | {reached:.1f} | {verdict} |")
    return lines


def write_figures(
    rows: Mapping[str, Mapping[str, Any]], own: Mapping[str, float], folder: Path
) -> None:
    """Write all figures beside the checkpoint and into its card, between the marks there.

    Parameters
    ----------
    rows, own
        As in `goal_rows`.
    folder : Path
        Where ``README.md`` is.
    """
    text = json.dumps(rows, indent=1) + "\n"
    (folder / "measured.json").write_text(text, encoding="utf-8")
    card = folder / "README.md"
    said = card.read_text(encoding="utf-8")
    for mark, table in (
        ("figures", [*HEAD, *(row(name, found) for name, found in rows.items())]),
        ("goals", [*_GOALS_HEAD, *goal_rows(rows, own)]),
    ):
        before, begin, rest = said.partition(f"<!-- {mark} -->\n")
        _, end, after = rest.partition(f"<!-- end of {mark} -->\n")
        lines = "\n".join(table)
        said = f"{before}{begin}\n{lines}\n\n{end}{after}"
    card.write_text(said, encoding="utf-8")
