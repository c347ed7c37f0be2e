"""How many reference commas stand where little in the text tells of them.

    python -m benchmarks.hidden_commas FILE.tsv.xz ...

A careful writer rarely puts a comma right after an article, a conjunction or "we"; a verbatim
transcript does, before a filler or a repetition. Where a recogniser left those out and the
marks of the transcript were projected onto its text, such commas stay behind, and no model
that sees only the text can know of most of them.
"""

import argparse
from pathlib import Path

from model.evaluation_data import read_texts

LEADING = frozenset(
    "a an the of from into with and or but if because than our their your my its every we i".split()
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", type=Path, nargs="+")
    options = parser.parse_args()
    print("| set | commas | after a word that leads on |")
    print("| --- | ---: | ---: |")
    for path in options.files:
        texts, marks = read_texts(path, lowercase=True, join="stream")
        comma = marks.ids["COMMA"]
        before = [
            unit
            for text in texts
            for unit, label in zip(text.units, text.labels, strict=True)
            if label == comma
        ]
        leading = sum(unit in LEADING for unit in before)
        share = 100 * leading / max(1, len(before))
        print(f"| {path.name.split('.')[0]} | {len(before)} | {share:.1f} % |")


if __name__ == "__main__":
    main()
