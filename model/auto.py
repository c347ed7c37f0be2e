"""PaddleNLP's Auto classes, imported as late and as quietly as can be, and what they load.

What they raise for a damaged folder is of any kind, and seldom names the file. Here it
becomes a `BrokenModel` that does.
"""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from model.card import BrokenModel, read_object
from model.processor import prepare_processor, signals_kept

WEIGHTS: Final = ("model_state.pdparams", "model.safetensors")
CONFIG: Final = "config.json"
TOKENIZER: Final = "tokenizer_config.json"
_MOST_SAID: Final = 200  # characters of an error that is not ours


def auto_classes() -> tuple[Any, Any]:
    """Return AutoModelForTokenClassification and AutoTokenizer (the first import takes seconds)."""
    prepare_processor()
    with signals_kept(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from paddlenlp.transformers import AutoModelForTokenClassification, AutoTokenizer
    from paddlenlp.utils.log import logger

    logger.set_level("ERROR")
    return AutoModelForTokenClassification, AutoTokenizer


def load_layer(name: Path | str, *, whole: bool, **settings: Any) -> Any:
    """Load an encoder with a token classifier.

    Parameters
    ----------
    name : Path or str
        A folder, or what PaddleNLP fetches by name.
    whole : bool
        The folder has weights for all of the layer. What it lacks would else be random.
    **settings
        For PaddleNLP.

    Raises
    ------
    BrokenModel
        It cannot be loaded; the message names the folder, and the file that is at fault.
    """
    auto_model, _ = auto_classes()
    folder = Path(name)
    if (folder / CONFIG).is_file():
        read_object(folder / CONFIG)
    try:
        layer = auto_model.from_pretrained(str(name), **settings)
    except MemoryError:
        raise
    except Exception as error:
        if folder.is_dir():
            _read_weights(folder)
            why = f"{folder}: no model can be made of {CONFIG} and the weights ({_first(error)})."
        else:
            why = (
                f"The encoder {name} could not be loaded. By name it is fetched from the "
                f"internet; else name a folder with its files. ({_first(error)})"
            )
        raise BrokenModel(why) from error
    if whole and (missing := sorted(set(layer.state_dict()) - _read_weights(folder))):
        raise BrokenModel(
            f"{folder}: {_weights(folder)} lacks {len(missing)} of the weights that {CONFIG} "
            f"asks for, such as {missing[0]}."
        )
    return layer


def load_any_tokenizer(name: Path | str) -> Any:
    """Load a PaddleNLP tokenizer.

    Parameters
    ----------
    name : Path or str
        A folder, or what PaddleNLP fetches by name.

    Raises
    ------
    BrokenModel
        It cannot be loaded; the message names the folder, and the file that is at fault.
    """
    _, auto_tokenizer = auto_classes()
    try:
        return auto_tokenizer.from_pretrained(str(name))
    except MemoryError:
        raise
    except Exception as error:
        files = _tokenizer_files(Path(name)) if Path(name).is_dir() else []
        where = f" from {' and '.join(files)}" if files else ""
        raise BrokenModel(
            f"{name}: its tokenizer cannot be loaded{where} ({_first(error)})."
        ) from error


def _weights(folder: Path) -> str | None:
    return next((name for name in WEIGHTS if (folder / name).is_file()), None)


def _read_weights(folder: Path) -> set[str]:
    """Return the names of the weights that a folder holds.

    Raises
    ------
    BrokenModel
        There is no file of weights, or it is damaged.
    """
    name = _weights(folder)
    if name is None:
        raise BrokenModel(f"{folder} is no model folder: it has no {WEIGHTS[0]}.")
    if not (folder / name).stat().st_size:
        raise BrokenModel(f"{folder}: {name} is empty.")
    try:
        return set(_names_in(folder / name))
    except MemoryError:
        raise
    except Exception as error:
        raise BrokenModel(f"{folder}: {name} is damaged or not whole.") from error


def _names_in(path: Path) -> Sequence[str]:
    if path.name == WEIGHTS[0]:
        import paddle

        return list(paddle.load(str(path), return_numpy=True))
    from safetensors import safe_open

    with safe_open(str(path), framework="np") as file:
        return list(file.keys())


def _tokenizer_files(folder: Path) -> list[str]:
    """Return the files that a tokenizer reads, one of which is why it could not be loaded.

    Raises
    ------
    BrokenModel
        One can be seen to be: it is missing, empty, or no JSON.
    """
    from paddlenlp import transformers

    kind = read_object(folder / TOKENIZER).get("tokenizer_class")
    for name in ("special_tokens_map.json", "added_tokens.json"):
        if (folder / name).is_file():
            read_object(folder / name)
    files = getattr(getattr(transformers, str(kind), None), "resource_files_names", {})
    names = sorted(set(files.values()))
    for name in names:
        if not (folder / name).is_file():
            raise BrokenModel(f"{folder}: it has no {name}, which its {kind} reads.")
        if not (folder / name).stat().st_size:
            raise BrokenModel(f"{folder}: {name} is empty.")
    return names or [TOKENIZER]


def _first(error: Exception) -> str:
    """Return the first line of an error, without its full stop."""
    told = (str(error).strip() or type(error).__name__).splitlines()[0]
    return told[:_MOST_SAID].rstrip(" .:")
