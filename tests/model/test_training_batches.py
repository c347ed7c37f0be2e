import numpy as np
import pytest

from model.encoding import Encoder
from model.training_batches import IGNORED, cut_pieces, padded, plan_batches


class Letters:
    """A tokenizer of which every letter is a sub-token: what windows and labels do is plain."""

    cls_token_id, sep_token_id, pad_token_id, unk_token_id = 1, 2, 0, 3

    def tokenize(self, text):
        return list(text)

    def convert_tokens_to_ids(self, tokens):
        return [10 + ord(token) for token in tokens]


@pytest.fixture
def encoder():
    return Encoder(Letters(), lowercase=True)


def test_the_label_sits_on_the_last_sub_token(encoder):
    (piece,) = cut_pieces([["Ja", "x", "nee"]], [[1, 0, 2]], encoder, max_units=256, overlap=32)
    assert piece.ids.tolist() == [1, *(10 + ord(c) for c in "jaxnee"), 2]
    assert piece.labels.tolist() == [-100, -100, 1, 0, -100, -100, 2, -100]


def test_every_slot_of_a_long_text_is_labelled_once(encoder):
    rng = np.random.default_rng(0)
    units = [["ab" * int(n) for n in rng.integers(1, 9, 700)], [], ["x"]]
    labels = [rng.integers(0, 4, 700).tolist(), [], [3]]
    pieces = cut_pieces(units, labels, encoder, max_units=64, overlap=16)
    assert len(pieces) > 11
    found = {0: [], 2: []}
    for piece in pieces:
        kept = piece.labels[piece.labels != IGNORED]
        assert len(kept) == piece.stop - piece.start
        assert len(piece.ids) == len(piece.labels) <= 512
        found[piece.text] += kept.tolist()
    assert found == {0: labels[0], 2: [3]}


def test_to_be_read_a_slot_stands_in_every_window_that_holds_it(encoder):
    labels = np.random.default_rng(0).integers(0, 4, 300)
    pieces = cut_pieces(
        [["ab", "c"] * 150], [labels.tolist()], encoder, max_units=64, overlap=48, reading=True
    )
    times, total = np.zeros(300), np.zeros(300)
    for piece in pieces:
        assert (piece.labels[piece.labels != IGNORED] == labels[piece.start : piece.stop]).all()
        times[piece.start : piece.stop] += 1
        total[piece.start : piece.stop] += piece.share
    assert set(times[48:-48]) == {4}
    np.testing.assert_allclose(total, 1, atol=1e-6)


def test_a_model_that_reads_slots_often_still_learns_from_each_once(encoder):
    units, labels = [["a"] * 700], [np.random.default_rng(0).integers(0, 4, 700).tolist()]
    often, seldom = (
        cut_pieces(units, labels, encoder, max_units=64, overlap=overlap) for overlap in (60, 16)
    )
    assert [piece.ids.tolist() for piece in often] == [piece.ids.tolist() for piece in seldom]
    assert [piece.labels.tolist() for piece in often] == [p.labels.tolist() for p in seldom]
    learned = [mark for piece in often for mark in piece.labels[piece.labels != IGNORED]]
    assert learned == labels[0]


def test_batches_hold_everything_once_and_little_padding():
    lengths = np.random.default_rng(1).integers(5, 258, 1000)
    batches = plan_batches(lengths, batch_size=8, least_tokens=512, seed=3, epoch=0)
    assert sorted(np.concatenate(batches).tolist()) == list(range(1000))
    held = sum(len(batch) * lengths[batch].max() for batch in batches)
    assert held < 1.06 * lengths.sum()
    assert all(len(b) <= 8 or len(b) * lengths[b].max() <= 512 for b in batches)


def test_short_turns_are_put_together():
    batches = plan_batches([12] * 400, batch_size=8, least_tokens=512, seed=0, epoch=0)
    assert {len(batch) for batch in batches} == {42, 400 % 42}


def test_the_order_follows_from_seed_and_epoch():
    def order(seed, epoch):
        lengths = list(range(5, 205))
        plan = plan_batches(lengths, batch_size=8, least_tokens=64, seed=seed, epoch=epoch)
        return [batch.tolist() for batch in plan]

    assert order(1, 0) == order(1, 0)
    assert order(1, 0) != order(1, 1)
    assert order(1, 0) != order(2, 0)


def test_padding_has_no_label(encoder):
    pieces = cut_pieces([["abc"], ["a"]], [[1], [2]], encoder, max_units=9, overlap=2)
    ids, labels = padded(pieces, encoder.pad_id)
    assert ids.tolist() == [[1, 107, 108, 109, 2], [1, 107, 2, 0, 0]]
    assert labels.tolist() == [[-100, -100, -100, 1, -100], [-100, 2, -100, -100, -100]]
