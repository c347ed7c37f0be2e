"""Every command and every option has help, and stands in docs/command-line.md."""

import subprocess
import sys
from pathlib import Path

import pytest
import typer

from run import app, main

ROOT = Path(__file__).parents[2]


def commands(group=None, path=()):
    group = group or typer.main.get_command(app)
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


COMMANDS = dict(commands())


def test_the_commands_of_the_contract_are_there():
    names = {" ".join(path) for path in COMMANDS}
    assert names == {
        *("serve", "worker", "punctuate", "import", "export", "agreement", "round", "models"),
        *("promote", "rollback", "evaluate", "users add", "users list", "users password"),
        *("projects add", "projects list", "projects thresholds"),
    }


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_a_command_and_all_of_its_options_are_explained(path):
    command = COMMANDS[path]
    documented = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    assert command.help
    assert f"run.py {' '.join(path)}" in documented
    # Its own usage, indented lines included, up to the next command's or the end of the block.
    usages = [usage.split("\n\n")[0] for usage in documented.split(f"run.py {' '.join(path)}")[1:]]
    for parameter in command.params:
        if parameter.name == "help":
            continue
        assert parameter.help, f"{path}: {parameter.name} has no help"
        if parameter.param_type_name == "option":
            for option in parameter.opts:
                assert any(option in usage for usage in usages), f"{path}: {option} is undocumented"


def test_help_comes_without_heavy_imports():
    code = (
        "import sys, run\n"
        "try:\n    run.main(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'paddle', 'paddlenlp', 'gradio', 'sqlalchemy', 'sklearn', 'pandas', 'numpy'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip().endswith("[]")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["no-such-command"], "No such command"),
        (["punctuate", "--language", "xx"], "'xx' is not one of"),
        (["punctuate", "--no-such-option"], "No such option"),
        (["export", "calls"], "Missing option '--what'"),
        (["serve", "--port", "70000"], "65535"),
        (["evaluate"], "name a file of texts"),
        (["evaluate", "--round", "1"], "name the project"),
    ],
)
def test_wrong_use_is_said_in_one_line(arguments, said, capsys):
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert said in printed.err
    assert printed.err.count("\n") == 1
