"""The guides against the product: links, pictures, commands, settings, floors."""

import ast
import json
import re
import shlex
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
import typer

import run
from db.settings import Settings

ROOT = Path(__file__).parent.parent
CARD = ROOT / "model" / "starter" / "README.md"
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", CARD, *(ROOT / "docs").glob("*.md")])
FLOORS = {
    "run": {"webapp", "labeling", "model", "db"},
    "webapp": {"labeling", "model", "db"},
    "labeling": {"model", "db"},
    "model": set(),
    "db": set(),
}
COMMAND = typer.main.get_command(run.app)


def blocks(page: Path) -> list[tuple[str, str]]:
    """Return the fenced code blocks of a page: language and content."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S)


def prose(page: Path) -> str:
    return re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.M | re.S)


def anchors(page: Path) -> set[str]:
    """Return what headings can be linked by, as GitHub makes it."""
    titles = re.findall(r"^#+ (.+)$", prose(page), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def commands(page: Path) -> list[str]:
    """Return every call of run.py in a page's shell blocks and code spans."""
    shown = [line for kind, code in blocks(page) if kind == "sh" for line in code.splitlines()]
    shown += re.findall(r"`(python run\.py[^`]*|run\.py[^`]*)`", prose(page))
    parts = [part for line in shown for part in re.split(r"[|;]|&&", line)]
    return [part.strip() for part in parts if re.match(r"\s*(python )?run\.py\b", part)]


def sentence(words: list[str]) -> tuple[Any, list[str]]:
    """Follow a call's words down to its command; return that and the words that are left."""
    command: Any = COMMAND
    while hasattr(command, "commands") and words and not words[0].startswith("-"):
        assert words[0] in command.commands, f"there is no command {words[0]}"
        command, words = command.commands[words[0]], words[1:]
    return command, words


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_and_pictures_are_there(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = unquote(target).partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.is_file(), f"{page.name} links to {target}"
        if anchor:
            assert anchor in anchors(file), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_that_are_shown_exist(page: Path) -> None:
    for shown in commands(page):
        words = shlex.split(shown.replace("[", "").replace("]", ""))
        words = words[words.index("run.py") + 1 :]
        if words[:1] == ["COMMAND"]:
            continue
        command, rest = sentence(words[: words.index(">")] if ">" in words else words)
        known = {
            flag for option in command.params for flag in (*option.opts, *option.secondary_opts)
        }
        for word in rest:
            if word.startswith("-") and word != "-":
                assert word.split("=")[0] in known | {"--help"}, f"{page.name}: {shown}"


def test_modules_that_are_called_take_what_they_are_given() -> None:
    pages = [page.read_text("utf-8").replace("\\\n", " ") for page in PAGES]
    calls = [call for page in pages for call in re.findall(r"python -m ([^`\n|;&#]+)", page)]
    ours = [call.split() for call in calls if call.split(".")[0] in {"model", "benchmarks"}]
    assert len(ours) > 8
    for module, *words in ours:
        file = ROOT / (module.replace(".", "/") + ".py")
        assert file.is_file(), f"there is no {module}"
        said = file.read_text("utf-8")
        for word in words:
            if word.startswith("--"):
                assert f'"{word}"' in said, f"{module} has no {word}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_values_of_options_are_allowed(page: Path) -> None:
    for kind, code in blocks(page):
        for line in code.splitlines() if kind == "sh" else []:
            for part in re.split(r"[|;]|&&|>", line):
                if not re.match(r"\s*python run\.py \w", part):
                    continue
                command, rest = sentence(shlex.split(part)[2:])
                if hasattr(command, "commands"):
                    continue
                # Parses as the command line does; nothing is run.
                command.make_context(command.name, list(rest), resilient_parsing=False)


def test_python_that_is_shown_can_be_read() -> None:
    for page in PAGES:
        for kind, code in blocks(page):
            if kind == "python":
                tree = ast.parse(code)
                for node in ast.walk(tree):
                    if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] in FLOORS:
                        file = ROOT / (node.module.replace(".", "/") + ".py")
                        names = file.read_text("utf-8")
                        for alias in node.names:
                            assert re.search(rf"\b{alias.name}\b", names), f"{page.name}: {code}"


def test_the_settings_table_names_every_setting() -> None:
    rows = re.findall(
        r"^\| `([A-Z_]+)` \| `(\w+)` \|", (ROOT / "README.md").read_text("utf-8"), re.M
    )
    assert {field for _, field in rows} == set(Settings.model_fields)
    for variable, field in rows:
        alias = Settings.model_fields[field].validation_alias
        first = alias.choices[0] if alias else f"INTERPUNCT_{field.upper()}"
        assert variable == first


def test_the_two_commands_stand_in_the_readme() -> None:
    lines = [line for _, code in blocks(ROOT / "README.md") for line in code.splitlines()]
    assert "pip install -e . && python run.py" in lines
    assert "pip install -e '.[test]' && python -m pytest" in lines


def test_files_that_the_architecture_names_exist() -> None:
    room = None
    for line in (ROOT / "docs" / "architecture.md").read_text("utf-8").splitlines():
        if found := re.match(r"\| in `(\w+)/` \|", line):
            room = ROOT / found[1]
        elif room and line.startswith("| `"):
            for name in re.findall(r"`([\w/]+(?:\.py|/))`", line.split("|")[1]):
                assert (room / name).exists(), f"{room.name}/{name}"
        elif not line.startswith("|"):
            room = None


def test_no_floor_imports_from_above() -> None:
    for floor, below in FLOORS.items():
        folder = ROOT / floor
        files = folder.rglob("*.py") if folder.is_dir() else [ROOT / f"{floor}.py"]
        for file in files:
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                names = []
                if isinstance(node, ast.Import):
                    names = [alias.name for alias in node.names]
                elif isinstance(node, ast.ImportFrom) and not node.level:
                    names = [node.module or ""]
                for name in names:
                    other = name.split(".")[0]
                    if other in FLOORS and other != floor:
                        assert other in below, f"{file.relative_to(ROOT)} imports {name}"


def test_pictures_are_small() -> None:
    pictures = list((ROOT / "docs" / "pictures").glob("*.png"))
    assert pictures
    for picture in pictures:
        assert picture.stat().st_size < 150_000, picture.name


def test_the_guide_says_how_the_starter_reads_long_texts() -> None:
    card = json.loads((CARD.parent / "checkpoint" / "interpunct.json").read_text("utf-8"))
    said = f"windows of {card['max_units']} units share {card['overlap']},"
    assert said in (ROOT / "docs" / "command-line.md").read_text("utf-8")
