"""What games and events did to ratings, told to whom it concerns, and why nothing was done."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games.models import Game, Player
from tests.factories import cast, finish, member, player, table
from tests.tournaments import build
from tests.tournaments.build import NOON, played, rated
from tournaments.acts import correcting
from tournaments.models import Club, Event, Pairing, RatingChange
from tournaments.rating_formula import START
from tournaments.ratings import effects as rating_effects
from tournaments.ratings import rating_games
from tournaments.ratings.effects import RatedGameLine
from tournaments.ratings.words import percent

pytestmark = pytest.mark.django_db


def the_game() -> Game:
    return Game.objects.get()


def house() -> None:
    """Let a house player have sat at the table from the start."""
    Player.objects.filter(name="Ben").update(kind="house")
    Pairing.objects.update(rated=False)


def cut_short(how: str) -> None:
    """Let all matches have been decided in mid-game."""
    Pairing.objects.update(how=how, played_out=False, winner=-1)
    Game.objects.update(state="abandoned")


class TestOfAGame:
    def test_every_player_has_a_sentence_and_the_reader_is_you(self) -> None:
        people = cast()
        rated(*people)
        effects = rating_effects.of_game(the_game(), people[0]).effects
        assert {player.name for player, _change in effects} == {one.name for one in people}
        mine = next(change for player, change in effects if player == people[0])
        assert mine is not None
        verb = "gained" if mine.outcome == 1 else "lost"
        ended = "won" if mine.outcome == 1 else "lost"
        assert mine.sentence == (
            f"You {verb} {abs(mine.points)}: "
            f"the two of you were expected to win {percent(0.5)} and {ended}."
        )
        other, change = next(effect for effect in effects if effect[0] != people[0])
        assert change is not None
        assert change.sentence.startswith(f"{other.name} ")

    def test_private_change_is_shown_to_its_owner_only(self) -> None:
        maeve, *others = cast()
        rated(maeve, *others)
        Player.objects.filter(pk=maeve.pk).update(private=True)
        for reader in (None, others[0]):
            effects = rating_effects.of_game(the_game(), reader).effects
            assert [player.name for player, change in effects if change is None] == ["Maeve"]
        told = rating_effects.of_game(the_game(), maeve).effects
        assert all(change for _player, change in told)

    def test_a_result_of_the_director_counts_once(self) -> None:
        event = played(*cast())
        Pairing.objects.update(how=Pairing.How.DIRECTOR)
        rated_now(event)
        told = rating_effects.of_game(the_game(), None)
        assert told.words == rating_effects.DIRECTOR_RULED
        assert len(told.effects) == 4

    def test_later_forfeit_is_stated_here_and_in_the_history(self) -> None:
        people = cast()
        event = played(*people)
        match = Pairing.objects.get()
        mo = member("Mo")
        forfeit = build.ruled(1 - match.winner, ended=Pairing.How.FORFEIT)
        correcting.set_result(match, mo, forfeit, reason="A card up the sleeve.", now=NOON)
        rated_now(event)
        told = rating_effects.of_game(the_game(), None)
        assert told.words.startswith("Its result is by forfeit; the table’s log says ")
        assert len(told.effects) == 4
        changes = rating_effects.changes_of(people[0])
        (line,) = rating_effects.lines(changes, people[0], None, Club.objects.all())
        assert line.ruled.startswith("by forfeit; the table’s log says ")
        page = Client().get(f"/players/{people[0].pk}/ratings/classic-online/").content.decode()
        assert f"<small>{line.ruled}</small>" in page

    def test_game_without_an_event_is_unrated(self) -> None:
        game = finish(table(player(), house_seats=(1, 2, 3)))
        assert rating_effects.of_game(game, None).words == rating_effects.CASUAL

    @pytest.mark.parametrize(
        ("happened", "words"),
        [
            (lambda: Event.objects.update(rated=False), rating_effects.UNRATED),
            (lambda: Event.objects.update(state="running"), rating_effects.LATER),
            (lambda: Event.objects.update(state="cancelled"), rating_effects.SOON),
            (
                lambda: Event.objects.update(state="cancelled", started=None),
                rating_effects.CANCELLED,
            ),
            (lambda: None, rating_effects.SOON),
        ],
    )
    def test_unrated_yet_states_when(self, happened: Callable[[], Any], words: str) -> None:
        played(*cast())
        happened()
        assert rating_effects.of_game(the_game(), None) == rating_effects.GameEffects(words)

    @pytest.mark.parametrize(
        ("happened", "words"),
        [
            (house, rating_effects.HOUSE),
            (lambda: Pairing.objects.update(rated=False), rating_effects.ABSENT),
            (lambda: cut_short("director"), rating_effects.SET),
            (lambda: cut_short("time"), rating_effects.GIVEN_UP),
        ],
    )
    def test_unchanged_ratings_state_the_reason(
        self, happened: Callable[[], Any], words: str
    ) -> None:
        event = played(*cast())
        happened()
        rated_now(event)
        assert rating_effects.of_game(the_game(), None) == rating_effects.GameEffects(words)


def rated_now(event: Event) -> None:
    rating_games.queue_rating(event)
    rating_games.catch_up()


class TestOfAnEvent:
    def test_largest_gain_comes_first_with_both_ratings(self) -> None:
        people = cast()
        event = rated(*people, rounds=3)
        effects = rating_effects.of_event(event, people[2])
        points = [one.points for one in effects.effects]
        assert points == sorted(points, reverse=True)
        (mine,) = effects.mine
        assert (mine.player.name, mine.before, mine.games) == (
            "Iris",
            START,
            3,
        )
        last = RatingChange.objects.filter(player=people[2]).latest("position")
        assert mine.after.mu == last.mu_after
        assert effects.words == ""

    def test_sentence_states_before_and_after(self) -> None:
        people = cast()
        (mine,) = rating_effects.of_event(rated(*people), people[0]).mine
        to = round(mine.after.mu)
        verb = "gained" if to > 1500 else "lost"
        assert mine.sentence == f"You {verb} {abs(to - 1500)} in 1 rated game: 1500 to {to}."
        assert replace(mine, after=START, games=2).sentence == (
            "You stayed at 1500 in 2 rated games."
        )

    def test_private_records_are_only_counted(self) -> None:
        maeve, *others = cast()
        event = rated(maeve, *others)
        Player.objects.filter(pk=maeve.pk).update(private=True)
        maeve.refresh_from_db()
        told = rating_effects.of_event(event, others[0])
        assert (len(told.effects), told.hidden) == (3, 1)
        assert rating_effects.of_event(event, maeve).hidden == 0

    def test_event_without_rated_games_says_so(self) -> None:
        event = played(*cast())
        cut_short("time")
        rated_now(event)
        event.refresh_from_db()
        assert rating_effects.of_event(event, None).words == rating_effects.NOTHING


class TestHistory:
    def lines(self, of: Player, reader: Player | None = None) -> list[RatedGameLine]:
        shown = Club.objects.exclude(joining=Club.Joining.INVITATION)
        return rating_effects.lines(rating_effects.changes_of(of), of, reader, shown)

    def test_latest_change_comes_first_with_details(self) -> None:
        people = cast()
        event = rated(*people, rounds=2)
        latest, earlier = self.lines(people[0], people[0])
        assert latest.change.row.at >= earlier.change.row.at
        assert latest.event == event
        assert latest.change.before.mu == earlier.change.after.mu
        game = Game.objects.get(pk=latest.path.split("/")[2])
        assert game.table.pairing.round.number == 2
        assert latest.score is not None
        assert set(latest.score) == {game.score_0, game.score_1}
        assert (latest.score[0] > latest.score[1]) is (latest.change.outcome == 1)
        names = [latest.change.partner, *latest.opponents.split(" and ")]
        assert sorted(names) == ["Ben", "Iris", "Jonah"]
        assert latest.change.sentence.startswith("You ")

    def test_others_read_the_name_in_the_history(self) -> None:
        people = cast()
        rated(*people)
        assert self.lines(people[0])[0].change.sentence.startswith("Maeve ")

    def test_a_directors_result_leads_to_its_round(self) -> None:
        people = cast()
        event = played(*people)
        Pairing.objects.update(how=Pairing.How.DIRECTOR)
        rated_now(event)
        assert self.lines(people[0])[0].path == f"/events/{event.pk}/rounds/1/#round-1-table-1"

    def test_closed_club_details_are_hidden_in_the_history(self) -> None:
        maeve, *others = cast()
        rated(maeve, *others, of=build.club(joining=Club.Joining.INVITATION))
        line = self.lines(maeve, player("Otto"))[0]
        assert (line.event, line.change.partner, line.opponents, line.path) == (None, "", "", "")
        assert all(name not in line.change.sentence for name in ("Ben", "Iris", "Jonah"))
        for insider in (maeve, others[1]):
            seen = self.lines(maeve, insider)[0]
            assert seen.event is not None
            assert seen.path.startswith(f"/events/{seen.event.pk}/rounds/1/tables/1/?game=")

    def test_more_games_take_no_more_queries(self) -> None:
        people = cast()
        counts = []
        for rounds in (1, 3):
            rated(*people, rounds=rounds, of=build.club(f"Club {rounds}"))
            with CaptureQueriesContext(connection) as queries:
                self.lines(people[0], people[1])
            counts.append(len(queries))
        assert counts == [4, 4]
