"""From units to probabilities of marks: one model, loaded once, for any number of threads."""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from model.auto import CONFIG
from model.card import BrokenModel, Card, read_card, read_object
from model.checkpoint import load_tokenizer
from model.encoding import BUCKET, Encoded, Encoder, most_tokens
from model.marks import NONE, MarkSet
from model.runtime import Runtime
from model.static_graph import find_static
from model.windows import Window, plan_windows, shares

_TOKENS_A_BATCH: Final = 2048
_CACHED_PREDICTORS: Final = 4


class _Piece(NamedTuple):
    """One window of one text, and what share of each slot's answer is taken from it."""

    text: int
    window: Window
    share: np.ndarray
    tokens: int


class Predictor:
    """A model that gives each slot of a text a probability for each mark.

    One instance serves all threads of a process. The same units get the same bits,
    whether texts come one by one, in a batch, or from several threads at once: every
    window is padded to a length that depends on it alone.

    Parameters
    ----------
    folder : Path or str
        A model folder. Its serving graph is exported first if it has none that fits.
    threads : int, optional
        Processor threads; where None, what ``OMP_NUM_THREADS`` says, or else the usable cores,
        eight at most.
    bfloat16 : bool, optional
        Multiply in bfloat16: half of the time or a little more, and now and then a slot gets
        another mark. Where None, ``INTERPUNCT_PRECISION`` says, or whether the processor
        does it by itself.
    overlap : int, optional
        Units that windows of a long text share; where None, as many as the card says.

    Raises
    ------
    BrokenModel
        The folder is not a model folder, a file of it is damaged, or the overlap is not smaller
        than a window.
    """

    def __init__(
        self,
        folder: Path | str,
        threads: int | None = None,
        *,
        bfloat16: bool | None = None,
        overlap: int | None = None,
    ):
        self.folder = Path(folder)
        self.card: Card = read_card(self.folder)
        if overlap is not None:
            self.card = self.card.changed(overlap=overlap)
        self.marks: MarkSet = self.card.mark_set
        shown = str(self.folder).encode("utf-8", "backslashreplace").decode("utf-8")
        if shown != str(self.folder):
            raise BrokenModel(f"{shown}: Paddle reads no folder whose name is not UTF-8.")
        config = read_object(self.folder / CONFIG)
        try:
            self._max_tokens = most_tokens(config)
        except (TypeError, ValueError) as error:
            raise BrokenModel(f"{self.folder}: {CONFIG} means nothing: {error}.") from None
        self.encoder = Encoder(load_tokenizer(self.folder), self.card.lowercase)
        self._runtime = Runtime(find_static(self.folder), threads, bfloat16=bfloat16)

    def probabilities(self, unit_lists: Sequence[Sequence[str]]) -> list[np.ndarray]:
        """Give every slot of every text its probabilities.

        Parameters
        ----------
        unit_lists : sequence of sequences of str
            The unit texts of each text (`model.units.unit_texts`), of any length.

        Returns
        -------
        list of ndarray of float32, (n_i, K)
            A row a slot that sums to 1, in the order of `marks`; the card's temperature
            is applied.
        """
        encoded = [self.encoder.encode(units) for units in unit_lists]
        pieces = [piece for text, e in enumerate(encoded) for piece in self._pieces(text, e)]
        logits = [np.zeros((len(units), len(self.marks)), np.float32) for units in unit_lists]
        read = [np.zeros(len(units), np.float32) for units in unit_lists]
        batches = _plan_batches(pieces)
        feeds = (self._feed(batch, encoded) for batch in batches)
        for batch, answer in zip(batches, self._runtime.run(feeds), strict=True):
            if answer.shape[2] != len(self.marks):
                raise BrokenModel(
                    f"{self.folder}: its card has {len(self.marks)} marks, and the model has "
                    f"{answer.shape[2]} outputs."
                )
            for row, piece in zip(answer, batch, strict=True):
                # A unit's answer sits on its last sub-token; position 0 is [CLS], which makes up
                # for the "- 1" of a last sub-token.
                start, stop = piece.window.start, piece.window.stop
                offsets = encoded[piece.text].offsets
                here = row[offsets[start + 1 : stop + 1] - offsets[start]]
                # A text's windows come in one order, whatever they are computed together with,
                # or sums would differ in their last bits.
                logits[piece.text][start:stop] += here * piece.share[:, None]
                read[piece.text][start:stop] += piece.share
        if not all(np.allclose(share, 1, atol=1e-4) for share in read):
            raise AssertionError("Some slots were read in part or never.")
        return [_softmax(rows / np.float32(self.card.temperature)) for rows in logits]

    def _pieces(self, text: int, encoded: Encoded) -> Iterator[_Piece]:
        card, offsets = self.card, encoded.offsets
        windows = plan_windows(
            encoded.lengths.tolist(), card.max_units, card.overlap, self._max_tokens
        )
        for window, share in zip(windows, shares(windows), strict=True):
            yield _Piece(text, window, share, int(offsets[window.stop] - offsets[window.start]))

    def _feed(self, batch: Sequence[_Piece], encoded: Sequence[Encoded]) -> np.ndarray:
        ids = np.full((len(batch), _padded(batch[0].tokens)), self.encoder.pad_id, np.int64)
        for row, piece in zip(ids, batch, strict=True):
            e = encoded[piece.text]
            start, stop = e.offsets[piece.window.start], e.offsets[piece.window.stop]
            row[0] = self.encoder.cls_id
            row[1 : piece.tokens + 1] = e.ids[start:stop]
            row[piece.tokens + 1] = self.encoder.sep_id
        return ids


