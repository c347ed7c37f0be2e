"""The graph that serves: exported once from a model folder, for Paddle Inference.

It takes ids (batch, length) and gives logits (batch, length, marks); padding is masked
inside. The temperature is no part of it, so that calibrating needs no new export.
"""

import hashlib
import json
import logging
import os
import shutil
import tempfile
import threading
import time
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from model.auto import CONFIG, WEIGHTS, load_layer
from model.card import BrokenModel, read_card

log = logging.getLogger(__name__)
STATIC: Final = "static"
_ORIGIN: Final = "made-from.json"
_GRAPH: Final = ("model.json", "model.pdiparams")
_VERSION: Final = "1"  # of what is exported: another one makes all older graphs stale
_ABANDONED: Final = 3600.0  # seconds; no export takes that long
_exporting: Final = threading.Lock()  # Paddle's switch to static graphs is one for all threads


def export_static(folder: Path | str, into: Path | str | None = None) -> Path:
    """Export the serving graph of a model folder, unless a fitting one is there.

    Parameters
    ----------
    folder : Path or str
        A model folder.
    into : Path or str, optional
        Where to; ``static/`` in the folder if None.

    Returns
    -------
    Path
        The folder with ``model.json`` and ``model.pdiparams``.
    """
    folder = Path(folder)
    target = Path(into) if into is not None else folder / STATIC
    origin = _origin(folder)
    with _exporting:
        if not _fits(target, origin):
            _export_into(target, folder, origin)
    return target


def find_static(folder: Path | str) -> Path:
    """Return a fitting serving graph, exporting it first where there is none.

    A folder that cannot be written to is no obstacle: the graph then goes into the user's
    cache folder, or at last into a temporary one.

    Raises
    ------
    BrokenModel
        The folder holds no weights, or none that a graph can be made of.
    """
    folder = Path(folder).resolve()
    origin = _origin(folder)
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "interpunct"
    places = [folder / STATIC, caches / origin["weights"][:24]]
    for place in places:
        if _fits(place, origin):
            return place
    for place in places:
        with suppress(OSError):
            return export_static(folder, place)
    place = Path(tempfile.mkdtemp(prefix="interpunct-")) / STATIC
    log.warning("no folder to keep the serving graph in; it is exported anew at every start")
    return export_static(folder, place)


def _export_into(target: Path, folder: Path, origin: dict[str, str]) -> None:
    """Export beside the target, and put the whole of it in its place at once."""
    target.parent.mkdir(parents=True, exist_ok=True)
    _sweep(target)
    work = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    new, old = work / "new", work / "old"
    try:
        new.mkdir()
        _export(folder, new)
        made_from = origin | {"sizes": _sizes(new)}
        (new / _ORIGIN).write_text(json.dumps(made_from), encoding="utf-8")
        if not _fits(new, origin):
            raise OSError(f"the serving graph of {folder} could not be written whole")
        if _fits(target, origin):  # another process was faster, and may read it already
            return
        try:
            if target.is_dir():
                os.replace(target, old)
            os.replace(new, target)
        except OSError:
            if not _fits(target, origin):
                raise
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _sweep(target: Path) -> None:
    """Remove what exports left behind that were killed on the way."""
    for work in target.parent.glob(f".{target.name}-*"):
        with suppress(OSError):  # another process may be sweeping, too
            if time.time() - work.stat().st_mtime > _ABANDONED:
                shutil.rmtree(work)


def _export(folder: Path, work: Path) -> None:
    outputs = len(read_card(folder).marks)
    layer = load_layer(folder, whole=True, num_labels=outputs)
    layer.eval()
    # What PaddleNLP asks of a graph while it is traced. Ignored for good, and only this one: to
    # ignore all for a while would lose what other threads warn of.
    warnings.filterwarnings("ignore", "Tensor do not have 'place'", UserWarning)
    try:
        _trace(layer, work)
    except TypeError:  # Paddle 3.3 can't rewrite the code of RoBERTa's head
        _trace(_as_it_runs(layer), work)


def _trace(layer: Any, work: Path) -> None:
    import paddle
    from paddle.static import InputSpec

    ids = InputSpec([None, None], "int64", "ids")
    graph = paddle.jit.to_static(layer, input_spec=[ids], full_graph=True)
    paddle.jit.save(graph, str(work / "model"))


def _as_it_runs(layer: Any) -> Any:
    """Wrap a layer so that its forward is followed call by call, not rewritten from its code."""
    import paddle

    class Followed(paddle.nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.layer = layer
            self.followed = paddle.jit.not_to_static(type(layer).forward)

        def forward(self, ids: Any) -> Any:
            return self.followed(self.layer, ids)

    return Followed()


def _fits(place: Path, origin: dict[str, str]) -> bool:
    """Return whether a folder holds a whole graph that was made from just this."""
    try:
        made_from = json.loads((place / _ORIGIN).read_text(encoding="utf-8"))
        sizes = _sizes(place)
    except (OSError, ValueError):
        return False
    return all(sizes.values()) and made_from == origin | {"sizes": sizes}


def _sizes(place: Path) -> dict[str, int]:
    return {name: (place / name).stat().st_size for name in _GRAPH}


def _origin(folder: Path) -> dict[str, str]:
    """Say what a graph is made from: weights and layout by content, and the code's versions."""
    from importlib.metadata import version

    digest = hashlib.sha256()
    weights = next((folder / name for name in WEIGHTS if (folder / name).is_file()), None)
    if weights is None:
        raise BrokenModel(f"{folder} is no model folder: it has no {WEIGHTS[0]}.")
    if not (folder / CONFIG).is_file():
        raise BrokenModel(f"{folder} is no model folder: it has no {CONFIG}.")
    for path in (weights, folder / CONFIG):
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return {
        "weights": digest.hexdigest(),
        "paddle": version("paddlepaddle"),
        "paddlenlp": version("paddlenlp"),
        "export": _VERSION,
    }
