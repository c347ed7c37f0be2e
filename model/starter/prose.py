"""Modern English prose as training text, out of packages that anyone can get.

    pip download --no-deps gensim
    for name in debian-handbook rust-doc perl-doc dict-jargon \\
                endless-sky-data naev-data wesnoth-1.16-data
    do apt-get download $name && dpkg-deb -x ${name}_*.deb $name; done
    python -m model.starter.prose . DATA

Encyclopedia articles (the test data of gensim), essays on computing, and the stories that
games tell are written to ``DATA/en-encyclopedia.txt.xz``, ``en-essays.txt.xz`` and
``en-stories.txt.xz``, a paragraph a line.
"""

import argparse
import bz2
import gzip
import html
import lzma
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

_WORDS: Final = 12  # of a paragraph at least; shorter ones are headings, labels and calls
_END: Final = re.compile(r"[.?!][\"”’)]*$")
_CODE: Final = re.compile(r"[{}=<>|_\\]|::|\(\)|https?:")
_AROUND_WORD: Final = ".,;:!?\"'()“”‘’"
_IN_WORD: Final = str.maketrans("", "", "'’-")
_BLANK_LINE: Final = re.compile(r"\n\s*\n")


def paragraph(text: str) -> str | None:
    """Return a paragraph on one line, or None for what is not running prose.

    It needs twelve words, nine tenths of them of letters only, an end, and no code.
    """
    words = text.split()
    line = " ".join(words)
    plain = [word.strip(_AROUND_WORD).translate(_IN_WORD) for word in words]
    letters = sum(word.isalpha() for word in plain)
    enough = len(words) >= _WORDS and letters >= 0.9 * len(words)
    return line if enough and _END.search(line) and not _CODE.search(line) else None


def articles(dump: str) -> Iterator[str]:
    """Yield the paragraphs of an encyclopedia's dump, without its markup and its asides.

    Parameters
    ----------
    dump : str
        XML of MediaWiki, as its export writes it.
    """
    for body in re.findall(r"<text[^>]*>(.*?)</text>", dump, re.DOTALL):
        text = html.unescape(html.unescape(body))
        for hidden in (r"<!--.*?-->", r"<ref[^>/]*/>", r"<ref.*?</ref>"):
            text = re.sub(hidden, "", text, flags=re.DOTALL)
        # A brace marks a paragraph that lost a formula; it is not prose any more.
        set_apart = r"<(math|gallery|blockquote|table|div).*?</\1>"
        text = re.sub(set_apart, "{x}", text, flags=re.DOTALL)
        for _ in range(6):  # templates stand in templates
            text = re.sub(r"\{\{[^{}]*\}\}|\{\|[^{}]*?\|\}", "", text, flags=re.DOTALL)
        media = r"\[\[(?:File|Image|Category):(?:[^\[\]]|\[\[[^\[\]]*\]\])*\]\]"
        text = re.sub(media, "", text)
        text = re.sub(r"\[\[(?:[^\[\]|]*\|)?([^\[\]]*)\]\]", r"\1", text)
        text = re.sub(r"\[https?:\S+ ?([^\]]*)\]", r"\1", text)
        for rest in (r"'{2,}", r"<[^>]*>", r"\s*\([^()]*\)"):
            text = re.sub(rest, "", text)
        yield from (line for line in text.split("\n") if line and line[0] not in "*#:;=|!{")


class _Paragraphs(HTMLParser):
    """Collects what stands in paragraphs, but for those with more than one piece of code."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._now: list[str] | None = None
        self._code = self._skipped = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "p" or (tag == "div" and ("class", "para") in attrs):
            self._now, self._code = [], 0
        self._skipped += tag in ("pre", "nav", "script", "style")
        self._code += tag in ("code", "kbd")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("p", "div") and self._now is not None:
            if self._code <= 1:
                self.found.append("".join(self._now))
            self._now = None
        if tag in ("pre", "nav", "script", "style"):
            self._skipped = max(0, self._skipped - 1)

    def handle_data(self, data: str) -> None:
        if self._now is not None and not self._skipped:
            self._now.append(data)


def page(text: str) -> list[str]:
    """Return the paragraphs of an HTML page that hold at most one piece of code."""
    parser = _Paragraphs()
    parser.feed(text)
    return parser.found


def manual(pod: str) -> Iterator[str]:
    """Yield the paragraphs of a Perl manual page that hold at most one piece of code."""
    for part in _BLANK_LINE.split(pod):
        if part[:1] not in ("", " ", "=", "\t") and part.count("C<") <= 1:
            yield re.sub(r"[A-Z]<<* ?([^<>|]*)\|?[^<>]*?>+", r"\1", part)


def lexicon(text: str) -> Iterator[str]:
    """Yield the indented paragraphs of a lexicon, its references as plain words."""
    for part in _BLANK_LINE.split(text):
        if part.startswith("    "):
            yield re.sub(r"\{([^}]*)\}", r"\1", part)


def told_in_backticks(text: str) -> list[str]:
    """Return what Endless Sky's data files say to the player."""
    return re.findall(r"`([^`]*)`", text)


