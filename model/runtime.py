"""Paddle Inference with oneDNN: one thread that computes, for callers from any thread.

Callers hand their batches over, so weights and working memory are there once however many
callers there are, and eight callers never fight over two cores. A second clone of the
predictor would not compute beside the first: Paddle holds Python's lock while it runs. So
one run gets all the processor threads.
"""

import logging
import os
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import numpy as np

from model.processor import (
    bfloat16_to_use,
    prepare_processor,
    reuse_freed_memory,
    threads_to_use,
)

log = logging.getLogger(__name__)
_MOST_THREADS: Final = 8  # a small encoder's batch gains little from more
_WAITING: Final = 2
_NOTES: Final = "GLOG_minloglevel"  # from which level on Paddle shows its notes


class Runtime:
    """A serving graph that can be run from any thread.

    Parameters
    ----------
    graph : Path
        The folder with ``model.json`` and ``model.pdiparams``.
    threads : int, optional
        Processor threads; where None, what ``OMP_NUM_THREADS`` says, or else the usable cores,
        eight at most.
    bfloat16 : bool, optional
        Multiply in bfloat16; where None, as `model.processor.bfloat16_to_use` says.
    """

    def __init__(self, graph: Path, threads: int | None = None, *, bfloat16: bool | None = None):
        prepare_processor()
        reuse_freed_memory()
        threads = threads or threads_to_use(_MOST_THREADS)
        bfloat16 = bfloat16_to_use() if bfloat16 is None else bfloat16
        log.info("%s: %s on %d threads", graph, "bfloat16" if bfloat16 else "float32", threads)
        self._predictor = _create(graph, threads, bfloat16)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="punctuation")

    def run(self, feeds: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
        """Run batches, in order.

        Only two batches of a caller wait at a time, so that somebody with one sentence is
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
                waiting.append(self._thread.submit(self._compute, feed))
                if len(waiting) == _WAITING:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()

    def _compute(self, ids: np.ndarray) -> np.ndarray:
        predictor = self._predictor
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
    if os.environ.get(_NOTES) not in ("0", "1"):  # nobody asks to see them
        config.disable_glog_info()
    config.enable_mkldnn()
    config.set_cpu_math_library_num_threads(threads)
    if bfloat16:
        config.enable_mkldnn_bfloat16()
    return inference.create_predictor(config)
