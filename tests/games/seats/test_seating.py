"""Sitting down, standing up, starting, standing in, playing again."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from games.engine.rules import CLASSIC_24, HEADS_UP
from games.models import Game, Player, Table
from games.models.tables import PATIENCE
from games.people import names as people_names
from games.seats import consent, seating
from games.seats.seating import SeatingError
from tests.factories import cast, finish, player, table

pytestmark = pytest.mark.django_db


def names(at: Table) -> list[str]:
    """Who sits there, by position; empty for a free seat."""
    return [seat.player.name if seat.player else "" for seat in at.seats.select_related("player")]


def refused(code: str) -> pytest.RaisesExc[SeatingError]:
    """Expect a SeatingError with this code."""
    return pytest.RaisesExc(SeatingError, check=lambda error: error.code == code)


class TestNames:
    """Nobody at a table has a name that sounds like another's there."""

    def test_a_house_player_gives_way_to_somebody_of_that_name(self) -> None:
        hazel = player("Hazel Pike")
        made = seating.make_table(hazel, CLASSIC_24, house_seats=[0, 1, 3], seat=2)
        assert names(made) == ["Rowan", "Aspen", "Hazel Pike", "Linden"]

    def test_a_house_player_who_takes_over_gets_a_free_name(self) -> None:
        hazel, otto = player("Aspen Hazel"), player("Otto")
        made = seating.make_table(hazel, CLASSIC_24, house_seats=[0, 3], seat=2)
        seating.sit(made, otto, 1)
        consent.leave(made, otto, 1, timezone.now())
        assert names(made) == ["Rowan", "Briar", "Aspen Hazel", "Linden"]

    def test_a_guest_is_named_unlike_the_others(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(people_names, "FIRST", "Quiet Merry")
        monkeypatch.setattr(people_names, "SECOND", "Heron Finch")
        made = seating.make_table(player("Merry Heron"), CLASSIC_24, seat=2)
        client.post(f"/tables/{made.pk}/sit", {"seat": "0"})
        assert names(made) == ["Quiet Finch", "", "Merry Heron", ""]


class TestMakeTable:
    def test_the_host_gets_the_chosen_seat(self) -> None:
        made = seating.make_table(player("Maeve"), CLASSIC_24, house_seats=[0], seat=2)
        assert names(made) == ["Rowan", "", "Maeve", ""]
        assert made.state == Table.State.GATHERING

    def test_a_table_without_a_free_seat_begins_at_once(self) -> None:
        made = seating.make_table(player("Maeve"), HEADS_UP, house_seats=[0], seat=1)
        assert made.state == Table.State.PLAYING
        assert made.games.get().seats.count() == 2

    def test_a_table_of_house_players_only_is_refused(self) -> None:
        with refused("no person"):
            seating.make_table(player(), CLASSIC_24, house_seats=range(4))
        assert not Table.objects.exists()


class TestSit:
    def test_a_seat_is_taken_once(self) -> None:
        maeve, ben, *_ = cast()
        at = table(maeve)
        with refused("taken"):
            seating.sit(at, ben, 0)
        assert names(at) == ["Maeve", "", "", ""]

    def test_an_invalid_seat_is_refused(self) -> None:
        maeve, ben, *_ = cast()
        at = table(maeve)
        with refused("no such seat"):
            seating.sit(at, ben, 4)

    def test_a_seated_player_can_move_before_the_game(self) -> None:
        maeve = player("Maeve")
        at = table(maeve)
        seating.sit(at, maeve, 3)
        assert names(at) == ["", "", "", "Maeve"]

    def test_a_refused_move_keeps_the_old_seat(self) -> None:
        maeve, ben, *_ = cast()
        at = table(maeve, ben)
        with refused("taken"):
            seating.sit(at, ben, 0)
        assert names(at) == ["Maeve", "Ben", "", ""]

    def test_sitting_down_twice_in_one_seat_changes_nothing(self) -> None:
        maeve = player("Maeve")
        at = table(maeve)
        seating.sit(at, maeve, 0)
        assert names(at) == ["Maeve", "", "", ""]

    def test_the_last_seat_taken_begins_the_game(self) -> None:
        at = table(*cast())
        assert at.state == Table.State.PLAYING
        game = at.games.get()
        assert [seat.player.name for seat in game.seats.select_related("player")] == names(at)

    def test_a_house_player_leaves_the_seat_to_a_person_in_mid_game(self) -> None:
        maeve, ben, *_ = cast()
        at = seating.play_now(maeve, CLASSIC_24)
        seating.sit(at, ben, 0, by_link=True)
        assert names(at) == ["Ben", "Hazel", "Maeve", "Linden"]
        assert at.games.get().seats.get(position=0).player == ben

    def test_a_finished_game_keeps_its_players_when_a_seat_changes(self) -> None:
        maeve, ben, *_ = cast()
        at = seating.play_now(maeve, CLASSIC_24)
        game = finish(at)
        seating.sit(at, ben, 0)
        assert game.seats.get(position=0).player.name == "Rowan"

    def test_one_player_cannot_have_two_seats(self) -> None:
        maeve = player("Maeve")
        at = seating.play_now(maeve, CLASSIC_24)
        with refused("seated"):
            seating.sit(at, maeve, 0)

    def test_a_person_who_is_away_keeps_the_seat(self) -> None:
        people = cast()
        at = table(*people)
        seating.stand_up(at, people[1])
        with refused("taken"):
            seating.sit(at, player("Otto"), 1, by_link=True)

    def test_sitting_down_at_a_closed_table_is_refused(self) -> None:
        maeve, ben, *_ = cast()
        at = table(maeve)
        seating.stand_up(at, maeve)
        with refused("closed"):
            seating.sit(at, ben, 0)


class TestStandUp:
    def test_before_the_game_the_seat_becomes_free(self) -> None:
        maeve, ben, *_ = cast()
        at = table(maeve, ben)
        seating.stand_up(at, ben)
        at.refresh_from_db()
        assert (names(at), at.state) == (["Maeve", "", "", ""], Table.State.GATHERING)

    def test_the_table_closes_when_its_host_leaves_it_without_persons(self) -> None:
        maeve = player("Maeve")
        at = table(maeve, house_seats=[1])
        seating.stand_up(at, maeve)
        at.refresh_from_db()
        assert at.state == Table.State.CLOSED

    def test_the_table_stays_when_the_host_leaves_others_there(self) -> None:
        maeve, ben, *_ = cast()
        at = table(maeve, ben)
        seating.stand_up(at, maeve)
        at.refresh_from_db()
        assert at.state == Table.State.GATHERING

    def test_standing_up_in_a_game_keeps_the_seat(self) -> None:
        people = cast()
        at = table(*people)
        seating.stand_up(at, people[1])
        assert names(at)[1] == "Ben"
        assert at.seats.get(position=1).last_seen < timezone.now() - PATIENCE

    def test_after_the_game_the_last_person_closes_the_table(self) -> None:
        maeve, ben, *_ = cast()
        at = table(maeve, ben, house_seats=[2, 3])
        finish(at)
        seating.stand_up(at, maeve)
        at.refresh_from_db()
        assert at.state == Table.State.FINISHED
        seating.stand_up(at, ben)
        at.refresh_from_db()
        assert at.state == Table.State.CLOSED

    def test_a_player_without_a_seat_cannot_stand_up(self) -> None:
        at = table(player("Maeve"))
        with refused("not seated"):
            seating.stand_up(at, player("Otto"))


class TestStart:
    def test_house_players_fill_the_free_seats(self) -> None:
        maeve, ben, *_ = cast()
        at = table(maeve, ben)
        seating.start(at, ben)
        game = at.games.get()
        assert names(at) == ["Maeve", "Ben", "Alder", "Linden"]
        assert (game.number, game.version, game.state) == (1, 0, Game.State.PLAYING)

    def test_starting_twice_gives_the_same_game(self) -> None:
        maeve = player("Maeve")
        at = table(maeve)
        seating.start(at, maeve)
        seating.start(at, maeve)
        assert at.games.count() == 1

    def test_the_host_may_start_without_a_seat_once_somebody_sits(self) -> None:
        maeve, ben, *_ = cast()
        at = seating.make_table(maeve, CLASSIC_24)
        with refused("no person"):
            seating.start(at, maeve)
        seating.sit(at, ben, 1)
        seating.start(at, maeve)
        assert at.games.get().seats.get(position=1).player == ben

    def test_a_spectator_cannot_start(self) -> None:
        at = table(player("Maeve"))
        with refused("not seated"):
            seating.start(at, player("Otto"))

    def test_a_finished_table_is_not_started_but_played_again(self) -> None:
        maeve = player("Maeve")
        at = seating.play_now(maeve, CLASSIC_24)
        finish(at)
        with refused("not playing"):
            seating.start(at, maeve)


class TestAgain:
    def test_the_next_game_has_the_same_seats(self) -> None:
        people = cast()
        at = table(*people)
        finish(at)
        seating.again(at, people[3])
        at.refresh_from_db()
        game = at.games.get(number=2)
        assert (game.number, at.state) == (2, Table.State.PLAYING)
        assert [seat.player for seat in game.seats.all()] == list(people)

    def test_a_second_click_gets_the_running_game(self) -> None:
        people = cast()
        at = table(*people)
        finish(at)
        seating.again(at, people[0])
        seating.again(at, people[1])
        assert at.games.count() == 2

    def test_a_seat_left_since_is_filled_by_a_house_player(self) -> None:
        maeve, ben, *_ = cast()
        at = table(maeve, ben, house_seats=[2, 3])
        finish(at)
        seating.stand_up(at, ben)
        seating.again(at, maeve)
        assert names(at) == ["Maeve", "Hazel", "Alder", "Linden"]

    def test_a_spectator_cannot_ask_for_another_game(self) -> None:
        at = table(*cast())
        finish(at)
        with refused("not seated"):
            seating.again(at, player("Otto"))

    def test_there_is_nothing_to_repeat_before_the_first_game(self) -> None:
        maeve = player("Maeve")
        at = table(maeve)
        with refused("not playing"):
            seating.again(at, maeve)


class TestStandIn:
    def waiting_table(self, unseen_seconds: int) -> tuple[Table, Player, Player]:
        """A table, the player whose turn it is, unseen for so long, and another."""
        people = cast()
        at = table(*people)
        turn = at.games.get().turn
        seen = timezone.now() - timedelta(seconds=unseen_seconds)
        at.seats.filter(position=turn).update(last_seen=seen)
        return at, people[turn], people[(turn + 1) % 4]

    def stood_in(self, at: Table) -> list[Player | None]:
        return [seat.player for seat in at.seats.filter(stand_in=True)]

    def test_after_a_minute_a_house_player_stands_in(self) -> None:
        at, missing, other = self.waiting_table(61)
        seating.ask_stand_in(at, other, timezone.now())
        assert self.stood_in(at) == [missing]

    def test_asking_twice_is_harmless(self) -> None:
        at, missing, other = self.waiting_table(61)
        seating.ask_stand_in(at, other, timezone.now())
        seating.ask_stand_in(at, other, timezone.now())
        assert self.stood_in(at) == [missing]

    def test_within_a_minute_it_is_refused(self) -> None:
        at, _, other = self.waiting_table(30)
        with refused("too soon"):
            seating.ask_stand_in(at, other, timezone.now())
        assert self.stood_in(at) == []

    def test_a_player_who_stood_up_is_missing_at_once(self) -> None:
        at, missing, other = self.waiting_table(0)
        seating.stand_up(at, missing)
        seating.ask_stand_in(at, other, timezone.now())
        assert self.stood_in(at) == [missing]

    def test_a_player_cannot_request_a_stand_in_for_themselves(self) -> None:
        at, missing, _ = self.waiting_table(61)
        with refused("your turn"):
            seating.ask_stand_in(at, missing, timezone.now())

    def test_a_spectator_cannot_ask(self) -> None:
        at, _, _ = self.waiting_table(61)
        with refused("not seated"):
            seating.ask_stand_in(at, player("Otto"), timezone.now())

    def test_nobody_is_missing_between_deals(self) -> None:
        at, _, other = self.waiting_table(61)
        at.games.update(turn=-1)
        with refused("nobody missing"):
            seating.ask_stand_in(at, other, timezone.now())

    def test_a_house_players_seat_needs_no_stand_in(self) -> None:
        maeve = player("Maeve")
        at = seating.play_now(maeve, CLASSIC_24)
        at.games.update(turn=0)
        with refused("nobody missing"):
            seating.ask_stand_in(at, maeve, timezone.now())

    def test_the_owner_takes_the_seat_back(self) -> None:
        at, missing, other = self.waiting_table(61)
        seating.ask_stand_in(at, other, timezone.now())
        before = timezone.now()
        seating.take_back(at, missing)
        assert self.stood_in(at) == []
        assert at.seats.get(player=missing).last_seen >= before

    def test_only_an_owner_takes_a_seat_back(self) -> None:
        at, _, _ = self.waiting_table(61)
        with refused("not seated"):
            seating.take_back(at, player("Otto"))


class TestPlayNow:
    def test_the_player_sits_south_against_house_players(self) -> None:
        at = seating.play_now(player("Maeve"), CLASSIC_24)
        assert names(at) == ["Rowan", "Hazel", "Maeve", "Linden"]
        assert (at.state, at.open) == (Table.State.PLAYING, True)

    def test_heads_up_south_is_the_second_seat(self) -> None:
        assert names(seating.play_now(player("Maeve"), HEADS_UP)) == ["Rowan", "Maeve"]

    def test_a_double_click_makes_one_table(self) -> None:
        maeve = player("Maeve")
        assert seating.play_now(maeve, CLASSIC_24) == seating.play_now(maeve, CLASSIC_24)

    def test_another_rule_set_is_another_table(self) -> None:
        maeve = player("Maeve")
        assert seating.play_now(maeve, CLASSIC_24) != seating.play_now(maeve, HEADS_UP)

    def test_house_players_are_the_same_at_every_table(self) -> None:
        first, second = (seating.play_now(player(name), CLASSIC_24) for name in ("Maeve", "Ben"))
        house = [
            set(table.seats.filter(player__kind=Player.Kind.HOUSE).values_list("player", flat=True))
            for table in (first, second)
        ]
        assert house[0] == house[1]
        assert len(house[0]) == 3
