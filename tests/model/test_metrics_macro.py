"""Macro figures against scikit-learn, where some marks are on one side only or on none."""

import numpy as np
import pytest
from sklearn.metrics import precision_recall_fscore_support

from model.evaluation import evaluate_labels
from model.marks import ALL_MARKS

SETS = [
    ((0, 1, 2, 3), (0, 1, 2, 3)),
    ((0, 1, 2, 3), (0, 1)),  # never predicted
    ((0, 1), (0, 1, 2, 3)),  # never there
    ((0, 1, 2), (0, 3, 4)),
    ((0, 1), (0,)),
    ((0,), (0, 1)),
]


@pytest.mark.parametrize(("there", "put"), SETS)
def test_each_macro_figure_is_the_mean_where_it_has_a_meaning(there, put):
    rng = np.random.default_rng(3)
    gold, predicted = rng.choice(there, 300), rng.choice(put, 300)
    macro = evaluate_labels([gold], [predicted], ALL_MARKS).macro
    expected = precision_recall_fscore_support(
        gold, predicted, labels=range(1, len(ALL_MARKS)), average="macro", zero_division=np.nan
    )
    for ours, theirs in zip((macro.precision, macro.recall, macro.f1), expected, strict=False):
        assert (ours is None and np.isnan(theirs)) or ours == pytest.approx(theirs)
