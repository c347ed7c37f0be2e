"""Coefficients against hand-worked values, other people's programs, and their edges."""

import warnings

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import f1_score

from labeling.agreement import measure_agreement
from labeling.answers import MISSING, Answer, Shared, share
from labeling.boundaries import boundary_edits, similarity
from labeling.coefficients import Agreement, Coefficient

MARKS = ("NONE", "COMMA", "PERIOD", "QUESTION")


def shared_of(*transcripts: list[str]) -> Shared:
    """Make answers from strings such as ``0102``, one an annotator; ``-``: did not submit."""
    answers = [
        Answer(transcript, annotator, np.array([int(c) for c in given], dtype=np.uint8))
        for transcript, row in enumerate(transcripts, start=1)
        for annotator, given in enumerate(row, start=1)
        if given != "-"
    ]
    return share(answers)


def measured(*transcripts: list[str], **options) -> Agreement:
    return measure_agreement(shared_of(*transcripts), MARKS, **{"resamples": 200, **options})


def simulated(n_transcripts=60, n_annotators=4, drop=0.4, seed=0) -> Shared:
    rng = np.random.default_rng(seed)
    chances = [0.8, 0.1, 0.07, 0.03]
    answers = []
    for transcript in range(n_transcripts):
        truth = rng.choice(4, rng.integers(1, 30), p=chances)
        for annotator in range(n_annotators):
            if rng.random() < drop:
                continue
            own = np.where(
                rng.random(len(truth)) < 0.2, rng.choice(4, len(truth), p=chances), truth
            )
            answers.append(Answer(transcript, annotator, own.astype(np.uint8)))
    return share(answers)


def reliability(shared: Shared) -> np.ndarray:
    return np.where(shared.labels == MISSING, np.nan, shared.labels.astype(float))


def test_alpha_by_hand():
    # Two people, ten slots, four marks.
    a = "0110122133"
    b = "1110122332"
    found = measured([a, b])
    package = krippendorff.alpha(
        [list(map(int, a)), list(map(int, b))], level_of_measurement="nominal"
    )
    # n = 20, sizes 0: 3, 1: 8, 2: 5, 3: 4; three of ten pairs differ, so D_o = 6.
    by_hand = 1 - 19 * 6 / (20**2 - (3**2 + 8**2 + 5**2 + 4**2))
    assert found.alpha.value == pytest.approx(by_hand) == pytest.approx(package)


@pytest.mark.parametrize("seed", range(4))
def test_alpha_is_that_of_the_krippendorff_package(seed):
    shared = simulated(seed=seed)
    table = reliability(shared)
    found = measure_agreement(shared, MARKS, resamples=10)
    assert found.alpha.value == pytest.approx(
        krippendorff.alpha(table, level_of_measurement="nominal")
    )
    for i, mark in enumerate(found.marks, start=1):
        one = np.where(np.isnan(table), np.nan, table == i)
        expected = krippendorff.alpha(one, level_of_measurement="nominal")
        assert mark.alpha.value == pytest.approx(expected)


def test_specific_agreement_of_two_is_the_f1_of_one_against_the_other():
    shared = simulated(n_annotators=2, drop=0.0)
    found = measure_agreement(shared, MARKS, resamples=10)
    f1 = f1_score(shared.labels[0], shared.labels[1], labels=[1, 2, 3], average=None)
    assert [mark.specific.value for mark in found.marks] == pytest.approx(f1.tolist())


def test_specific_agreement_of_three_by_hand():
    # Commas chosen by 3, 2 and 1 of three people: 3*2 + 2*1 + 0 agreeing of 6*2 possible pairs.
    found = measured(["1110", "1100", "1000"])
    assert found.marks[0].specific.value == pytest.approx(8 / 12)
    assert found.marks[0].placed == 6


def test_ac1_by_hand():
    # Two people, ten slots, 9 agree on NONE and 1 differs: p_a = 0.9, shares 0.95 and 0.05,
    # p_e = (0.95*0.05 + 0.05*0.95 + 0 + 0) / 3.
    found = measured(["0000000000", "0000000001"])
    by_chance = 2 * 0.95 * 0.05 / 3
    assert found.ac1.value == pytest.approx((0.9 - by_chance) / (1 - by_chance))
    assert found.alpha.value is not None
    assert found.alpha.value < 0.05 < 0.89 < found.ac1.value, (
        "prevalence: alpha falls, AC1 does not"
    )


def test_ac1_of_unequal_numbers_of_people():
    # Slot shares: (2/3, 1/3) where three people answered, (1/2, 1/2) where two did.
    found = measured(["0", "0", "1"], ["0", "1", "-"])
    agreed = (1 / 3 + 0) / 2
    none, comma = (2 / 3 + 1 / 2) / 2, (1 / 3 + 1 / 2) / 2
    by_chance = (none * (1 - none) + comma * (1 - comma)) / 3
    assert found.ac1.value == pytest.approx((agreed - by_chance) / (1 - by_chance))


def test_kappa_by_hand_and_by_pair():
    found = measured(["0011", "0001", "-"], ["0", "0", "0"])
    first = next(pair for pair in found.pairs if (pair.a, pair.b) == (1, 2))
    # Five slots: four agree; by chance 3/5 * 4/5 + 2/5 * 1/5.
    by_chance = 3 / 5 * 4 / 5 + 2 / 5 * 1 / 5
    assert first.kappa.value == pytest.approx((0.8 - by_chance) / (1 - by_chance))
    assert (first.n_transcripts, first.n_slots) == (2, 5)
    other = next(pair for pair in found.pairs if (pair.a, pair.b) == (1, 3))
    assert (other.n_transcripts, other.n_slots, other.kappa.value) == (1, 1, None)
    assert other.kappa.reason == "n/a: both chose NONE in every slot"


