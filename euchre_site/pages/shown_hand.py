"""The hand that is played on the first page, from the turn-up to the score.

It is a recorded hand, not a table in play: the engine plays it once, and all visitors get the same
picture. Each part of the picture is shown from one step to another.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from games.engine.cards import SUIT_NAMES, UNNAMED
from games.engine.deal import Deal
from games.engine.observation import DONE, PLAYING, TAKEN, Observation, Standing
from games.engine.rules import CLASSIC_24
from games.engine.seats import COMPASS
from games.engine.tricks import winner
from games.lessons.steps import LessonPosition
from games.picture import log, phrases
from games.picture.cast import Person, cast_of

#: The deal before the bidding, with the score of the game.
POSITION: Final = LessonPosition(
    CLASSIC_24,
    "West",
    ("TD QD JH QH KH", "TC JC JD KD AH", "9C AC AD 9S QS", "QC 9D TS KS AS"),
    "TH",
    (3, 2),
)
MOVES: Final = """
pass, order, discard 9D,
play QD, play KD, play AD, play TH,
play AS, play QH, play AH, play 9S,
play JC, play AC, play QC, play TD,
play QS, play KS, play KH, play JD,
play TC, play 9C, play TS, play JH
"""
CAST: Final = cast_of(("Ben", "Jonah", "Maeve", "Iris"))
#: The step that is shown where nothing moves: three cards of the second trick lie on the table.
STILL: Final = 10


class Part(NamedTuple):
    """Something shown from step `since` until before step `until`."""

    since: int
    until: int
    words: str = ""
    at: str = ""
    card: int = -1

    @property
    def is_still(self) -> bool:
        return self.since <= STILL < self.until


class ShownHand(NamedTuple):
    """The parts of the picture.

    `made` says who made trump, and `suit` is its letter. `best` frames the card that is ahead in
    the trick, `next` is the place of the player in turn and `slots` the empty one for their card.
    """

    steps: int
    still: int
    target: int | None
    people: tuple[Person, ...]
    suit: str
    trump: str
    made: Part
    scores: tuple[Part, ...]
    turn_up: Part
    cards: tuple[Part, ...]
    best: tuple[Part, ...]
    next: tuple[Part, ...]
    slots: tuple[Part, ...]
    captions: tuple[Part, ...]


@lru_cache(maxsize=1)
def shown_hand() -> ShownHand:
    seen = list(_observations())
    steps, end = len(seen), seen[-1]
    made = next(step for step, one in enumerate(seen) if one.trump != UNNAMED)
    taken = next(step for step, one in enumerate(seen) if one.turn_up_at == TAKEN)
    turns = [one.turn for one in seen]
    playing = [one.turn if one.phase == PLAYING else -1 for one in seen]
    return ShownHand(
        steps=steps,
        still=STILL,
        target=POSITION.rules.target,
        people=tuple(CAST),
        suit=phrases.suit_letter(end.turn_up),
        trump=SUIT_NAMES[end.trump],
        made=Part(made, steps, _made_by(end)),
        scores=tuple(_runs(["–".join(map(str, one.standing.score)) for one in seen])),
        turn_up=Part(0, taken, card=end.turn_up),
        cards=tuple(_cards(seen)),
        best=tuple(_places([_ahead(one) for one in seen])),
        next=tuple(_places(turns)),
        slots=tuple(_places(playing)),
        captions=tuple(_runs([_caption(one) for one in seen])),
    )


@lru_cache(maxsize=1)
def picture() -> SafeString:
    """Return the picture as HTML, rendered once for all visitors."""
    return render_to_string("site/home/_table_picture.html", {"hand": shown_hand()})


def _observations() -> Iterator[Observation]:
    """Yield what a spectator sees at each step."""
    moves = [move.strip() for move in MOVES.split(",")]
    for number in range(len(moves) + 1):
        deal = POSITION.after(", ".join(moves[:number]))
        yield deal.observe(None, _standing(deal))


def _standing(deal: Deal) -> Standing:
    score, result = list(POSITION.score), deal.result
    if result is not None:
        score[result.side] += result.points
    return Standing((score[0], score[1]))


def _lying(seen: Observation) -> tuple[tuple[int, int], ...]:
    """Return the cards on the table; a finished trick lies there until the next lead."""
    return seen.plays or (seen.tricks[-1].plays if seen.tricks else ())


def _ahead(seen: Observation) -> int:
    lying = _lying(seen)
    return winner(seen.trump, lying) if lying else -1


def _cards(seen: list[Observation]) -> Iterator[Part]:
    for play in (play for trick in seen[-1].tricks for play in trick.plays):
        lies = [step for step, one in enumerate(seen) if play in _lying(one)]
        yield Part(lies[0], lies[-1] + 1, at=_place(play[0]), card=play[1])


def _runs(values: list[str]) -> Iterator[Part]:
    """Yield each value with the steps for which it stays the same."""
    since = 0
    for step in range(1, len(values) + 1):
        if step == len(values) or values[step] != values[since]:
            yield Part(since, step, values[since])
            since = step


def _places(seats: list[int]) -> Iterator[Part]:
    names = [_place(seat) if seat >= 0 else "" for seat in seats]
    return (Part(run.since, run.until, at=run.words) for run in _runs(names) if run.words)


def _place(seat: int) -> str:
    return COMPASS[POSITION.rules.players][seat].lower()


def _made_by(end: Observation) -> str:
    call = log.call_at(end, len(end.calls) - 1)
    return call.past.format(name=CAST[end.maker].short)


def _caption(seen: Observation) -> str:
    if seen.phase == DONE and seen.result is not None:
        return f"{log.result_text(seen, CAST)}."
    return log.news(seen, CAST).removeprefix("Hand 1. ")
