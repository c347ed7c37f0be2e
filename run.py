"""Interpunct's command line; without a command it serves. Nothing else parses arguments.

Every command is thin: it reads its arguments, calls one use case and prints what that
returns. Heavy modules are imported inside commands, so that help comes at once.
"""

import json
import os
import re
import sys
from contextlib import ExitStack, closing, suppress
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from webapp.terminal import (
    ProgressLine,
    StopOnInterrupt,
    ask_password,
    f1_of,
    preview_text,
    round_text,
    say,
    show,
    standing_text,
    table,
    tell,
)

if TYPE_CHECKING:
    from db.engine import Database
    from db.settings import Settings
    from model.marks import MarkSet

app = typer.Typer(
    help="Correct the punctuation that a model suggests, and make the model better with it.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)
users = typer.Typer(help="People who can sign in.", rich_markup_mode=None)
projects = typer.Typer(help="Projects.", rich_markup_mode=None)
app.add_typer(users, name="users")
app.add_typer(projects, name="projects")
# What Typer raises for wrong use; it gives it no name of its own.
_UsageError: Any = typer.BadParameter.__bases__[0]

Language = StrEnum("Language", ["zh", "nl", "en"])
AnyLanguage = StrEnum("AnyLanguage", ["zh", "nl", "en", "auto"])
Existing = StrEnum("Existing", ["keep", "strip"])
InFormat = StrEnum("InFormat", ["auto", "txt", "jsonl", "csv", "tsv", "srt", "vtt"])
OutFormat = StrEnum("OutFormat", ["jsonl", "txt", "tsv", "srt", "vtt"])
What = StrEnum("What", ["gold", "versions", "suggestions"])
Promote = StrEnum("Promote", ["auto", "never"])
Join = StrEnum("Join", ["turn", "document", "stream"])
Mapping = StrEnum("Mapping", {"default": "default", "none": "none"})
Role = StrEnum("Role", ["annotator", "lead", "engineer", "admin"])


def _named(name: str | None) -> str | None:
    """Refuse a name that is empty, as a variable of a script may be: no message could show it."""
    if name is not None and not name.strip():
        raise typer.BadParameter("it is empty")
    return name


ProjectArg = Annotated[
    str,
    typer.Argument(metavar="PROJECT", help="The project's name or id.", callback=_named),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
ModelOption = Annotated[
    str | None,
    typer.Option(help="A model's id, name or folder [default: the starter].", callback=_named),
]
OverlapOption = Annotated[
    int | None,
    typer.Option(
        help="Units that windows of a long text share; 0 is fastest [default: the model's].", min=0
    ),
]
CapitalsOption = Annotated[
    bool, typer.Option("--capitalize", help="Begin sentences with a capital.")
]


@app.callback(invoke_without_command=True)
def start(context: typer.Context) -> None:
    """Correct the punctuation that a model suggests, and make the model better with it."""
    if context.invoked_subcommand is None:
        serve()


@app.command()
def serve(
    host: Annotated[
        str | None, typer.Option(help="Address to listen on [default: INTERPUNCT_HOST, 127.0.0.1].")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(help="Port to listen on [default: INTERPUNCT_PORT, 7860].", min=0, max=65535),
    ] = None,
) -> None:
    """Serve the product in the browser, with one background worker."""
    from webapp.serving import serve as serve_all

    command = [sys.executable, str(Path(__file__).resolve()), "worker"]
    serve_all(_settings(), host=host, port=port, worker_command=command, say=say)


@app.command()
def worker() -> None:
    """Do background work (rounds, suggestions) until stopped; serve starts one by itself."""
    from labeling.tasks import work

    work(_database(make=True), _settings().redis_url)


@app.command()
def punctuate(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE]...", help="UTF-8 files; the standard input if none."),
    ] = None,
    language: Annotated[
        AnyLanguage, typer.Option(help="The texts' language; auto finds each text's own.")
    ] = AnyLanguage.auto,
    as_json: JsonOption = False,
    existing: Annotated[
        Existing, typer.Option(help="Keep the marks that are there, or strip them first.")
    ] = Existing.keep,
    model: ModelOption = None,
    project: Annotated[
        str | None,
        typer.Option(
            help="Use the model that serves this project and its marks and thresholds; with "
            "--model only the latter two.",
            callback=_named,
        ),
    ] = None,
    marks: Annotated[
        str | None,
        typer.Option(help="Marks to put [default: comma,period,question, or the project's]."),
    ] = None,
    whole: Annotated[
        bool, typer.Option("--whole", help="Take each input as one text, line breaks kept.")
    ] = False,
    capitalize: CapitalsOption = False,
    overlap: OverlapOption = None,
) -> None:
    """Put marks into texts: one text a line in, one line out, in the same order."""
    from model.text_stream import in_batches, open_all, read_texts

    _check_output()
    with ExitStack() as stack:
        opened = open_all(files or [], sys.stdin.buffer, stack)
        chosen, thresholds = _marks_to_put(marks, project)
        folder, name = _model_folder(model, project)
        from model.predictor import load_predictor
        from model.punctuate import punctuate as put_marks

        predictor = load_predictor(folder, overlap=overlap)
        for batch in in_batches(read_texts(opened, whole=whole)):
            done = put_marks(
                [text.text for text in batch],
                predictor,
                language=language.value,
                existing="strip" if existing is Existing.strip else "keep",
                marks=chosen,
                thresholds=thresholds,
                capitalize=capitalize,
            )
            for text, found in zip(batch, done, strict=True):
                if as_json:
                    row = {
                        "text": found.text,
                        "units": found.units,
                        "marks": chosen.decode(chosen.encode(found.marks)),
                        "probabilities": found.probabilities.astype(float).round(6).tolist(),
                        "model": name,
                        "mark_set": chosen.names,
                    }
                    _write(_json(row) + "\n")
                else:
                    _write(found.text + text.ending)
            sys.stdout.flush()