def told_in_calls(text: str) -> Iterator[str]:
    """Yield what Naev's Lua and XML files say to the player."""
    told = re.findall(r"_\(\[\[(.*?)\]\]\)", text, re.DOTALL)
    told += re.findall(r'_\("((?:[^"\\\n]|\\.)*)"\)', text)
    told += re.findall(r"<(?:description|bar)>(.*?)</", text, re.DOTALL)
    for part in told:
        yield from re.split(r"\n\s*\n|\\n", html.unescape(part).replace('\\"', '"'))


def told_in_quotes(text: str) -> Iterator[str]:
    """Yield what Wesnoth's campaigns and help say to the player."""
    for part in re.findall(r'_ ?"((?:[^"]|"")*)"', text):
        for told in _BLANK_LINE.split(part.replace('""', '"')):
            yield told.removeprefix("female^")


def _encyclopedia(folder: Path) -> Iterator[str]:
    for wheel in sorted(folder.glob("gensim-*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if re.search(r"/enwiki-latest-pages-articles1\.xml-.*\.bz2$", name):
                    yield from articles(bz2.decompress(archive.read(name)).decode())


def _files(
    folder: Path, patterns: Iterable[str], read: Callable[[str], Iterable[str]]
) -> Iterator[str]:
    for pattern in patterns:
        for path in sorted(folder.glob(pattern)):
            yield from read(path.read_text(encoding="utf-8", errors="replace"))


def _jargon(folder: Path) -> Iterator[str]:
    for path in folder.glob("dict-jargon/usr/share/dictd/jargon.dict.dz"):
        yield from lexicon(gzip.decompress(path.read_bytes()).decode())


_BOOKS: Final = (
    "book", "rust-by-example", "rustc", "reference", "nomicon", "embedded-book",
    "edition-guide", "rustdoc", "cargo",
)  # fmt: skip
_POD: Final = "perl-doc/usr/share/perl/*/pod/*.pod"


def essays(folder: Path) -> Iterator[str]:
    """Yield paragraphs of books, manuals and the Jargon File."""
    docs = "usr/share/doc"
    handbook = f"debian-handbook/{docs}/debian-handbook/html/en-US/*.html"
    yield from _files(folder, [handbook], page)
    rust = f"rust-doc/{docs}/rust-doc/html"
    yield from _files(folder, [f"{rust}/{book}/**/*.html" for book in _BOOKS], page)
    for path in sorted(folder.glob(_POD)):
        # Lists of what changed, when, and of what there is.
        if "delta" not in path.name and path.name not in ("perlhist.pod", "perltoc.pod"):
            yield from manual(path.read_text(encoding="utf-8", errors="replace"))
    yield from _jargon(folder)


def stories(folder: Path) -> Iterator[str]:
    """Yield paragraphs of the stories that three games tell."""
    games = "usr/share/games"
    sky = f"endless-sky-data/{games}/endless-sky/data/**/*.txt"
    yield from _files(folder, [sky], told_in_backticks)
    naev = "naev-data/usr/share/naev/dat/**/*."
    yield from _files(folder, [naev + "lua", naev + "xml"], told_in_calls)
    wesnoth = f"wesnoth-1.16-data/{games}/wesnoth/1.16/data/**/*.cfg"
    yield from _files(folder, [wesnoth], told_in_quotes)


PACKAGES: Final = (
    "gensim-*.whl", "debian-handbook", "rust-doc", "perl-doc", "dict-jargon",
    "endless-sky-data", "naev-data", "wesnoth-1.16-data",
)  # fmt: skip
KINDS: Final = {"encyclopedia": _encyclopedia, "essays": essays, "stories": stories}


def main() -> None:
    """Read the command line and write the files."""
    parser = argparse.ArgumentParser(
        prog="python -m model.starter.prose", description=__doc__.splitlines()[0]
    )
    parser.add_argument("packages", type=Path, help="the folder of the unpacked packages")
    parser.add_argument("data", type=Path, help="the folder of *.txt.xz files")
    options = parser.parse_args()
    missing = [name for name in PACKAGES if not any(options.packages.glob(name))]
    if missing:
        parser.error(f"{options.packages} lacks {', '.join(missing)}")
    if not options.data.is_dir():
        parser.error(f"there is no folder {options.data}")
    for kind, read in KINDS.items():
        lines = list(dict.fromkeys(filter(None, map(paragraph, read(options.packages)))))
        if not lines:
            parser.error(f"the packages in {options.packages} hold no text for {kind}")
        path = options.data / f"en-{kind}.txt.xz"
        with lzma.open(path, "wt", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)
        print(f"{path.name}: {len(lines)} lines, {sum(len(x.split()) for x in lines)} words")


if __name__ == "__main__":
    main()
