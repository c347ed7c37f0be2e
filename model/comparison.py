"""What a paired comparison of two models found, in figures and in words."""

from dataclasses import asdict, dataclass
from typing import Any, Final

from model.bootstrap import Interval

# The smallest number of texts in which "all of them got better" is itself beyond chance at 95 %
# (two-sided sign test: 2 * 0.5 ** 6 = 0.03); with fewer, a bootstrap claims too much.
FEWEST_TEXTS: Final = 6


@dataclass(frozen=True)
class Comparison:
    """Marks before and after, over the same texts.

    Attributes
    ----------
    micro_before, micro_after, micro_difference : float or None
        Micro F1 from 0 to 1, and after minus before.
    micro_interval : (float, float) or None
        95 % of the difference, by paired bootstrap over texts.
    flawless_before, flawless_after, flawless_difference, flawless_interval
        The same of the share of flawless texts.
    n_texts : int
        Texts with at least one slot.
    decisive : bool
        Whether the micro F1's interval leaves out 0 and there are enough texts to trust it.
    """

    micro_before: float | None
    micro_after: float | None
    micro_difference: float | None
    micro_interval: Interval | None
    flawless_before: float | None
    flawless_after: float | None
    flawless_difference: float | None
    flawless_interval: Interval | None
    n_texts: int
    decisive: bool

    @property
    def better(self) -> bool:
        """Whether the new marks are better beyond chance."""
        return self.decisive and (self.micro_difference or 0) > 0

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values, `better` among them."""
        return asdict(self) | {
            "micro_interval": self.micro_interval and list(self.micro_interval),
            "flawless_interval": self.flawless_interval and list(self.flawless_interval),
            "better": self.better,
        }

    def words(self, language: str = "en") -> str:
        """Say in one plain sentence what the comparison shows.

        Parameters
        ----------
        language : str
            ``en``, ``nl`` or ``zh``; anything else is English.
        """
        sentences = _SENTENCES.get(language, _SENTENCES["en"])
        low, high = (100 * bound for bound in self.micro_interval or (0.0, 0.0))
        points = 100 * (self.micro_difference or 0.0)
        which = (
            "nothing"
            if self.micro_interval is None
            else "few"
            if self.n_texts < FEWEST_TEXTS
            else "same"
            if low == high == 0
            else "open"
            if not self.decisive
            else "better"
            if points > 0
            else "worse"
        )
        return sentences[which].format(
            n=self.n_texts, low=low, high=high, size=abs(points), least=FEWEST_TEXTS
        )


_SENTENCES: Final = {
    "en": {
        "nothing": "The test set of {n} transcripts has no marks to compare.",
        "few": "The test set of {n} transcripts is too small to decide: it takes at least {least}.",
        "same": "The two models put the same marks, or equally good ones, in all {n} transcripts.",
        "open": "The test set of {n} transcripts is too small to decide: the difference lies "
        "between {low:+.1f} and {high:+.1f} points.",
        "better": "The new model is better by {size:.1f} points (between {low:+.1f} and "
        "{high:+.1f}) on {n} transcripts.",
        "worse": "The new model is worse by {size:.1f} points (between {low:+.1f} and "
        "{high:+.1f}) on {n} transcripts.",
    },
    "nl": {
        "nothing": "De testset van {n} transcripten bevat geen leestekens om te vergelijken.",
        "few": "De testset van {n} transcripten is te klein om te beslissen: er zijn er minstens "
        "{least} nodig.",
        "same": "De twee modellen zetten in alle {n} transcripten dezelfde of even goede "
        "leestekens.",
        "open": "De testset van {n} transcripten is te klein om te beslissen: het verschil ligt "
        "tussen {low:+.1f} en {high:+.1f} punten.",
        "better": "Het nieuwe model is {size:.1f} punten beter (tussen {low:+.1f} en {high:+.1f}) "
        "op {n} transcripten.",
        "worse": "Het nieuwe model is {size:.1f} punten slechter (tussen {low:+.1f} en "
        "{high:+.1f}) op {n} transcripten.",
    },
    "zh": {
        "nothing": "测试集的 {n} 篇文本中没有可以比较的标点。",
        "few": "测试集只有 {n} 篇文本，太小，无法判断：至少需要 {least} 篇。",
        "same": "两个模型在全部 {n} 篇文本中标点相同，或同样好。",
        "open": "测试集的 {n} 篇文本太少，无法判断："
        "差异在 {low:+.1f} 到 {high:+.1f} 个百分点之间。",
        "better": "在 {n} 篇文本上，新模型好 {size:.1f} 个百分点（{low:+.1f} 到 {high:+.1f}）。",
        "worse": "在 {n} 篇文本上，新模型差 {size:.1f} 个百分点（{low:+.1f} 到 {high:+.1f}）。",
    },
}