@app.command("import")
def import_(
    project: ProjectArg,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Files of transcripts.")],
    format: Annotated[
        InFormat, typer.Option(help="The files' format; auto goes by name and content.")
    ] = InFormat.auto,
    language: Annotated[
        AnyLanguage | None, typer.Option(help="Of rows that name none [default: the project's].")
    ] = None,
    annotator: Annotated[
        str | None, typer.Option(help="The texts carry marks: they become this person's versions.")
    ] = None,
) -> None:
    """Import transcripts; importing a file twice adds nothing."""
    from labeling.errors import BadInput
    from labeling.importing import import_file
    from labeling.permissions import SYSTEM
    from labeling.projects import get_project
    from labeling.suggestions import start_suggesting

    if missing := next((path for path in files if not path.is_file()), None):
        raise BadInput("cannot_read", f"{missing}: there is no such file.", name=str(missing))
    database = _database()
    added = 0
    for path in files:
        report = import_file(
            database,
            SYSTEM,
            project,
            path,
            format=format.value,
            language=language.value if language else None,
            annotator=annotator,
        )
        added += report.added
        say(str(report))
    if added:
        start_suggesting(database, SYSTEM, get_project(database, SYSTEM, project).id)


@app.command()
def export(
    project: ProjectArg,
    what: Annotated[What, typer.Option(help="Gold, everybody's versions, or suggestions.")],
    format: Annotated[OutFormat, typer.Option(help="The format to write.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A file [default: standard output].")
    ] = None,
    annotator: Annotated[
        str | None, typer.Option(help="With --what versions: this person's alone.")
    ] = None,
    capitalize: CapitalsOption = False,
    probabilities: Annotated[
        bool,
        typer.Option("--probabilities", help="With --what suggestions and jsonl: all of them."),
    ] = False,
) -> None:
    """Export labels in a format that import reads back to the same marks."""
    from labeling.exporting import export as export_rows
    from labeling.permissions import SYSTEM

    if output is None:
        _check_output()
    report = export_rows(
        _database(),
        SYSTEM,
        project,
        what.value,
        format.value,
        sys.stdout.buffer if output is None else output,
        capitalize=capitalize,
        probabilities=probabilities,
        annotator=annotator,
    )
    sys.stdout.flush()
    for transcript, reason in report.left_out:
        tell(f"Transcript {transcript} was left out: {reason}.")
    if report.inexact:
        shown = ", ".join(map(str, report.inexact[:20]))
        tell(f"Not every mark can be read back from plain text in transcripts: {shown}.")
    tell(f"{report.rows} rows.")


