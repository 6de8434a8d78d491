"""Standings in words: places, shared ones too, and what tie-breaks are worth."""

from fractions import Fraction
from random import Random
from typing import Any

import pytest

from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON
from tournaments.models import Entry, Event
from tournaments.services import page_values
from tournaments.services.standing_lines import (
    MINUS,
    explanation,
    number_in_words,
    value_in_words,
)
from tournaments.tie_breaks import TieBreak

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (Fraction(3), "3"),
        (Fraction(0), "0"),
        (Fraction(1, 2), "½"),
        (Fraction(7, 2), "3½"),
        (Fraction(7, 3), "2⅓"),
        (Fraction(10, 7), "1.43"),
        (Fraction(-5, 2), f"{MINUS}2½"),
    ],
)
def test_a_number_is_told_with_the_signs_of_common_fractions(value: Fraction, words: str) -> None:
    assert number_in_words(value) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (Fraction(12), "+12"),
        (Fraction(-1), f"{MINUS}1"),
        (Fraction(0), "0"),
        (Fraction(-3, 2), f"{MINUS}1½"),
    ],
)
def test_a_margin_has_its_sign(value: Fraction, words: str) -> None:
    assert value_in_words(TieBreak.POINT_DIFFERENCE, value) == words


def test_a_tie_break_that_was_not_used_is_a_dash() -> None:
    assert value_in_words(TieBreak.HEAD_TO_HEAD, None) == "–"


def test_the_columns_are_the_events_tie_breaks_in_its_order_and_the_lot() -> None:
    event = build.event(
        format=Event.Format.SWISS, rounds=3, tie_breaks=["wins", "point_difference", "head_to_head"]
    )
    build.enter(event, 6)
    build.begin(event)
    build.play_round(event, NOON + MINUTE, Random(1))
    table = page_values.standings_after(event, 1)
    assert [column.label for column in table.columns] == [
        "Wins",
        "Point difference",
        "Head-to-head",
        "Lot",
    ]
    assert all(len(line.cells) == 4 for line in table.lines)
    assert {line.record for line in table.lines} == {"1–0", "0–1"}
    lots = {entry.pk: str(entry.lot) for entry in Entry.objects.all()}
    assert all(line.cells[-1] == lots[line.entry] for line in table.lines)


def test_the_explanation_names_every_tie_break_in_order() -> None:
    event = build.event(format=Event.Format.SWISS, rounds=3)
    words = explanation(event, (TieBreak.WINS, TieBreak.BUCHHOLZ, TieBreak.HEAD_TO_HEAD))
    places = [words.index(part) for part in ("by wins", "(Buchholz)", "(head-to-head)", "by a lot")]
    assert places == sorted(places)
    assert "A bye counts as a win." in words


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"sit_out": Event.SitOut.AVERAGE}, "credited with his own average"),
        ({"sit_out": Event.SitOut.FIXED, "credit_half_wins": 1}, "counts as ½ win."),
        ({"sit_out": Event.SitOut.FIXED, "credit_half_wins": 2}, "counts as 1 win."),
        ({"sit_out": Event.SitOut.FIXED, "credit_half_wins": 3}, "counts as 1½ wins."),
        ({"sit_out": Event.SitOut.HOUSE}, "House players fill a table"),
    ],
)
def test_the_explanation_says_what_a_sit_out_is_worth(fields: dict[str, Any], words: str) -> None:
    assert words in explanation(build.event(**fields), (TieBreak.WINS,))


def test_who_goes_out_together_shares_a_place_and_who_is_still_in_has_none() -> None:
    event = build.event(format=Event.Format.SINGLE)
    build.enter(event, 8)
    build.begin(event)
    build.play_round(event, NOON + MINUTE, Random(1))
    build.play_round(event, NOON + 2 * MINUTE, Random(1))
    table = page_values.standings_after(event, 2)
    assert [line.place for line in table.lines] == ["", "", "3–4", "3–4", *["5–8"] * 4]
    assert table.knock_out
    assert "share a place" in table.explanation


def test_ties_widen_the_record() -> None:
    event = build.event(format=Event.Format.SWISS, rounds=3, match=Event.Match.DEALS, deals=4)
    build.enter(event, 4)
    build.begin(event)
    build.arrive(event)
    build.step(event, NOON)
    first, second = build.latest(event).pairings.order_by("number")
    build.win(first, 0, (5, 5))
    build.win(second, 0, (6, 2))
    build.step(event, NOON + MINUTE)
    table = page_values.standings_after(event, 1)
    assert table.record == "W–L–T"
    assert sorted(line.record for line in table.lines) == ["0–0–1", "0–0–1", "0–1–0", "1–0–0"]
