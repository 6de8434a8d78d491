"""Standings in words: places, shared ones too, and what tie-breaks are worth."""

from fractions import Fraction
from random import Random
from typing import Any

import pytest
from django.test import Client

from games.figures import MINUS
from games.models import Player
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON
from tournaments.acts import correcting
from tournaments.event_page import exports, page_values
from tournaments.events import repeating
from tournaments.formats.tie_breaks import CURRENT, TieBreak
from tournaments.models import Entry, Event, Pairing
from tournaments.standings import ranking
from tournaments.standings.standing_lines import explanation, number_in_words, value_in_words

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
def test_numbers_use_fraction_signs(value: Fraction, words: str) -> None:
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
        format="swiss", rounds=3, tie_breaks=["wins", "point_difference", "head_to_head"]
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
    event = build.event(format="swiss", rounds=3)
    words = explanation(event, (TieBreak.WINS, TieBreak.BUCHHOLZ, TieBreak.HEAD_TO_HEAD))
    places = [words.index(part) for part in ("by wins", "(Buchholz)", "(head-to-head)", "by a lot")]
    assert places == sorted(places)
    assert "A bye counts as a win." in words


def test_an_event_keeps_the_edition_of_the_tie_breaks_in_force_when_it_started() -> None:
    event = build.event(format="swiss", rounds=1, tie_break_edition=2023)
    build.enter(event, 3)
    build.begin(event)
    assert event.tie_break_edition == CURRENT == 2026
    build.play_round(event, NOON + MINUTE, Random(1))
    order = (TieBreak.WINS, TieBreak.BUCHHOLZ)

    def of_the_bye() -> Fraction | None:
        lines = ranking.standings_of(event).lines
        return next(line.values[TieBreak.BUCHHOLZ] for line in lines if line.sat_out)

    # A bye counts for Buchholz as the own win, but since 2026 no more than as ties in all rounds.
    assert of_the_bye() == Fraction(1, 2)
    assert "2023" not in explanation(event, order)
    event.tie_break_edition = 2023
    assert of_the_bye() == 1
    assert "by FIDE’s regulations of 2023" in explanation(event, order)
    assert "2023" not in explanation(event, (TieBreak.WINS,))
    assert repeating.on_day(event, NOON.date(), NOON).tie_break_edition == CURRENT


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"sit_out": Event.SitOut.AVERAGE}, "credited with their own average"),
        ({"sit_out": Event.SitOut.FIXED, "credit_half_wins": 1}, "counts as ½ win."),
        ({"sit_out": Event.SitOut.FIXED, "credit_half_wins": 2}, "counts as 1 win."),
        ({"sit_out": Event.SitOut.FIXED, "credit_half_wins": 3}, "counts as 1½ wins."),
        ({"sit_out": Event.SitOut.HOUSE}, "House players fill incomplete tables"),
    ],
)
def test_the_explanation_says_what_a_sit_out_is_worth(fields: dict[str, Any], words: str) -> None:
    assert words in explanation(build.event(**fields), (TieBreak.WINS,))


def test_knocked_out_entries_share_a_place_and_remaining_ones_have_none() -> None:
    event = build.event(format="single_elimination")
    build.enter(event, 8)
    build.begin(event)
    build.play_round(event, NOON + MINUTE, Random(1))
    build.play_round(event, NOON + 2 * MINUTE, Random(1))
    table = page_values.standings_after(event, 2)
    assert [line.place for line in table.lines] == ["", "", "3–4", "3–4", *["5–8"] * 4]
    assert table.knock_out
    assert "share a place" in table.explanation


def test_ties_extend_the_record() -> None:
    event = build.event(format="swiss", rounds=3, match=Event.Match.DEALS, deals=4)
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


def test_the_record_explains_the_wins() -> None:
    event = build.event(format="swiss", rounds=3, match=Event.Match.DEALS, deals=4)
    build.enter(event, 3)
    build.begin(event)
    for number in range(3):
        build.arrive(event)
        build.step(event, NOON + number * MINUTE)
        (only,) = build.latest(event).pairings.all()
        build.win(only, 0, (5, 5))
        build.step(event, NOON + number * MINUTE)
    ranked = ranking.standings_of(event)
    for line in ranked.lines:
        assert (line.won, line.lost, line.tied, line.sat_out) == (0, 0, 2, 1)
        assert line.credit == 1
        assert line.values[TieBreak.WINS] == line.won + Fraction(line.tied, 2) + line.credit
    table = page_values.standings_after(event, 3)
    assert {(line.record, line.more, line.cells[0]) for line in table.lines} == {
        ("0–0–2", "1 bye", "2")
    }
    assert "a tie being half a win" in table.explanation
    assert table.record_label == "Matches won, lost and tied"
    assert {row["credit"] for row in exports.standings(event)} == {1}
    page = Client().get(f"/events/{event.pk}/").text
    assert "0–0–2<small> · 1 bye</small>" in page


def test_sit_out_below_a_win_states_its_worth() -> None:
    event = build.event(rounds=2, sit_out=Event.SitOut.FIXED, credit_half_wins=1)
    build.enter(event, 5)
    build.begin(event)
    build.play_round(event, NOON + MINUTE, Random(1))
    table = page_values.standings_after(event, 1)
    assert sorted(line.more for line in table.lines) == ["", "", "", "", "1 sit-out (+½)"]


def test_a_credit_is_shown_as_a_credit_beside_what_was_played(ada: Player) -> None:
    event = build.event(
        ada.memberships.get().club, rounds=3, place=Event.Place.ROOM, format="progressive",
        sit_out=Event.SitOut.AVERAGE,
    )  # fmt: skip
    build.enter(event, 5)
    build.begin(event)
    for number in range(3):
        for match in build.latest(event).pairings.all():
            correcting.set_result(match, ada, build.ruled(0, (5, 3)), reason="", now=NOON)
            Pairing.objects.filter(pk=match.pk).update(lone_0=number == 0)
        build.step(event, NOON)
    table = page_values.standings_after(event, 3)
    at = table.columns.index(TieBreak.LONE_HANDS)
    cells = sorted(line.cells[at] for line in table.lines)
    assert set(cells) <= {"0", "1", "1 (+½)", "1 (+1)"}, cells
    assert any("(+" in cell for cell in cells), cells
    margins = [line.cells[table.columns.index(TieBreak.POINT_DIFFERENCE)] for line in table.lines]
    assert not any("½" in margin.split(" (")[0] for margin in margins), margins


def test_second_stage_wins_are_listed_apart() -> None:
    event = build.event(format="swiss", rounds=2, second_stage="single_elimination", qualifiers=3)
    build.enter(event, 6)
    build.play_to_end(event, seed=2)
    lines = ranking.standings_of(event).lines
    assert sum(line.finals_won for line in lines) == 2
    assert sum(line.finals_sat_out for line in lines) <= 1
    for line in lines:
        own = line.won - line.finals_won + Fraction(line.tied, 2) + (line.credit or 0)
        assert line.values[TieBreak.WINS] == own
    finals = [line.more for line in page_values.standings_after(event, 4).lines]
    assert finals[0] in {"1–0 in the knock-out", "2–0 in the knock-out"}
    assert not any("bye" in more for more in finals)
