import bz2
import gzip
import lzma
import shutil
import sys
import zipfile

import pytest

from model.starter import prose
from model.starter.prose import (
    articles,
    lexicon,
    manual,
    page,
    paragraph,
    told_in_backticks,
    told_in_calls,
    told_in_quotes,
)

PROSE = "It was late, and nobody in the harbour knew where the ship had gone."


def test_running_prose_comes_out_on_one_line():
    assert paragraph(f"  {PROSE[:20]}\n{PROSE[20:]} ") == " ".join(
        f"{PROSE[:20]} {PROSE[20:]}".split()
    )
    assert paragraph(f'He said: "{PROSE}"') == f'He said: "{PROSE}"'
    hyphens = "The well-known captain's twenty-one sailors didn't know where the ship had gone."
    assert paragraph(hyphens) == hyphens


@pytest.mark.parametrize(
    "text",
    [
        "Too short to be a paragraph, is it not?",
        PROSE.rstrip("."),
        PROSE.replace("ship", "x = {1}"),
        PROSE.replace("ship", "std::ship"),
        PROSE.replace("ship", "<planet>"),
        PROSE.replace("ship", "https://example.org/ship"),
        "Of 12 in 1990 and 14 in 1991 and 16 in 1992 there were 18 left.",
        "",
    ],
)
def test_what_is_not_running_prose_is_left_out(text):
    assert paragraph(text) is None


def test_articles_lose_their_markup_and_keep_their_words():
    wiki = (
        "{{Infobox|a={{b|c}}}}\n'''Albedo''' (from Latin) is {{lang|la|{{x}}}}a "
        "[[Reflection (physics)|reflection]] "
        "of [[light]],&lt;ref name=&quot;x&quot;&gt;A book, p. 1.&lt;/ref&gt; "
        "[http://example.org as measured].\n"
        "[[File:a.png|thumb|A [[picture]], that is.]]\n"
        "== Heading ==\n* a list\n&lt;!-- a note --&gt;"
        "So &lt;math&gt;x^2&lt;/math&gt; is gone.\n"
    )
    found = list(articles(f'<page><text xml:space="preserve">{wiki}</text></page>'))
    assert found[0] == "Albedo is a reflection of light, as measured."
    assert found[1:] == ["So {x} is gone."]
    assert paragraph(found[1] * 9) is None


def test_pages_give_paragraphs_with_little_code_in_them():
    html = (
        "<nav><p>Menu</p></nav><p>One <code>ls</code> &amp; more.</p>"
        "<p><code>a</code>, <kbd>b</kbd>.</p>"
        '<div class="para">Two.</div><div>Three.</div><pre>four</pre>'
    )
    assert [text for text in page(html) if text] == ["One ls & more.", "Two."]


def test_manuals_give_their_text_without_its_formats():
    pod = (
        "=head1 NAME\n\n  code();\n\nSee L<perlre|perlre(1)> and I<this>, C<< here >>.\n\n"
        "C<a> and C<b> are code.\n"
    )
    assert list(manual(pod)) == ["See perlre and this, here ."]


def test_a_lexicon_gives_its_explanations():
    text = "bug\n n.\n\n    See {feature}.\n\nbuffer\n"
    assert list(lexicon(text)) == ["    See feature."]


def test_stories_are_what_the_player_is_told():
    assert told_in_backticks("choice\n\t`First.`\n\t`Second,\nand more.`\n") == [
        "First.",
        "Second,\nand more.",
    ]
    lua = 'a = _([[One.\n\nTwo.]])\nb = _("He said \\"no\\".\\nThree.")\nc = "not told"\n'
    assert list(told_in_calls(lua)) == ["One.", "Two.", 'He said "no".', "Three."]
    assert list(told_in_calls("<bar>Loud &amp; dark.</bar>")) == ["Loud & dark."]
    cfg = 'message= _ "He said ""no"".\n\nThen he left."\nname=_"female^Queen"\nid="x"\n'
    assert list(told_in_quotes(cfg)) == ['He said "no".', "Then he left.", "Queen"]


