"""What a training run of the starter depends on."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a run depends on; kept with it and written into the model card.

    Attributes
    ----------
    tokens_a_step : int
        Sub-tokens in a batch, padding included.
    peak, floor : float
        Learning rate while it stays, and what it falls to, as a share of `peak`.
    layer_rate : float
        The rate of a layer, as a share of that of the layer above it; the lowest layers know
        most of what holds for any text, and keep more of it.
    head_rate : float
        The head's rate, as a share of that of the top layer.
    learn_words : bool
        Whether word and position embeddings learn. Where they don't, a word that the training
        text lacks stays where its neighbours are.
    dropout : float
        Share of the values that each layer loses in training.
    edge : int
        Slots at the cut end of a window that are not learned from: they have little context on
        their right, and serving gives them little weight.
    """

    vocabulary: int = 24_000
    layers: tuple[int, ...] = tuple(range(10))
    window: int = 160
    tokens_a_step: int = 2048
    peak: float = 2e-4
    floor: float = 0.02
    warm_up: int = 400
    weight_decay: float = 0.01
    clip: float = 1.0
    ema: float = 0.998
    layer_rate: float = 0.93
    head_rate: float = 5.0
    learn_words: bool = False
    dropout: float = 0.1
    edge: int = 6
    seed: int = 20
