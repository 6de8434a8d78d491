"""What moderators are shown: what stands out, without names, addresses or their own matches."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games.models import Game, Player, SeenFrom, Table
from games.people import whereabouts
from tests.factories import member, people
from tests.tournaments import build
from tests.tournaments.build import NOON
from tournaments.fair_play import signs
from tournaments.fair_play.signs import FairPlaySign, SignScope
from tournaments.models import Club, Event, FairPlayMatter, FairPlayMeasure, Pairing

pytestmark = pytest.mark.django_db

Kind = FairPlayMatter.Kind
ADDRESS = "192.0.2.7"


def seen(club: Club, viewer: Player | None = None, event: Event | None = None) -> Sequence[Any]:
    return signs.seen(SignScope(club, event), viewer, NOON + timedelta(days=3)).signs


def only(found: Sequence[FairPlaySign]) -> FairPlaySign:
    (one,) = found
    return one


def table_of(event: Event) -> Table:
    return Table.objects.get(pairing__round__event=event)


def from_one_address(event: Event, *players: Player) -> None:
    for player in players:
        whereabouts.record(table_of(event).pk, player.pk, ADDRESS)


def measures(event: Event, player: Player, games: Sequence[Game], **did: Any) -> None:
    """Rows of a player, one for each game, all the same."""
    FairPlayMeasure.objects.bulk_create(
        FairPlayMeasure(game=game, event=event, player=player, ended=NOON, **did) for game in games
    )


def games_of(event: Event, number: int) -> list[Game]:
    """So many finished games at the table of an event, without logs."""
    pairing = Pairing.objects.select_related("table", "round__event").get(round__event=event)
    Game.objects.filter(table=pairing.table).delete()
    return Game.objects.bulk_create(
        build.match_game(pairing, (10, 5), number=n + 1) for n in range(number)
    )


class TestOneAddress:
    def test_two_of_a_match_from_one_address(self, club: Club) -> None:
        four = [member(name) for name in ("Maeve", "Ben", "Iris", "Jonah")]
        event = build.played(*four, of=club)
        from_one_address(event, *four[:2])
        whereabouts.record(table_of(event).pk, four[2].pk, "192.0.2.8")
        sign = only(seen(club))
        assert {one.name for one in sign.players} == {"Maeve", "Ben"}
        assert sign.finding.startswith("Two players came to this event from one address. 1 match")
        assert "household" in sign.innocent
        assert sign.lines[0].label.startswith("Thursday euchre, round 1, table 1")
        assert only(seen(club, event=event)).sign == sign.sign

    def test_a_substitute_was_a_partner_too(self, club: Club) -> None:
        """The seat has gone back to the owner of the place, or to another substitute."""
        four = [member(name) for name in ("Maeve", "Ben", "Iris", "Jonah")]
        event = build.played(*four, of=club)
        line = event.entered_players.select_related("entry").get(player=four[0])
        match = Pairing.objects.get(round__event=event)
        side = match.entries.filter(side=match.entries.get(entry=line.entry).side)
        partner = Player.objects.get(
            entries__entry__in=side.exclude(entry=line.entry).values("entry")
        )
        from_one_address(event, four[0], partner)
        assert "1 of these as partners" in only(seen(club)).finding
        line.entry.substitutions.create(position=line.position, player=four[0], until=1)
        line.player = member("Olga")
        line.save()
        assert "1 of these as partners" in only(seen(club)).finding

    def test_signs_reveal_no_address_or_hash(self, club: Club) -> None:
        four = [member(name) for name in ("Maeve", "Ben", "Iris", "Jonah")]
        event = build.played(*four, of=club)
        from_one_address(event, *four[:2])
        told = repr(seen(club))
        for digest in SeenFrom.objects.values_list("digest", flat=True):
            assert digest not in told
        assert ADDRESS not in told

    def test_sign_disappears_with_the_addresses(self, club: Club) -> None:
        four = [member(name) for name in ("Maeve", "Ben", "Iris", "Jonah")]
        event = build.played(*four, of=club)
        from_one_address(event, *four[:2])
        SeenFrom.objects.update(at=NOON - whereabouts.KEPT - timedelta(hours=1))
        whereabouts.forget(NOON)
        assert not seen(club)

    def test_running_match_gives_no_sign(self, club: Club) -> None:
        event = build.event(club)
        four = [member(name) for name in ("Maeve", "Ben", "Iris", "Jonah")]
        build.let_in(event, four)
        build.begin(event)
        build.arrive(event)
        build.step(event, NOON)
        for table in Table.objects.filter(pairing__round__event=event):
            for player in four[:2]:
                whereabouts.record(table.pk, player.pk, ADDRESS)
        assert SeenFrom.objects.exists()
        assert not seen(club)

    def test_many_players_at_one_address_are_a_room(self, club: Club) -> None:
        event = build.event(club, rounds=1)
        players = people(12)
        build.let_in(event, players)
        build.play_to_end(event)
        for table in Table.objects.filter(pairing__round__event=event):
            for seat in table.seats.all():
                whereabouts.record(table.pk, seat.player_id or 0, ADDRESS)
        sign = only(seen(club))
        assert sign.room
        assert sign.unopened == []
        assert sign.finding.startswith("12 players")


class TestWhatIsCounted:
    @pytest.fixture
    def event(self, club: Club) -> Event:
        self.four = [member(name) for name in ("Maeve", "Ben", "Iris", "Jonah")]
        return build.played(*self.four, of=club)

    def test_a_pair_whose_calls_go_with_the_cards(self, club: Club, event: Event) -> None:
        games = games_of(event, 40)
        maeve, ben, iris, jonah = self.four
        known = {"calls": 2, "held": 1.4, "held_squares": 1.5, "gained": 1.0, "gained_squares": 2.0}
        usual = {"calls": 2, "held": 0.0, "held_squares": 1.0, "gained": 0.0, "gained_squares": 2.0}
        measures(event, maeve, games, partner=ben, **known)
        measures(event, ben, games, partner=maeve, **known)
        measures(event, iris, games, partner=jonah, **usual)
        measures(event, jonah, games, partner=iris, **usual)
        sign = only(seen(club))
        assert {one.name for one in sign.players} == {"Maeve", "Ben"}
        assert sign.finding.startswith(
            "At 160 early calls of one pair the partner’s cards were worth"
        )
        assert "0.70 tricks" in sign.finding

    def test_leaving_while_behind_is_a_sign(self, club: Club, event: Event) -> None:
        games = games_of(event, 40)
        measures(event, self.four[0], games[:10], lost=True, left_behind=True)
        measures(event, self.four[0], games[10:20], lost=True)
        measures(event, self.four[1], games, lost=True)
        sign = only(seen(club))
        assert (sign.kind, sign.players) == (Kind.LEFT, (self.four[0],))
        assert sign.finding.startswith("Of 20 games lost, 10 were left while behind")
        assert "0 of 40" in sign.finding

    def test_slow_play_while_ahead_is_a_sign(self, club: Club, event: Event) -> None:
        games = games_of(event, 10)
        slow = {"turns_ahead": 20, "late_ahead": 12, "turns_behind": 20, "late_behind": 1}
        measures(event, self.four[2], games, **slow)
        measures(event, self.four[3], games, turns_ahead=20, late_ahead=12, turns_behind=20,
                 late_behind=12)  # fmt: skip
        sign = only(seen(club))
        assert (sign.kind, sign.players) == (Kind.CLOCK, (self.four[2],))
        assert "While ahead, 120 of 200 turns (60%)" in sign.finding

    def test_sign_of_ones_own_match_is_left_to_others(self, club: Club, event: Event) -> None:
        games = games_of(event, 40)
        measures(event, self.four[0], games[:20], lost=True, left_behind=True)
        measures(event, self.four[1], games, lost=True)
        for viewer, count in ((self.four[0], 0), (member("Nora"), 1), (None, 1)):
            found = signs.seen(SignScope(club), viewer, NOON + timedelta(days=3))
            assert len(found.signs) == count
            assert found.left_to_others == 1 - count
        for game in games:
            game.seats.create(position=0, player=self.four[2])
        assert not seen(club, self.four[2])

    def test_sign_of_an_unlisted_own_match_is_left_to_others(
        self, club: Club, event: Event
    ) -> None:
        games = games_of(event, 40)
        measures(event, self.four[0], games[:30], lost=True, left_behind=True)
        measures(event, self.four[1], games, lost=True)
        nora = member("Nora")
        sign = only(seen(club, nora))
        (unseen, *_more) = [
            game for game in games[:30] if game.pk not in sign.every[: signs.MAX_GAMES]
        ]
        unseen.seats.create(position=0, player=nora)
        assert not seen(club, nora)

    def test_other_clubs_have_signs_of_their_own(self, club: Club, event: Event) -> None:
        games = games_of(event, 40)
        measures(event, self.four[0], games[:20], lost=True, left_behind=True)
        measures(event, self.four[1], games, lost=True)
        assert len(seen(club)) == 1
        assert not seen(build.club("The Ferry"))


def test_500_games_are_read_in_as_many_queries_as_50(club: Club) -> None:
    counts = []
    for evenings in (2, 16):
        players = people(40)
        keys = build.evenings(evenings, players, seed=evenings)
        games = Game.objects.filter(table__pairing__round__event__in=keys)
        at = Club.objects.get(events=keys[0])
        rows = []
        for game in games.select_related("table__pairing__round").prefetch_related(
            "table__pairing__entries__entry__players"
        ):
            pairing = game.table.pairing
            for line in pairing.entries.all():
                ones = [one.player_id for one in line.entry.players.all()]
                rows += [
                    FairPlayMeasure(
                        game=game, event_id=pairing.round.event_id, player_id=one,
                        ended=game.ended or NOON,
                        partner_id=other, calls=2, held=0.1, held_squares=1.0, gained=0.1,
                        gained_squares=2.0, lost=line.side == 1, turns_level=40, late_level=2,
                    )
                    for one, other in zip(ones, reversed(ones), strict=True)
                ]  # fmt: skip
        FairPlayMeasure.objects.bulk_create(rows)
        with CaptureQueriesContext(connection) as asked:
            found = signs.seen(SignScope(at), players[0], NOON + timedelta(days=30))
        assert found.games == evenings * build.GAMES_AN_EVENING
        counts.append(len(asked))
    assert counts[0] == counts[1] <= 12
