"""The answers to questions that only some rules ask, in words, and the rule of thumb for each."""

from __future__ import annotations

from typing import Final

from games.engine.actions import BEST, DECLINE, DEFEND, FOLD, GIVE, SWAP, WITH_A_CARD, Action
from games.engine.cards import card_text, cards_in
from games.engine.observation import ASKING, DEFENDING, FOLDING, GIVING, SWAPPING, Observation
from games.engine.scoring import results

ANSWERS: Final = (SWAP, FOLD, GIVE, BEST, DEFEND, DECLINE)
#: By phase and kind: what is done, what was done, and why.
_WORDS: Final = {
    (SWAPPING, SWAP): (
        "swap ", "swapped ", "This hand is better off without three of its nines and tens.",
    ),
    (SWAPPING, DECLINE): ("keep all five", "kept all five", "This hand is good as it is."),
    (FOLDING, FOLD): ("fold", "folded", "With nothing above a ten there is little to win."),
    (FOLDING, DECLINE): ("play on", "played on", "This hand is worth playing."),
    (ASKING, GIVE): ("give away ", "gave away ", "The partner’s best card is worth more."),
    (ASKING, DECLINE): ("keep all five", "kept all five", "All five cards are worth keeping."),
    (GIVING, BEST): ("give ", "gave ", "It helps the lone hand most."),
    (DEFENDING, DEFEND): (
        "defend alone", "defended alone", "With {holding} it is worth trying for {points} points.",
    ),
    (DEFENDING, DECLINE): (
        "defend together", "defended together", "With {holding} a partner helps.",
    ),
}  # fmt: skip


def words(seen: Observation, action: Action, *, past: bool = False) -> list[str | list[str]]:
    """Return an answer as words of the log: "give away" and the card, "defend alone"."""
    cards = [action.value] if action.kind in WITH_A_CARD else [*cards_in(action.value)]
    said: list[str | list[str]] = [_WORDS[seen.phase, action.kind][past]]
    for place, card in enumerate(cards, start=1):
        said += [" and " if place == len(cards) else ", "] * (place > 1) + [[card_text(card)]]
    return said


def why(seen: Observation, action: Action, holding: str) -> str:
    points = results(seen.rules, 0, alone=True, defended=True)[2].points
    return _WORDS[seen.phase, action.kind][2].format(holding=holding, points=points)
