"""Ways to run one model, each in a process of its own, all asked the same."""

import atexit
import multiprocessing
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from model.predictor import Predictor
from model.processor import prepare_processor, threads_to_use
from model.units import unit_texts

_SECONDS_A_TURN = 0.3  # short answers are repeated
_SPINNING = 0.3


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


class _Tutorial:
    """The loop of common tutorials: dygraph, one text at a time, cut off at 256 tokens."""

    def __init__(self, folder: Path):
        from paddlenlp.transformers import AutoModelForTokenClassification, AutoTokenizer

        self.layer = AutoModelForTokenClassification.from_pretrained(str(folder))
        self.layer.eval()
        self.tokenizer = AutoTokenizer.from_pretrained(str(folder))

    def probabilities(self, unit_lists: list[list[str]]) -> list[np.ndarray]:
        import paddle

        answers = []
        for units in unit_lists:
            inputs = self.tokenizer(
                "".join(units), return_tensors="pd", max_length=256, truncation=True
            )
            with paddle.no_grad():
                logits = self.layer(**inputs)
            answers.append(paddle.nn.functional.softmax(logits, -1).numpy()[0, 1:-1])
        return answers


def _load(kind: str, folder: Path):
    if kind.startswith("tutorial"):
        return _Tutorial(folder)
    predictor = Predictor(folder, bfloat16=False if kind == "ours, float32" else None)
    if kind == "pytorch":
        predictor._runtime = _Torch(folder)  # type: ignore[assignment]
    if kind == "onnxruntime":
        # Beside nothing else: the model's own folder is not ours to write in.
        place = Path(tempfile.mkdtemp(prefix="interpunct-benchmark-"))
        atexit.register(shutil.rmtree, place, ignore_errors=True)
        predictor._runtime = _Onnx(folder, place / "torch.onnx")  # type: ignore[assignment]
    return predictor


def _serve(kind: str, folder: Path, asked: Connection) -> None:
    if kind == "tutorial":  # as people run it; the process that started this one was set up
        for name in (
            "MKL_DEBUG_CPU_TYPE",
            "OMP_NUM_THREADS",
            "MKL_NUM_THREADS",
            "FLAGS_use_stride_kernel",
            "GLOG_minloglevel",
        ):
            os.environ.pop(name, None)
    else:
        prepare_processor()
    engine = _load(kind, folder)
    asked.send("ready")
    while (texts := asked.recv()) is not None:
        unit_lists = [unit_texts(text) for text in texts]
        times: list[float] = []
        while sum(times) < _SECONDS_A_TURN:
            started = time.perf_counter()
            answers = engine.probabilities(unit_lists)
            times.append(time.perf_counter() - started)
        asked.send((float(np.median(times)), answers[0][:8]))


class Engine:
    """One way to run a model, in its own process, which rests while others are asked."""

    def __init__(self, kind: str, folder: Path):
        self.kind = kind
        here, there = multiprocessing.get_context("spawn").Pipe()
        self._process = multiprocessing.get_context("spawn").Process(
            target=_serve, args=(kind, folder, there), daemon=True
        )
        self._process.start()
        self._asked = here
        self._asked.recv()

    def seconds(self, texts: list[str]) -> tuple[float, np.ndarray]:
        """Time a turn of answers; return the median seconds of one and the first rows of it."""
        # The threads of the engine asked before spin for a while after its last answer.
        time.sleep(_SPINNING)
        self._asked.send(texts)
        return self._asked.recv()

    def close(self) -> None:
        self._asked.send(None)
        self._process.join()