@pytest.mark.parametrize(
    ("a", "b", "edits"),
    [
        ("0100", "0100", [1, 0, 0, 0]),
        ("0100", "0000", [0, 1, 0, 0]),
        ("0100", "0010", [0, 0, 1, 0]),
        ("0100", "0001", [0, 2, 0, 0]),
        ("0100", "0200", [0, 0, 0, 1]),
        ("0120", "0210", [0, 0, 0, 2]),
        ("1010", "0101", [0, 0, 2, 0]),
        ("1100", "0110", [1, 2, 0, 0]),
        ("1020", "0102", [0, 0, 2, 0]),
    ],
)
def test_boundary_edits(a, b, edits):
    arrays = [np.array([int(c) for c in s], dtype=np.uint8) for s in (a, b)]
    for first, second in (arrays, arrays[::-1]):
        assert boundary_edits(first, second, np.array([0])).tolist() == [edits]


def test_a_mark_does_not_move_into_the_next_transcript():
    a, b = np.array([0, 1, 0, 0], np.uint8), np.array([0, 0, 1, 0], np.uint8)
    assert boundary_edits(a, b, np.array([0, 2])).tolist() == [[0, 1, 0, 0], [0, 1, 0, 0]]


def test_boundary_similarity_gives_half_for_a_near_miss():
    # Fournier 2013: one match, one near miss, one full miss: 1 - (1 + 1/2) / 3.
    assert similarity(np.array([1, 1, 1, 0])) == pytest.approx(0.5)
    found = measured(["01000100010", "01000010000"])
    assert found.boundary.value == pytest.approx(0.5)
    assert found.edits == {"matched": 1, "missed": 1, "moved": 1, "other_mark": 0}


def is_undefined(coefficient: Coefficient) -> bool:
    none = coefficient.value is coefficient.low is coefficient.high is None
    return none and coefficient.reason.startswith("n/a: ")


def test_people_without_a_transcript_in_common_have_no_agreement():
    found = measured(["010", "-"], ["-", "010"])
    for coefficient in (found.alpha, found.ac1, found.boundary, found.marks[0].specific):
        assert is_undefined(coefficient)
        assert "two or more people" in coefficient.reason
    assert (found.n_transcripts, found.n_slots, found.pairs) == (0, 0, [])


def test_nothing_at_all_has_no_agreement():
    assert is_undefined(measured().alpha)


def test_one_category_is_undefined_and_not_one():
    found = measured(["000", "000"], ["00", "00"])
    for coefficient in (found.alpha, found.ac1, found.boundary, found.pairs[0].kappa):
        assert is_undefined(coefficient)
    assert found.alpha.reason == "n/a: everybody chose NONE in every slot"
    assert found.marks[0].alpha.reason == "n/a: nobody chose COMMA"
    all_commas = measured(["11", "11"])
    assert all_commas.alpha.reason == "n/a: everybody chose COMMA in every slot"
    assert is_undefined(all_commas.marks[0].alpha)
    assert all_commas.marks[0].specific.value == 1


def test_full_agreement_is_one_and_claims_no_certainty():
    found = measured(["0102", "0102"], ["010", "010"], ["02", "02"])
    assert found.alpha.value == 1
    assert found.boundary.value == 1
    assert found.alpha.low is None
    assert found.alpha.interval_reason.startswith("n/a: ")


def test_one_transcript_has_no_interval():
    found = measured(["0102", "0112"])
    assert found.alpha.value is not None
    assert found.alpha.interval_reason == "n/a: it takes two or more transcripts"


def test_a_mark_that_few_transcripts_hold_has_no_interval():
    found = measured(*[["00", "00"]] * 20, ["10", "11"])
    assert found.marks[0].alpha.value is not None
    assert found.marks[0].alpha.interval_reason == "n/a: too few transcripts hold these marks"


def test_who_skipped_a_transcript_is_missing_there_and_not_none():
    with_third = measured(["0101", "0101", "-"], ["0110", "0010", "0111"])
    table = reliability(shared_of(["0101", "0101", "-"], ["0110", "0010", "0111"]))
    assert with_third.alpha.value == pytest.approx(
        krippendorff.alpha(table, level_of_measurement="nominal")
    )
    assert with_third.n_annotators == 3


def test_transcripts_of_one_person_do_not_count():
    alone = ["1111", "-"]
    both = ["0101", "0100"]
    assert measured(both, alone).alpha.value == measured(both).alpha.value


def test_the_interval_is_that_of_drawing_transcripts():
    shared = simulated(n_transcripts=80, n_annotators=3, drop=0.0)
    found = measure_agreement(shared, MARKS, resamples=1000)
    rng = np.random.default_rng(5)
    table = reliability(shared)
    spans = [slice(a, b) for a, b in zip(shared.starts, shared.starts[1:], strict=False)]
    drawn = []
    for _ in range(300):
        chosen = rng.integers(0, len(spans), len(spans))
        columns = np.concatenate([table[:, spans[i]] for i in chosen], axis=1)
        drawn.append(krippendorff.alpha(columns, level_of_measurement="nominal"))
    low, high = np.quantile(drawn, [0.025, 0.975])
    assert found.alpha.low == pytest.approx(low, abs=0.02)
    assert found.alpha.high == pytest.approx(high, abs=0.02)


def test_the_same_answers_give_the_same_report_and_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first, second = (measure_agreement(simulated(), MARKS, resamples=100) for _ in range(2))
    assert first.as_dict() == second.as_dict()


def test_answers_that_differ_in_length_are_refused():
    with pytest.raises(ValueError, match="transcript 1 differ in length"):
        shared_of(["01", "010"])
