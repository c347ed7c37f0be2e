"""Bootstrap over texts, from counts that are made once a text.

Slots of one text are not independent, so whole texts are drawn (Efron and Tibshirani,
1993, chapter 8; for paired comparisons Koehn, 2004, "Statistical significance tests for
machine translation evaluation").
"""

from typing import Final

import numpy as np
from scipy.stats import binomtest

RESAMPLES: Final = 2_000
_AT_ONCE: Final = 1_000_000  # draws held in memory at a time

Interval = tuple[float, float]


def resampled_sums(counts: np.ndarray, *, resamples: int = RESAMPLES, seed: int = 0) -> np.ndarray:
    """Sum the counts of texts that are drawn with replacement, many times.

    Parameters
    ----------
    counts : ndarray of float or int, shape (n_texts, n_counts)
        What was counted in each text.
    resamples : int
        How many times n_texts texts are drawn.
    seed : int
        The same seed draws the same texts, so that two systems are compared in pairs by
        putting their counts side by side in one array.

    Returns
    -------
    ndarray of float64, shape (resamples, n_counts)
        The sums.
    """
    n_texts = len(counts)
    rng = np.random.default_rng(seed)
    values = np.ascontiguousarray(counts, dtype=np.float64)
    step = max(1, _AT_ONCE // max(n_texts, 1))
    sums = np.empty((resamples, values.shape[1]))
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        drawn = rng.integers(0, n_texts, size=(rows, n_texts), dtype=np.int32)
        drawn += np.arange(rows, dtype=np.int32)[:, None] * n_texts
        times = np.bincount(drawn.ravel(), minlength=rows * n_texts).reshape(rows, n_texts)
        sums[start : start + rows] = times @ values
    return sums


def interval(samples: np.ndarray, level: float = 0.95) -> Interval | None:
    """Percentile interval of bootstrap samples; undefined samples (NaN) are left out.

    Parameters
    ----------
    samples : ndarray of float, shape (resamples,)
        One figure a resample.
    level : float
        Share of the samples inside the interval.

    Returns
    -------
    (float, float) or None
        None when no sample is defined.
    """
    defined = samples[~np.isnan(samples)]
    if not len(defined):
        return None
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def rate_interval(
    successes: int, trials: int, *, resamples: int = RESAMPLES, seed: int = 0
) -> Interval | None:
    """Bootstrap interval of a share of texts, for example of flawless ones.

    Drawing texts with replacement and counting the flawless ones is a binomial draw. When
    all texts are alike a bootstrap would claim certainty from however few there are; there
    the exact interval of Clopper and Pearson (1934) takes its place.

    Parameters
    ----------
    successes, trials : int
        How many texts are flawless, of how many.
    resamples, seed : int
        As in `resampled_sums`.

    Returns
    -------
    (float, float) or None
        None when there are no texts.
    """
    if not trials:
        return None
    if successes in (0, trials):
        exact = binomtest(successes, trials).proportion_ci(method="exact")
        return float(exact.low), float(exact.high)
    draws = np.random.default_rng(seed).binomial(trials, successes / trials, resamples)
    return interval(draws / trials)
