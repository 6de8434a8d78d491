"""Who comes after whom: around the table, and in the deal."""

from __future__ import annotations

from functools import cache


@cache
def left_of(players: int, sitting_out: int) -> tuple[int, ...]:
    """By seat, the next seat clockwise that is not the one sitting out (-1: nobody)."""
    after = [(seat + 1) % players for seat in range(players)]
    return tuple([(seat + 1) % players if seat == sitting_out else seat for seat in after])


@cache
def dealt_to(players: int, packets: tuple[int, ...], dealer: int) -> tuple[int, ...]:
    """By place in the pack, top first, the seat that is dealt the card.

    Args:
        players: how many are dealt to, from dealer's left.
        packets: how many cards each is given in each round.
        dealer: the dealer's seat.
    """
    return tuple(
        [
            (dealer + 1 + place) % players
            for size in packets
            for place in range(players)
            for _ in range(size)
        ]
    )