@app.command()
def agreement(project: ProjectArg, as_json: JsonOption = False) -> None:
    """Say how far annotators agree, on what each of them submitted alone."""
    from labeling.agreement_report import agreement_report
    from labeling.permissions import SYSTEM

    _check_output()
    report = agreement_report(_database(), SYSTEM, project)
    show(report.as_dict() if as_json else str(report))


@app.command("round")
def round_(
    project: ProjectArg,
    promote: Annotated[
        Promote, typer.Option(help="auto: let the new model serve if it is decisively better.")
    ] = Promote.never,
    epochs: Annotated[
        int | None, typer.Option(help="How often to read the gold [default: by its size].", min=1)
    ] = None,
    learning_rate: Annotated[
        float | None, typer.Option(help="At its highest [default: 8e-05].")
    ] = None,
    seed: Annotated[int, typer.Option(help="Same seed, same model.")] = 0,
    base: Annotated[
        str,
        typer.Option(
            metavar="NAME|FOLDER",
            help="Train from this encoder or model [default: the model that serves].",
        ),
    ] = "",
    as_json: JsonOption = False,
) -> None:
    """Train a new model on the gold, and measure it on the frozen test beside the old one."""
    from labeling.permissions import SYSTEM
    from labeling.rounds import round_here

    given = {"epochs": epochs, "learning_rate": learning_rate, "seed": seed}
    with StopOnInterrupt() as stopping, closing(ProgressLine(sys.stderr)) as line:
        done = round_here(
            _database(),
            SYSTEM,
            project,
            promote=promote.value,
            training={key: value for key, value in given.items() if value is not None},
            base=base,
            on_progress=line,
            stopping=stopping,
        )
    show(asdict(done) if as_json else round_text(done))
    if done.state != "done":
        raise typer.Exit(1)


@app.command("models")
def models_(project: ProjectArg, as_json: JsonOption = False) -> None:
    """List what can serve a project, with micro F1 on the frozen test of its round."""
    from labeling.models import list_models
    from labeling.permissions import SYSTEM

    _check_output()
    found = list_models(_database(), SYSTEM, project)
    if as_json:
        return show([asdict(one) for one in found])
    rows = [
        (
            one.id,
            one.name,
            "serves" if one.serving else one.state,
            one.parent or "",
            f1_of(one.metrics),
        )
        for one in found
    ]
    return show(table(("id", "name", "state", "from", "micro F1"), rows))


@app.command()
def promote(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="The model's name or id.", callback=_named)
    ],
    project: Annotated[
        str | None,
        typer.Option(help="The project, for a model that belongs to none.", callback=_named),
    ] = None,
) -> None:
    """Let a model serve its project from the next request on."""
    from labeling.models import promote as promote_model
    from labeling.permissions import SYSTEM

    say(f"{promote_model(_database(), SYSTEM, model, project).name} serves now.")


@app.command()
def rollback(project: ProjectArg) -> None:
    """Let the model that served before serve again; once more goes one further back."""
    from labeling.models import rollback as roll_back
    from labeling.permissions import SYSTEM

    say(f"{roll_back(_database(), SYSTEM, project).name} serves now.")


