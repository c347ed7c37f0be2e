"""What a training writes down so that it can go on after a stop or a crash.

One folder, written beside and then moved into place, so that it is always whole.
"""

import hashlib
import json
import shutil
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

FOLDER: Final = ".training"


@dataclass
class TrainState:
    """Where a training is.

    Attributes
    ----------
    fingerprint : str
        Of the data, the settings and the parent; another training's state is not used.
    step : int
        Steps taken.
    best_f1, best_step : float, int
        The best micro F1 on the dev texts so far and where it was; step 0 is the parent.
    without_gain : int
        Epochs since then.
    history : list of dict
        ``step``, ``epoch``, ``loss``, ``dev_f1`` at the end of each epoch.
    seconds : float
        Time spent so far, over all starts.
    """

    fingerprint: str
    step: int = 0
    best_f1: float | None = None
    best_loss: float | None = None
    best_step: int = 0
    without_gain: int = 0
    history: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0


def fingerprint(parts: Iterable[object]) -> str:
    """Hash what a training depends on.

    Parameters
    ----------
    parts : iterable of object
        Anything with a ``repr`` that says it all.

    Returns
    -------
    str
        32 hexadecimal digits.
    """
    digest = hashlib.sha256()
    for part in parts:
        digest.update(repr(part).encode("utf-8", "surrogatepass") + b"\x1e")
    return digest.hexdigest()[:32]


def save_state(
    out_folder: Path, state: TrainState, weights: Any, best: Any, optimizer: Any
) -> None:
    """Write a training's state, replacing the one before it only when whole.

    Parameters
    ----------
    out_folder : Path
        Where the trained model will be.
    state : TrainState
        Where the training is.
    weights, best, optimizer : dict
        State dicts of the layer now, of the layer at its best, and of the optimizer.
    """
    import paddle

    fresh, place = out_folder / (FOLDER + ".new"), out_folder / FOLDER
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    paddle.save(weights, str(fresh / "weights.pdparams"))
    if best is not None:
        paddle.save(best, str(fresh / "best.pdparams"))
    paddle.save(optimizer, str(fresh / "optimizer.pdopt"))
    (fresh / "state.json").write_text(json.dumps(asdict(state)), encoding="utf-8")
    shutil.rmtree(place, ignore_errors=True)
    fresh.rename(place)


def load_state(out_folder: Path, wanted: str) -> tuple[TrainState, Any, Any, Any] | None:
    """Read the state that an earlier start of the same training left.

    Parameters
    ----------
    out_folder : Path
        Where the trained model will be.
    wanted : str
        The fingerprint of this training.

    Returns
    -------
    (TrainState, dict, dict or None, dict) or None
        State, weights, best weights, optimizer; None where there is nothing to go on from.
    """
    place = out_folder / FOLDER
    if not (place / "state.json").is_file():
        place = out_folder / (FOLDER + ".new")  # stopped between the two moves
    try:
        state = TrainState(**json.loads((place / "state.json").read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    if state.fingerprint != wanted:
        return None
    import paddle

    best = place / "best.pdparams"
    return (
        state,
        paddle.load(str(place / "weights.pdparams")),
        paddle.load(str(best)) if best.is_file() else None,
        paddle.load(str(place / "optimizer.pdopt")),
    )


def forget_state(out_folder: Path) -> None:
    """Remove the state of a training that is done.

    Parameters
    ----------
    out_folder : Path
        Where the trained model is.
    """
    for name in (FOLDER, FOLDER + ".new"):
        shutil.rmtree(out_folder / name, ignore_errors=True)
