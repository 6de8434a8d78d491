"""Playing on from a position against the house.

The house plays as at solo tables (`games.live.thinking.choose_alike`): the same for the same
position. Cards that are not known are dealt first, at random as far as the player in turn can tell.
"""

from __future__ import annotations

import asyncio
from random import Random
from typing import Final

from games.analysis.completing import PositionError
from games.analysis.positions import BoardPosition
from games.analysis.valuing import key_of
from games.bots.worlds import worlds
from games.engine.actions import Action
from games.engine.cards import BIT, mask_of
from games.engine.observation import Standing
from games.live import thinking

#: More actions than any deal has.
_MOST: Final = 60
#: Presses that the house answers at once in a process, so that nobody at a table waits for more
#: than so many of its choices, and the seconds within which it must have answered one.
_AT_ONCE: Final = asyncio.Semaphore(2)
_WITHIN: Final = 30.0


class HouseBusyError(Exception):
    """The house did not answer in time."""


def with_all_hands(position: BoardPosition) -> BoardPosition:
    """Return the position with the cards dealt that are not known; raise PositionError.

    The same position is dealt the same. It needs a side to move (`BoardPosition.seen`).
    """
    if not position.completed().unknown:
        return position
    seen = position.seen()
    rng = Random(key_of(seen))  # noqa: S311 (a sample, no secret)
    (world,) = worlds(seen, rng, 1)
    played = (*(one for trick in seen.tricks for one in trick.plays), *seen.plays)
    hands = [
        (cards | mask_of(card for player, card in played if player == seat))
        & ~BIT[position.turn_up]
        | known
        for seat, (cards, known) in enumerate(zip(world, position.hands, strict=True))
    ]
    try:
        whole = position._replace(hands=tuple(hands)).completed()
    except PositionError:  # such as after cards that changed hands unseen
        whole = position.completed()
    dealt, _ = whole.deal.start
    kitty = position.rules.pack_mask & ~(sum(dealt) | BIT[position.turn_up])
    return position._replace(hands=tuple(dealt), kitty=kitty, actions=tuple(whole.deal.actions))


async def house_answers(position: BoardPosition, seat: int) -> list[Action]:
    """Return what the house does from a position on until it is a seat's turn; -1 for to the end.

    Raise HouseBusyError if that takes too long, PositionError if not all hands are known.
    """
    deal = position.deal()
    if deal is None:
        raise PositionError("", "The house can only play on when all hands are known.")
    done: list[Action] = []
    try:
        async with asyncio.timeout(_WITHIN), _AT_ONCE:
            while deal.result is None and deal.turn != seat and len(done) < _MOST:
                seen = deal.observe(deal.turn, Standing(position.score))
                action = await thinking.choose_alike(bytes.fromhex(key_of(seen)), seen)
                deal.push(action)
                done.append(action)
    except TimeoutError:
        raise HouseBusyError from None
    return done
