"""Addresses of the analysis board."""

from __future__ import annotations

from urllib.parse import urlencode

from django.shortcuts import resolve_url

from games.analysis.completing import PositionError
from games.analysis.lines import Board, Line
from games.analysis.positions import BoardPosition, deal_rules, rules_text
from games.engine.rules import RuleSet
from games.files.played import PlayedDeal, PlayedGame
from games.review.decisions import decisions_in


def set_up_address(rules: RuleSet) -> str:
    """Return the address of an empty table on which a hand by these rules is set up."""
    return f"{resolve_url('analysis')}?{urlencode({'rules': rules_text(deal_rules(rules))})}"


def board_address(position: BoardPosition) -> str:
    return f"{resolve_url('analysis')}?{urlencode({'p': position.text})}"


def address_of_line(whole: BoardPosition, done: int) -> str:
    """Return the board's address after so many actions of what was played, the rest as a line."""
    here = whole._replace(actions=whole.actions[:done])
    line, seat = Line(whole.actions[done:]), here.completed().deal.turn
    board = Board(here, max(seat, 0), (line,) if line.actions else (), as_played=True)
    return f"{resolve_url('analysis_board')}?{board.query}"


def address_of_moment(game: PlayedGame, played: PlayedDeal, step: int) -> str:
    """Return the board's address for the next decision of a hand from a step on, or its last.

    All that the record knows is on the board. Raise PositionError if nobody decided anything.
    """
    decided = [one.step for one in decisions_in(played)]
    if not decided:
        raise PositionError("", "There is nothing to decide in this hand.")
    here = next((one for one in decided if one >= step), decided[-1])
    whole = BoardPosition.of_decision(game, played.number, played.steps, open_hands=True)
    return address_of_line(whole, here - (played.steps - len(whole.actions)))