def _padded(tokens: int) -> int:
    return -(-(tokens + 2) // BUCKET) * BUCKET


def _plan_batches(pieces: Iterable[_Piece]) -> list[list[_Piece]]:
    """Group windows of one padded length, so that nothing is padded for its neighbours."""
    batches: list[list[_Piece]] = []
    for piece in sorted(pieces, key=lambda piece: piece.tokens):
        length = _padded(piece.tokens)
        last = batches[-1] if batches else []
        if (
            last
            and _padded(last[0].tokens) == length
            and (len(last) + 1) * length <= (_TOKENS_A_BATCH)
        ):
            last.append(piece)
        else:
            batches.append([piece])
    return batches


def _softmax(logits: np.ndarray) -> np.ndarray:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True, initial=-np.inf))
    return powers / powers.sum(axis=1, keepdims=True)


_loaded: Final[dict[tuple, Future[Predictor]]] = {}
_looking: Final = threading.Lock()


def load_predictor(
    folder: Path | str, *, bfloat16: bool | None = None, overlap: int | None = None
) -> Predictor:
    """Load a model once a process; a folder whose files changed is loaded anew.

    Whoever asks for a model that is being loaded waits for it; nobody waits for another one.

    Parameters
    ----------
    folder : Path or str
        A model folder.
    bfloat16 : bool, optional
        As for `Predictor`. Figures are computed without it, so that they come out alike on
        every processor.
    overlap : int, optional
        As for `Predictor`.

    Returns
    -------
    Predictor
        Shared by all callers. The few used last are kept.

    Raises
    ------
    BrokenModel
        The folder is not a model folder, a file of it is damaged, or the overlap is not smaller
        than a window.
    """
    folder = Path(folder).resolve()
    key = (folder, _state(folder), bfloat16, overlap)
    with _looking:
        known = _loaded.pop(key, None)
        loading = known or Future()
        _loaded[key] = loading  # last in the order: used last
        # What is still being loaded stays, or it could be asked for and loaded a second time.
        done = [other for other, future in _loaded.items() if future.done() and other != key]
        for other in done[: max(0, len(_loaded) - _CACHED_PREDICTORS)]:
            del _loaded[other]
    if known is None:
        try:
            loading.set_result(Predictor(folder, bfloat16=bfloat16, overlap=overlap))
        except BaseException as error:
            with _looking:
                del _loaded[key]  # the next one tries again
            loading.set_exception(error)
    return loading.result()


def _state(folder: Path) -> tuple:
    """Describe a folder's own files: which they are, how large, and when they were written.

    All of them count, since tokenizers read files of many names; what begins with a dot doesn't,
    nor does the serving graph, which follows from the others.
    """
    with suppress(OSError):
        files = [file for file in folder.iterdir() if not file.name.startswith(".")]
        states = [(file.name, file.stat()) for file in sorted(files) if file.is_file()]
        return tuple((name, state.st_mtime_ns, state.st_size) for name, state in states)
    return ()


_NO_THRESHOLD: Final = 0.4


def fold_probabilities(probabilities: np.ndarray, marks: MarkSet, target: MarkSet) -> np.ndarray:
    """Give the probability of marks that a set lacks to their kin.

    Parameters
    ----------
    probabilities : ndarray of float, (n, len(marks))
        Rows that sum to 1.
    marks, target : MarkSet
        The order of the columns now, and wanted.

    Returns
    -------
    ndarray of float, (n, len(target))
        Rows that still sum to 1; marks that only `target` has get 0.
    """
    folded = np.zeros((len(probabilities), len(target)), probabilities.dtype)
    for column, name in enumerate(marks.names):
        folded[:, target.fold[name]] += probabilities[:, column]
    return folded


def choose(
    probabilities: np.ndarray,
    marks: MarkSet,
    thresholds: Mapping[str, float] | None = None,
    allowed: MarkSet | None = None,
) -> list[int]:
    """Decide on one mark a slot.

    A mark passes where its probability reaches its threshold; where others have one and it
    has none, that is 0.4. Of the marks that pass, the one that passes by the largest
    factor is put. Without any thresholds the likeliest mark is put.

    Parameters
    ----------
    probabilities : ndarray of float, (n, len(marks))
        As `Predictor.probabilities` or `fold_probabilities` gives them.
    marks : MarkSet
        The order of the columns.
    thresholds : mapping of str to float, optional
        Thresholds by mark name; those of other marks are ignored.
    allowed : MarkSet, optional
        Marks that may be put; the others count for their kin.

    Returns
    -------
    list of int
        n ids in `marks`.
    """
    if allowed is not None:
        names = MarkSet(tuple(name for name in marks.names if name in allowed.ids or name == NONE))
        chosen = choose(fold_probabilities(probabilities, marks, names), names, thresholds)
        return [marks.ids[names.names[i]] for i in chosen]
    probabilities = np.asarray(probabilities, np.float32)
    if not len(probabilities):
        return []
    limits = {name: limit for name, limit in (thresholds or {}).items() if name in marks.ids}
    if not limits:
        return probabilities.argmax(axis=1).tolist()
    needed = np.array([limits.get(name, _NO_THRESHOLD) for name in marks.names], np.float32)
    factors = probabilities / needed
    factors[factors < 1] = 0.0
    factors[:, 0] = 0.5  # NONE, where no mark passes
    return factors.argmax(axis=1).tolist()
