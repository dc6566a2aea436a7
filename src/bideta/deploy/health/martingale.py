"""Has the distribution of a stream changed? A conformal test, with a bound on false alarms and no assumption on shapes.

Every new score is ranked among those before it. As long as contacts are exchangeable the ranks are independent and
uniform, whatever the scores are, so that no bet against them gains on average (V. Vovk, I. Nouretdinov, A. Gammerman:
"Testing exchangeability on-line", ICML 2003). The bets are those of the Simple Jumper (Vovk et al.: "Retrain or not
retrain: conformal test martingales for change-point detection", COPA 2021). Capital is summed over every possible
moment of change (Shiryaev–Roberts), so that wear after a thousand healthy contacts is found as soon as at the start;
its mean after n healthy contacts is n, and the probability of reaching b within n contacts is at most n/b.
"""

from __future__ import annotations

import numpy as np

from bideta.method import Floats64

BETS = np.array([-1.9, -1.0, 0.0, 1.0, 1.9])  # stakes on low and on high ranks
JUMP = 0.01  # share of the capital that changes its stake after every contact
KEPT = 500  # scores of a group that are ranked among; later ones are ranked and not kept


class ChangeTest:
    """Evidence of a change in one score, contacts of the same group ranked among each other."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.seen: dict[int, list[float]] = {}
        self.capital: Floats64 = np.full(len(BETS), 1 / len(BETS))
        self.evidence = 0.0  # R of Shiryaev and Roberts

    def know(self, score: float, group: int) -> None:
        """Take a score of a healthy time for the ranking, without a bet."""
        scores = self.seen.setdefault(group, [])
        if len(scores) < KEPT:
            scores.append(score)

    def see(self, score: float, group: int) -> float:
        """The evidence with a further contact. ``group``: its answered class, for objects come in any order."""
        before = np.array(self.seen.get(group, ()))
        ties = 1 + int((before == score).sum())
        rank = (int((before > score).sum()) + self.rng.uniform() * ties) / (len(before) + 1)
        self.know(score, group)
        self.capital = (1 - JUMP) * self.capital + JUMP * self.capital.sum() / len(BETS)
        won = self.capital * (1 + BETS * (0.5 - rank))
        factor = float(won.sum() / self.capital.sum())
        self.capital = won / won.sum()
        self.evidence = (1 + self.evidence) * factor
        return self.evidence
