"""What the house player says and plays, in the words of an action's text."""

from __future__ import annotations

from random import Random

from games.bots.house import choose
from games.engine.deal import Deal
from games.engine.observation import START, Standing


def does(deal: Deal, standing: Standing = START) -> str:
    """What the house player in turn does, as text."""
    return str(choose(deal.observe(deal.turn, standing), Random(1)))


def at(north: int, east: int) -> Standing:
    """A game that stands at these points of north and south, and of east and west."""
    return Standing(score=(north, east))