def a_shelf(folder):
    """Put one text of every package into a folder, as unpacking them would."""
    wheel = folder / "gensim-4.4.0-cp311.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        name = "gensim/test/test_data/enwiki-latest-pages-articles1.xml-p1.bz2"
        archive.writestr(name, bz2.compress(f"<text>Wiki. {PROSE}\n\n{PROSE}</text>".encode()))
    texts = {
        "debian-handbook/usr/share/doc/debian-handbook/html/en-US/a.html": f"<p>Book. {PROSE}</p>",
        "rust-doc/usr/share/doc/rust-doc/html/book/ch01/a.html": f"<p>Rust. {PROSE}</p>",
        "perl-doc/usr/share/perl/5.36.0/pod/perlfaq.pod": f"Perl. {PROSE}\n",
        "perl-doc/usr/share/perl/5.36.0/pod/perl5delta.pod": f"Delta. {PROSE}\n",
        "endless-sky-data/usr/share/games/endless-sky/data/a/b.txt": f"`Sky. {PROSE}`\n" * 2,
        "naev-data/usr/share/naev/dat/missions/a.lua": f"_([[Naev. {PROSE}]])",
        "naev-data/usr/share/naev/dat/assets/a.xml": f"<bar>Bar. {PROSE}</bar>",
        "wesnoth-1.16-data/usr/share/games/wesnoth/1.16/data/a/b.cfg": f'_ "Wesnoth. {PROSE}"',
    }  # fmt: skip
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    jargon = folder / "dict-jargon/usr/share/dictd/jargon.dict.dz"
    jargon.parent.mkdir(parents=True)
    jargon.write_bytes(gzip.compress(f"    Jargon. {PROSE}\n".encode()))


def written(folder, kind):
    with lzma.open(folder / f"en-{kind}.txt.xz", "rt", encoding="utf-8") as file:
        return [line.partition(". ")[0] for line in file]


def test_three_files_are_written_each_paragraph_once(tmp_path, monkeypatch, capsys):
    a_shelf(tmp_path)
    monkeypatch.setattr(sys, "argv", ["prose", str(tmp_path), str(tmp_path)])
    prose.main()
    assert written(tmp_path, "encyclopedia") == ["Wiki", PROSE.rstrip(".") + ".\n"]
    assert written(tmp_path, "essays") == ["Book", "Rust", "Perl", "Jargon"]
    assert written(tmp_path, "stories") == ["Sky", "Naev", "Bar", "Wesnoth"]
    said = capsys.readouterr().out
    assert "en-encyclopedia.txt.xz: 2 lines, 29 words" in said
    assert "en-essays.txt.xz: 4 lines" in said


def refusal(packages, data, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["prose", str(packages), str(data)])
    with pytest.raises(SystemExit):
        prose.main()
    return capsys.readouterr().err


def test_packages_that_are_missing_are_named(tmp_path, monkeypatch, capsys):
    a_shelf(tmp_path)
    shutil.rmtree(tmp_path / "perl-doc")
    next(tmp_path.glob("gensim-*.whl")).unlink()
    said = refusal(tmp_path, tmp_path, monkeypatch, capsys)
    assert said.endswith("lacks gensim-*.whl, perl-doc\n")
    assert not list(tmp_path.glob("*.xz"))


def test_packages_without_their_text_are_refused(tmp_path, monkeypatch, capsys):
    a_shelf(tmp_path)
    for name in ("endless-sky-data", "naev-data", "wesnoth-1.16-data"):
        shutil.rmtree(tmp_path / name / "usr")
    said = refusal(tmp_path, tmp_path, monkeypatch, capsys)
    assert said.endswith("hold no text for stories\n")


def test_a_data_folder_that_is_not_there_is_named(tmp_path, monkeypatch, capsys):
    a_shelf(tmp_path)
    said = refusal(tmp_path, tmp_path / "nowhere", monkeypatch, capsys)
    assert said.endswith(f"there is no folder {tmp_path / 'nowhere'}\n")