@app.command()
def evaluate(
    context: typer.Context,
    data: Annotated[
        Path | None, typer.Option(help="A .tsv, .tsv.xz or .jsonl file of texts with marks.")
    ] = None,
    model: ModelOption = None,
    project: Annotated[
        str | None,
        typer.Option(
            help="The model that serves this project; or that of --round.", callback=_named
        ),
    ] = None,
    round_: Annotated[
        int | None, typer.Option("--round", help="Compute this round's figures again.", min=1)
    ] = None,
    language: Annotated[
        Language | None,
        typer.Option(help="The texts' language; it says whether 's is a word [default: guessed]."),
    ] = None,
    lowercase: Annotated[bool, typer.Option("--lowercase", help="Lower-case the words.")] = False,
    join: Annotated[
        Join, typer.Option(help="What is one text: a turn, a document, or all of the file.")
    ] = Join.turn,
    map_: Annotated[
        Mapping, typer.Option("--map", help="default counts as the field does, in three marks.")
    ] = Mapping.default,
    column: Annotated[
        int, typer.Option(help="3 measures the marks of a tsv's third column.", min=2, max=3)
    ] = 2,
    overlap: OverlapOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure a model on texts with marks, or a round again from what it read."""
    _check_output()
    if round_ is not None:
        _refuse(context, "--round", "data model language lowercase join map_ column overlap")
        return _evaluate_round(project, round_, as_json)
    if data is None:
        raise typer.BadParameter("name a file of texts, or a round", param_hint="--data")
    if column == 3:
        _refuse(context, "--column 3", "model project overlap")
    elif model is not None:
        _refuse(context, "--model", "project")
    from model.evaluation_run import evaluate_file, heading, metrics_table

    folder, name = (None, "column 3") if column == 3 else _model_folder(model, project)
    _, thresholds = _marks_to_put(None, project)
    metrics = evaluate_file(
        folder,
        data,
        mapping=map_.value,
        lowercase=lowercase,
        join=join.value,
        language=language and language.value,
        thresholds=thresholds,
        column=column,
        overlap=overlap,
    )
    about = {
        "model": name,
        "data": str(data),
        "language": language and language.value,
        "join": join.value,
        "map": map_.value,
        "lowercase": lowercase,
        "overlap": overlap,
    }
    if as_json:
        return show(_json(about | metrics.as_dict(), indent=2))
    return show(_printable(f"{heading(about)}\n\n{metrics_table(metrics)}"))


@users.command("add")
def users_add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name to sign in with.")],
    role: Annotated[Role, typer.Option(help="What they may do.")] = Role.annotator,
    password: Annotated[
        str | None, typer.Option(help="Asked for, or read from the standard input, if not given.")
    ] = None,
) -> None:
    """Add somebody who can sign in."""
    from labeling.accounts import add_user
    from labeling.permissions import SYSTEM

    database = _database(make=True)
    person = add_user(
        database, SYSTEM, name=name, password=password or ask_password(), role=role.value
    )
    say(f"{person.name} can sign in as {person.role}.")


@users.command("list")
def users_list(as_json: JsonOption = False) -> None:
    """List everybody."""
    from labeling.accounts import list_users
    from labeling.permissions import SYSTEM

    _check_output()
    found = list_users(_database(), SYSTEM)
    if as_json:
        return show([asdict(person) for person in found])
    rows = [(one.id, one.name, one.role, "" if one.active else "closed") for one in found]
    return show(table(("id", "name", "role", ""), rows))


@users.command("password")
def users_password(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Whose password.")],
    password: Annotated[
        str | None, typer.Option(help="Asked for, or read from the standard input, if not given.")
    ] = None,
) -> None:
    """Give somebody a new password, which ends their sign-ins."""
    from labeling.accounts import set_password
    from labeling.permissions import SYSTEM

    set_password(_database(), SYSTEM, name, password or ask_password())
    say(f"{name} has a new password.")


@projects.command("add")
def projects_add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The project's name.")],
    language: Annotated[Language, typer.Option(help="Its language.")],
    marks: Annotated[
        str | None, typer.Option(help="Its marks [default: comma,period,question].")
    ] = None,
) -> None:
    """Add a project; the starter serves it."""
    from labeling.permissions import SYSTEM
    from labeling.projects import add_project
    from model.marks import DEFAULT_MARKS

    names = (_mark_set(marks, "--marks") or DEFAULT_MARKS).names
    info = add_project(
        _database(make=True), SYSTEM, name=name, language=language.value, marks=names
    )
    say(f"Project {info.id}: {info.name}. {info.serving_model or 'No model'} serves it.")


@projects.command("list")
def projects_list(as_json: JsonOption = False) -> None:
    """List all projects."""
    from labeling.permissions import SYSTEM
    from labeling.projects import list_projects

    _check_output()
    found = list_projects(_database(), SYSTEM)
    if as_json:
        return show([asdict(one) | {"settings": one.settings.model_dump()} for one in found])
    rows = [
        (one.id, one.name, one.language, ",".join(one.marks[1:]).lower(), one.serving_model or "")
        for one in found
    ]
    return show(table(("id", "name", "language", "marks", "model"), rows))


@projects.command("thresholds")
def projects_thresholds(
    project: ProjectArg,
    mark: Annotated[
        str | None, typer.Option(help="Show what other thresholds of this mark would do.")
    ] = None,
    use: Annotated[
        float | None, typer.Option(help="Suggest the mark from this probability on (0 to 1).")
    ] = None,
    own: Annotated[bool, typer.Option("--own", help="Use the model's own again.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show from which probability on marks are suggested, what else would do, and set it."""
    from labeling.permissions import SYSTEM
    from labeling.threshold_preview import preview_threshold
    from labeling.thresholds import list_thresholds, set_threshold

    _check_output()
    if use is not None and own:
        raise typer.BadParameter("name a threshold or take the model's own", param_hint="--own")
    chosen = _mark_set(mark, "--mark")
    if chosen is None:
        if use is not None or own:
            raise typer.BadParameter("name the mark", param_hint="--mark")
        standing = list_thresholds(_database(), SYSTEM, project)
        return show([asdict(one) for one in standing] if as_json else standing_text(standing))
    if len(chosen) != 2:
        raise typer.BadParameter("name one mark", param_hint="--mark")
    name = chosen.names[1]
    if use is not None or own:
        set_threshold(_database(), SYSTEM, project, name, use)
    found = preview_threshold(_database(), SYSTEM, project, name)
    return show(asdict(found) if as_json else preview_text(found))


def _evaluate_round(project: str | None, number: int, as_json: bool) -> None:
    from labeling.permissions import SYSTEM
    from labeling.rounds import measure_again

    if project is None:
        raise typer.BadParameter("name the project of the round", param_hint="--project")
    done = measure_again(_database(), SYSTEM, project, number)
    show(asdict(done) if as_json else round_text(done))


def _refuse(context: typer.Context, option: str, others: str) -> None:
    """Refuse options that mean nothing beside another, rather than leave them out unsaid."""
    for other in context.command.params:
        source = context.get_parameter_source(other.name or "")
        if other.name in others.split() and source and source.name == "COMMANDLINE":
            raise typer.BadParameter(
                f"it means nothing with {option}; leave one of the two out",
                param_hint=other.opts[0],
            )


def _settings() -> "Settings":
    from pydantic import ValidationError

    from db.settings import Settings
    from labeling.errors import BadInput

    try:
        return Settings()
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        told = first["msg"].removeprefix("Value error, ")
        raise BadInput(
            "bad_setting", f"The environment's {name} cannot be so: {told}.", setting=name
        ) from None


def _database(*, make: bool = False) -> "Database":
    """Open the installation's database; only what adds something makes a new one."""
    from labeling.opening import open_database

    return open_database(_settings(), make=make)


def _mark_set(marks: str | None, option: str) -> "MarkSet | None":
    from model.marks import MarkSet, UnknownMark

    try:
        return None if marks is None else MarkSet.of(marks.split(","))
    except UnknownMark as error:
        raise typer.BadParameter(str(error), param_hint=option) from None


def _marks_to_put(
    marks: str | None, project: str | None
) -> "tuple[MarkSet, dict[str, float] | None]":
    """Return the marks to put, and the thresholds where a project has its own."""
    from model.marks import DEFAULT_MARKS, MarkSet

    if project is None:
        return _mark_set(marks, "--marks") or DEFAULT_MARKS, None
    from labeling.permissions import SYSTEM
    from labeling.projects import get_project

    info = get_project(_database(), SYSTEM, project)
    return _mark_set(marks, "--marks") or MarkSet(tuple(info.marks)), info.settings.thresholds


def _model_folder(model: str | None, project: str | None) -> tuple[Path, str]:
    """Return a model's folder and what to call it: a folder, a version, or the starter."""
    from labeling.starter import STARTER, STARTER_FOLDER
    from model.card import CARD, BrokenModel, read_card

    if model is None and project is None:
        folder = _settings().starter or STARTER_FOLDER
        read_card(folder)
        return folder, STARTER
    if model is not None and (Path(model) / CARD).is_file():
        return Path(model), model
    from labeling.errors import Refused
    from labeling.models import usable_model
    from labeling.permissions import SYSTEM

    try:
        return usable_model(_database(), SYSTEM, model, project)
    except Refused as error:
        if model is None or error.code not in ("no_home", "no_such_model"):
            raise
        if os.sep in model or Path(model).is_dir():
            read_card(model)  # says that there is no such folder, or what it lacks
        if error.code == "no_such_model":
            raise
        raise BrokenModel(
            f"There is no folder {model} with a model, and none is known by that name. {error}"
        ) from None


# What ends lines for some readers, and the bytes of a file's name that are not UTF-8.
_ESCAPED: Final = re.compile("[\u0085\u2028\u2029\ud800-\udfff]")


def _json(row: dict[str, Any], indent: int | None = None) -> str:
    """Write an object as UTF-8 that any reader takes: in one line if `indent` is None."""
    text = json.dumps(row, ensure_ascii=False, indent=indent)
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _printable(text: str) -> str:
    """Show what is not UTF-8 in the name of a file as JSON does."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


_STOPPED: Final = 130  # with Ctrl+C
_closed: Final[set[str]] = set()  # of the standard streams, those that were not there at the start


def _check_output() -> None:
    """Refuse to look for an answer that has no place to go."""
    if "stdout" in _closed:
        raise OSError("The standard output is closed, so the answer could not be written.")


def _write(text: str) -> None:
    sys.stdout.buffer.write(text.encode("utf-8", "surrogatepass"))


def _interrupted(error: BaseException | None) -> bool:
    """Whether an error comes of a Ctrl+C: in the middle of an import it turns into another one."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _is_plain(error: Exception) -> bool:
    """Whether an error says in its own words what somebody can do about it."""
    from db.engine import Unstorable
    from labeling.errors import Refused
    from model.card import BrokenModel
    from model.evaluation_data import BadData
    from model.marks import UnknownMark
    from model.processor import UnknownPrecision
    from model.text_stream import BadText
    from model.training_settings import TrainingRefused

    of_models = (BrokenModel, BadData, UnknownMark, UnknownPrecision, BadText, TrainingRefused)
    return isinstance(error, (Refused, Unstorable, *of_models, OSError))


def main(arguments: list[str] | None = None) -> int:
    """Run a command; return its exit status: 0, 1 (it cannot be done), 2 (used wrongly).

    After a Ctrl+C the process of the command line ends here, with 130. Python would wait for
    threads that compute, and for ever for one that began at that very moment: its pool does not
    know it yet, and never tells it to stop.

    Parameters
    ----------
    arguments : list of str, optional
        Those of the process if None.
    """
    status = _run(arguments)
    if status == _STOPPED and arguments is None:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(status)
    return status


def _run(arguments: list[str] | None) -> int:
    _closed.clear()
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed before the start; no file of ours gets its place
            _closed.add(name)
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))
    command = typer.main.get_command(app)
    try:
        return command.main(arguments, prog_name="run.py", standalone_mode=False) or 0
    except SystemExit as error:
        if not isinstance(error.__context__, BrokenPipeError):
            raise
        # Whoever read has enough. What Python still holds must not be written at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (KeyboardInterrupt, typer.Abort):
        return _STOPPED
    except _UsageError as error:
        tell(" ".join(error.format_message().replace("Value error, ", "").split()))
        return 2
    except Exception as error:
        if _interrupted(error):
            return _STOPPED
        if not _is_plain(error):
            raise
        tell(" ".join(str(error).split()))
        return 1


if __name__ == "__main__":
    sys.exit(main())
