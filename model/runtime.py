"""Paddle Inference with oneDNN: a few threads, each with its own clone of one predictor.

Callers may come from any number of threads. They hand their batches to the few that
compute, so weights are in memory once, working memory does not grow with callers, and
eight callers never fight over two cores.
"""

import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import numpy as np

from model.processor import prepare_processor, usable_cores

# A small encoder gains little from more threads on one batch; more cores take more batches.
_THREADS_A_CLONE: Final = 4


class Runtime:
    """A serving graph that can be run from any thread.

    Parameters
    ----------
    graph : Path
        The folder with ``model.json`` and ``model.pdiparams``.
    threads : int, optional
        Processor threads in all; all usable cores if None.
    bfloat16 : bool
        Multiply in bfloat16 where the processor can.
    """

    def __init__(self, graph: Path, threads: int | None = None, *, bfloat16: bool = False):
        prepare_processor()
        threads = threads or usable_cores()
        each = min(threads, _THREADS_A_CLONE)
        self.clones = threads // each
        self._first = _create(graph, each, bfloat16)
        self._cloning = threading.Lock()
        self._own = threading.local()
        self._threads = ThreadPoolExecutor(self.clones, thread_name_prefix="punctuation")

    def run(self, feeds: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
        """Run batches, in order, several at a time where there are cores for it.

        Only a few batches of a caller wait at a time, so that somebody with one sentence is
        not behind all of somebody else's book.

        Parameters
        ----------
        feeds : iterable of ndarray of int64, (batch, length)
            Ids, padded.

        Yields
        ------
        ndarray of float32, (batch, length, marks)
            Logits.
        """
        waiting: deque[Future[np.ndarray]] = deque()
        try:
            for feed in feeds:
                waiting.append(self._threads.submit(self._compute, feed))
                if len(waiting) > self.clones:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()

    def _compute(self, ids: np.ndarray) -> np.ndarray:
        predictor = getattr(self._own, "predictor", None)
        if predictor is None:
            with self._cloning:
                predictor = self._own.predictor = self._first.clone()
        handle = predictor.get_input_handle("ids")
        handle.reshape(ids.shape)
        handle.copy_from_cpu(ids)
        predictor.run()
        name = predictor.get_output_names()[0]
        return predictor.get_output_handle(name).copy_to_cpu()


def _create(graph: Path, threads: int, bfloat16: bool) -> Any:
    from paddle import inference

    config = inference.Config(str(graph / "model.json"), str(graph / "model.pdiparams"))
    config.disable_gpu()
    config.disable_glog_info()
    config.enable_mkldnn()
    config.set_cpu_math_library_num_threads(threads)
    if bfloat16:
        config.enable_mkldnn_bfloat16()
    return inference.create_predictor(config)
