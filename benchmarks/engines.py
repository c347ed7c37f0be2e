"""Ways to run one model, each in a process of its own, all asked the same."""

import atexit
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.processes import USERS_OWN, Side, forget_set_up
from benchmarks.report import serving_threads
from model.predictor import Predictor
from model.processor import prepare_processor, threads_to_use
from model.units import unit_texts

_SECONDS_A_TURN = 0.3  # short answers are repeated
_TUTORIAL_TOKENS = 256


class Answer(NamedTuple):
    """What an engine made of the texts of one turn.

    Attributes
    ----------
    seconds : float
        For all texts once: the median of the times that they were done in the turn.
    slots : int
        Rows of probabilities or logits that came back.
    first : ndarray of float32, (8 or fewer, marks)
        The first of them.
    """

    seconds: float
    slots: int
    first: np.ndarray


class _Torch:
    """PyTorch on the windows and batches that our engine makes."""

    def __init__(self, folder: Path):
        import torch

        from benchmarks.torch_bert import load_torch_bert

        torch.set_num_threads(threads_to_use())
        self._torch = torch
        self.layer = load_torch_bert(folder)

    def run(self, feeds: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
        for ids in feeds:
            mask = np.where(ids == 0, np.float32(-1e4), np.float32(0))[:, None, None]
            with self._torch.inference_mode():
                out = self.layer(self._torch.from_numpy(ids), self._torch.from_numpy(mask))
            yield out.numpy()


class _Onnx:
    """ONNX Runtime on the windows and batches that our engine makes."""

    def __init__(self, folder: Path, graph: Path):
        import onnxruntime

        if not graph.is_file():
            self._export(folder, graph)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads_to_use()
        self._session = onnxruntime.InferenceSession(
            str(graph), options, providers=["CPUExecutionProvider"]
        )

    @staticmethod
    def _export(folder: Path, graph: Path) -> None:
        import torch

        from benchmarks.torch_bert import load_torch_bert

        inputs = (torch.ones(2, 16, dtype=torch.int64), torch.zeros(2, 1, 1, 16))
        torch.onnx.export(
            load_torch_bert(folder),
            inputs,
            str(graph),
            input_names=["ids", "mask"],
            dynamic_axes={"ids": {0: "batch", 1: "length"}, "mask": {0: "batch", 3: "length"}},
            opset_version=17,
            dynamo=False,
        )

    def run(self, feeds: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
        for ids in feeds:
            mask = np.where(ids == 0, np.float32(-1e4), np.float32(0))[:, None, None]
            yield self._session.run(None, {"ids": ids, "mask": mask})[0]


class TutorialLoop:
    """The loop of common tutorials: dygraph, one text at a time, one window after another.

    A tutorial cuts a text off at 256 sub-tokens. To do all of the text, as every engine here
    does, this loop takes it in consecutive windows of that length, [CLS] and [SEP] counted:
    each window alone, the next one beginning where the one before ended, and no slot read
    twice. So it gives each slot less to go by than our windows, which overlap, and has less to
    do: of a long text we read each slot up to four times.

    Parameters
    ----------
    folder : Path
        A PaddleNLP folder.
    """

    def __init__(self, folder: Path):
        from paddlenlp.transformers import AutoModelForTokenClassification, AutoTokenizer
        from paddlenlp.utils.log import logger

        logger.set_level("ERROR")  # nothing between the lines of the table
        self.layer = AutoModelForTokenClassification.from_pretrained(str(folder))
        self.layer.eval()
        self.tokenizer = AutoTokenizer.from_pretrained(str(folder))

    def answer(self, texts: Sequence[str]) -> list[np.ndarray]:
        """Return, for each text, the probabilities after each of its sub-tokens."""
        return [self._answer(text) for text in texts]

    def _answer(self, text: str) -> np.ndarray:
        import paddle

        ids = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        room = _TUTORIAL_TOKENS - 2
        rows = []
        for start in range(0, len(ids), room):
            window = self.tokenizer.build_inputs_with_special_tokens(ids[start : start + room])
            with paddle.no_grad():
                logits = self.layer(input_ids=paddle.to_tensor([window]))
            rows.append(paddle.nn.functional.softmax(logits, -1).numpy()[0, 1:-1])
        return np.concatenate(rows)


def _load(kind: str, folder: Path) -> tuple[Callable[[list[str]], list[np.ndarray]], int]:
    """Return what answers texts, and with how many threads it computes."""
    if kind.startswith("tutorial"):
        loop = TutorialLoop(folder)
        # Loading Paddle sets how many threads it takes, where nobody has: one.
        plain = kind == "tutorial"
        return loop.answer, int(os.environ["OMP_NUM_THREADS"]) if plain else threads_to_use()
    predictor = Predictor(folder, bfloat16=False if kind == "ours, float32" else None)
    threads = serving_threads()
    if kind == "pytorch":
        predictor._runtime, threads = _Torch(folder), threads_to_use()  # type: ignore[assignment]
    if kind == "onnxruntime":
        # Beside nothing else: the model's own folder is not ours to write in.
        place = Path(tempfile.mkdtemp(prefix="interpunct-benchmark-"))
        atexit.register(shutil.rmtree, place, ignore_errors=True)
        runtime, threads = _Onnx(folder, place / "torch.onnx"), threads_to_use()
        predictor._runtime = runtime  # type: ignore[assignment]
    return lambda texts: predictor.probabilities([unit_texts(text) for text in texts]), threads


def _serve(kind: str, folder: Path, users_own: Mapping[str, str], asked: Connection) -> None:
    forget_set_up(users_own)
    if kind != "tutorial":  # that one is as people run it
        prepare_processor()
    answer, threads = _load(kind, folder)
    asked.send(threads)
    while (texts := asked.recv()) is not None:
        times: list[float] = []
        while sum(times) < _SECONDS_A_TURN:
            started = time.perf_counter()
            answers = answer(texts)
            times.append(time.perf_counter() - started)
        asked.send(Answer(float(np.median(times)), sum(map(len, answers)), answers[0][:8]))


def start_engine(kind: str, folder: Path) -> Side:
    """Start a process that runs a model in one way.

    Parameters
    ----------
    kind : str
        ``ours``, ``ours, float32``, ``tutorial``, ``tutorial, set up``, ``onnxruntime`` or
        ``pytorch``.
    folder : Path
        The model.

    Returns
    -------
    Side
        Asked with texts, it gives an `Answer`.
    """
    return Side(kind, _serve, kind, folder, USERS_OWN)
