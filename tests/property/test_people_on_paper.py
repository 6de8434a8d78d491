"""Nights, claims and joined lines in any order: one line for each person, and the same season."""

from datetime import datetime, timedelta
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from games.models import Player
from tests.factories import member
from tests.tournaments import build
from tests.tournaments.build import NOON, ruled
from tests.volume import scaled
from tournaments.acts import correcting
from tournaments.attendance import claiming, newcomers, same_person
from tournaments.models import Club, Event, Pairing
from tournaments.ratings import units as rating_units
from tournaments.seasons import season_table, seasons
from tournaments.statistics import club_statistics

pytestmark = pytest.mark.django_db

ON_PAPER: Final = ("Wim", "Ida", "Bea", "Jonah", "Rosa", "Piet", "Lotte", "Hugo")
MEMBERS: Final = ("Mae", "Ned", "Olga", "Paul")
NIGHTS: Final = 3
CLAIM: Final = "claim"


class Club12:
    """A club of twelve people, eight of them on paper, who play three nights in some order."""

    def __init__(self, word: str) -> None:
        self.word = f" {word}"
        self.club: Club = build.club(f"Club {word}")
        self.ada = build.director(self.club, f"Ada {word}")
        self.members = build.members(self.club, *(f"{name} {word}" for name in MEMBERS))
        self.wim: Player = member(f"Wim {word}")
        self.now: datetime = NOON
        self.claimed: datetime | None = None
        for name in ON_PAPER:
            self.club.listed_names.create(name=name)

    def called(self, player: Player) -> str:
        return player.name.removesuffix(self.word)

    def night(self, number: int, *, other_name: bool) -> None:
        """Play a night; its pairings and scores hang on its number only."""
        event = build.event(
            self.club, name=f"Night {number}", rounds=2, place=Event.Place.ROOM, rated=True,
            format="progressive", seed=f"{number}" * 32, starts=NOON + timedelta(days=7 * number),
        )  # fmt: skip
        for player in self.members:
            newcomers.enter(event, [player], self.ada, self.now)
        for name in ON_PAPER:
            typed = "W. Tarrant" if name == "Wim" and other_name else name
            newcomers.enter(event, [typed], self.ada, self.now)
        build.begin(event, self.now)
        for _round in range(2):
            for match in Pairing.objects.filter(round__event=event).exclude(state="decided"):
                points = (5, match.number % 4) if number % 2 else (match.number % 4, 5)
                winner = 0 if points[0] > points[1] else 1
                result = ruled(winner, points)
                correcting.set_result(match, self.ada, result, reason="", now=self.now)
            build.step(event, self.now)
        assert event.state == Event.State.FINISHED
        self.now += timedelta(minutes=1)

    def claim(self) -> None:
        claiming.claim_line(self.club.listed_names.get(name="Wim"), self.wim, self.now)
        self.claimed = self.now
        self.now += timedelta(minutes=1)

    def join(self) -> None:
        other = self.club.listed_names.filter(name="W. Tarrant", joined_to=None).first()
        if other is not None:
            same_person.join(self.club.listed_names.get(name="Wim"), other)

    def season(self) -> list[tuple[str, int, int, int]]:
        rows = season_table.table(self.club, seasons.year(2026))
        return sorted((self.called(row.player), row.place, row.events, row.points) for row in rows)

    def statistics(self) -> list[tuple[str, tuple[float | None, ...]]]:
        held = club_statistics.held_by(self.club)
        found = club_statistics.read(self.club, seasons.year(2026), held)
        return sorted((self.called(line.player), line.values) for line in found.lines)

    def rated(self) -> set[str]:
        """The nights on which matches of Wim's account are rated."""
        names = dict(Pairing.objects.values_list("pk", "round__event__name"))
        kept = [
            rating_units.RatedEvent(one.pk, NOON, one.starts, one.version, one.club_id)
            for one in self.club.events.all()
        ]
        units = rating_units.units(kept, in_room=True)
        return {
            names[unit.pairing_id or 0]
            for unit in units
            if any(self.wim.pk in side for side in unit.sides)
        }


class TestAnyOrder(TestCase):
    @settings(max_examples=scaled(2))
    @given(st.permutations([*range(NIGHTS), CLAIM]), st.sets(st.integers(0, NIGHTS - 1)))
    def test_the_order_of_nights_and_claims_does_not_matter(
        self, order: list[object], misspelt: set[int]
    ) -> None:
        plain = Club12("plain")
        for number in range(NIGHTS):
            plain.night(number, other_name=False)
        expected, counted = plain.season(), plain.statistics()
        assert len(expected) == len(ON_PAPER) + len(MEMBERS)
        assert all(events == NIGHTS for _name, _place, events, _points in expected)
        mixed, after = Club12("mixed"), set()
        for what in order:
            if isinstance(what, int):
                mixed.night(what, other_name=mixed.claimed is None and what in misspelt)
                if mixed.claimed is not None:
                    after.add(f"Night {what}")
            else:
                mixed.join()
                mixed.claim()
        assert mixed.season() == expected
        assert mixed.statistics() == counted
        assert mixed.rated() == after_with_accounts(mixed, after)


def after_with_accounts(mixed: Club12, nights: set[str]) -> set[str]:
    """The nights of these on which nobody on paper was at a table of Wim's account."""
    paper = set(Player.objects.filter(on_paper__club=mixed.club).values_list("pk", flat=True)) - {
        mixed.wim.pk
    }
    found = set()
    for match in Pairing.objects.filter(
        round__event__name__in=nights, round__event__club=mixed.club
    ):
        people = set(match.entries.values_list("entry__players__player", flat=True))
        if mixed.wim.pk in people and not people & paper:
            found.add(match.round.event.name)
    return found
