"""Somebody leaves a rated game: what becomes of whose rating."""

from itertools import pairwise
from typing import Any

import pytest

from games.engine.rules import CLASSIC_24, HEADS_UP
from games.models import Game, GameEvent, Performance, Seat
from games.records import performances
from tests.factories import cast, member, play_out, table
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON
from tournaments.entering import leaving_running_event
from tournaments.event_page import page_values, showing
from tournaments.models import Entry, EntryPlayer, Event, Pairing, RatingChange
from tournaments.ratings import effects as rating_effects
from tournaments.ratings import rating_games
from tournaments.ratings.units import Drawn, RatedShare, shares_of

pytestmark = pytest.mark.django_db

DRAWN_BY_LOT = Drawn(((1, 3), (2, 4)), ((11, 13), (12, 14)))
PAIRS = Drawn(((1, 3), (2, 4)), ((11, 11), (12, 12)))
ALONE = Drawn(((1,), (2,)), ((11,), (12,)))
WHOLE, NOTHING = RatedShare(1, 1), RatedShare(0, 0)


class TestShares:
    """Player 1 has seat 0 (bit 1 of a hand's figure), then 2, 3 and 4."""

    def test_full_game_is_rated_by_its_result(self) -> None:
        assert shares_of("0000000000", DRAWN_BY_LOT) == ((WHOLE, WHOLE), (WHOLE, WHOLE))

    def test_absent_player_takes_the_whole_loss(self) -> None:
        (mine, partner), others = shares_of("1111111111", DRAWN_BY_LOT)
        assert mine == RatedShare(gained=0, lost=1)
        assert partner == RatedShare(gained=1, lost=0)
        assert others == (RatedShare(1, 0), RatedShare(1, 0))

    def test_leaving_in_the_last_hand_saves_no_rating(self) -> None:
        (mine, partner), others = shares_of("0000000001", DRAWN_BY_LOT)
        assert mine == RatedShare(0.9, 1)
        assert (partner, *others) == (RatedShare(1, 0.9),) * 3

    def test_return_in_the_last_hand_gains_that_hand(self) -> None:
        ((mine, _partner), _others) = shares_of("1111111110", DRAWN_BY_LOT)
        assert mine == RatedShare(0.1, 1)

    def test_pair_shares_the_loss_of_a_leaver(self) -> None:
        (mine, partner), others = shares_of("0001111111", PAIRS)
        assert mine == RatedShare(0.3, 1)
        assert partner == WHOLE
        assert others == (RatedShare(1, 0.3),) * 2

    def test_heads_up_leaver_has_no_partner(self) -> None:
        assert shares_of("0011", ALONE) == ((RatedShare(0.5, 1),), (RatedShare(1, 0.5),))

    def test_leavers_on_both_sides(self) -> None:
        """Player 1 goes after two hands of ten, player 2 of the other side after four."""
        (one, three), (two, four) = shares_of("0011333333", DRAWN_BY_LOT)
        assert one == RatedShare(0.2, 1)
        assert two == RatedShare(0.4, 0.8)
        assert three == four == RatedShare(1, 0.2)

    def test_leaving_later_never_saves_more(self) -> None:
        later = [shares_of("0" * left + "1" * (10 - left), DRAWN_BY_LOT) for left in range(11)]
        for before, after in pairwise(later):
            assert before[0][0].lost == after[0][0].lost == 1
            assert before[0][0].gained < after[0][0].gained
            assert before[1][0].lost < after[1][0].lost


def one_match(fmt: str = "rotation", **fields: Any) -> tuple[Event, Pairing]:
    """A rated event of one match whose players have been called."""
    rules = fields.pop("rules", CLASSIC_24)
    pairs = fmt != "rotation" and rules is CLASSIC_24
    settings = {"format": fmt, "rules": rules, "rounds": 1, "minimum": 2, "no_show": "stand_in"}
    event = build.event(**{**settings, **fields})
    people = cast()[: rules.players]
    groups = [people[:2], people[2:]] if pairs else [[one] for one in people]
    for arrival, group in enumerate(groups, start=1):
        entry = Entry.objects.create(event=event, state=Entry.State.ENTERED, arrival=arrival)
        for position, one in enumerate(group):
            EntryPlayer.objects.create(event=event, entry=entry, player=one, position=position)
    build.begin(event)
    return event, Pairing.objects.get()


def over(event: Event, side: int, stood_in: str) -> None:
    """Let a side win the match, with house players in some of its hands, and rate it."""
    pairing = Pairing.objects.get()
    build.win(pairing, side, at=NOON + MINUTE)
    Game.objects.update(noted=True, stood_in=stood_in)
    build.step(event, NOON + 2 * MINUTE)
    assert event.state == Event.State.FINISHED
    rating_games.catch_up()


def changes() -> dict[int, RatingChange]:
    """What the match did, by seat."""
    seats = dict(Seat.objects.values_list("player", "position"))
    return {seats[one.player_id]: one for one in RatingChange.objects.all()}


class TestSettledWhenItBegins:
    def test_fully_attended_match_is_rated(self) -> None:
        event, pairing = one_match()
        build.arrive(event)
        build.step(event, NOON + MINUTE)
        pairing.refresh_from_db()
        assert pairing.rated

    def test_attendance_is_fixed_when_the_game_begins(self) -> None:
        event, pairing = one_match()
        build.arrive(event)
        late = Seat.objects.get(position=2)
        Seat.objects.filter(pk=late.pk).update(last_seen=NOON.replace(year=2000))
        build.step(event, NOON + event.no_show_minutes * MINUTE)
        pairing.refresh_from_db()
        assert pairing.state == Pairing.State.PLAYING
        assert not pairing.rated
        event = Event.objects.select_related("club").get(pk=event.pk)
        assert late.player is not None
        drawn = showing.draw_mine(page_values.read(event, NOON), late.player)
        assert "Not rated: not everybody had come when this match began." in drawn[showing.MINE]
        Seat.objects.filter(pk=late.pk).update(stand_in=False)
        over(event, 0, "4000000000")
        assert not RatingChange.objects.exists()
        game = Game.objects.get()
        assert rating_effects.of_game(game, None).words == rating_effects.ABSENT

    def test_leaver_between_games_is_rated_for_the_second(self) -> None:
        event, pairing = one_match(
            "single_elimination", rules=HEADS_UP, match=Event.Match.BEST_OF_3
        )
        build.arrive(event)
        build.step(event, NOON)
        build.win(pairing, 0, at=NOON)
        Seat.objects.filter(position=1).update(stand_in=True)
        build.step(event, NOON + MINUTE)
        build.win(pairing, 0, at=NOON + MINUTE)
        Game.objects.filter(number=1).update(noted=True, stood_in="0" * 8)
        Game.objects.filter(number=2).update(noted=True, stood_in="2" * 8)
        build.step(event, NOON + 2 * MINUTE)
        rating_games.catch_up()
        loser = Seat.objects.get(position=1).player
        lost = RatingChange.objects.filter(player=loser).order_by("number")
        assert [one.weight for one in lost] == [1, 1]
        assert lost[1].mu_after < lost[0].mu_after < 1500

    def test_unstarted_match_is_not_rated(self) -> None:
        event, pairing = one_match(no_show="forfeit")
        Seat.objects.filter(position__in=(0, 2)).update(last_seen=NOON.replace(year=2100))
        build.step(event, NOON + event.no_show_minutes * MINUTE)
        pairing.refresh_from_db()
        assert (pairing.how, pairing.rated) == (Pairing.How.FORFEIT, False)
        rating_games.catch_up()
        assert not RatingChange.objects.exists()


class TestRated:
    @pytest.fixture
    def event(self) -> Event:
        event, _pairing = one_match()
        build.arrive(event)
        build.step(event, NOON)
        return event

    def test_absent_player_loses_as_if_present(self, event: Event) -> None:
        over(event, 1, "1" * 10)
        told = changes()
        assert told[0].mu_after < 1490
        assert told[0].weight == 1
        assert told[2].mu_after == told[2].mu_before
        assert told[2].sigma_after == told[2].sigma_before
        assert all(told[seat].mu_after > 1510 and told[seat].weight == 1 for seat in (1, 3))

    def test_return_for_the_last_of_ten_hands_gains_a_tenth(self, event: Event) -> None:
        over(event, 0, "1" * 9 + "0")
        told = changes()
        assert told[0].weight == pytest.approx(0.1)
        gain = told[2].mu_after - told[2].mu_before
        assert told[0].mu_after - told[0].mu_before == pytest.approx(gain / 10)
        assert told[1].weight == told[3].weight == pytest.approx(0.1)
        sentence = rating_effects.of_game(Game.objects.get(), told[0].player).effects[0][1]
        assert sentence is not None
        assert sentence.sentence.endswith("counts: not everybody played it to its end.")
        assert rating_games.inconsistent_pools() == []

    def test_leaving_a_losing_game_saves_no_rating(self, event: Event) -> None:
        over(event, 1, "0000011111")
        told = changes()
        stayed = told[1].mu_after - 1500
        assert told[0].mu_after - 1500 == pytest.approx(-stayed)
        assert told[2].weight == 0.5


class TestWithdrawn:
    def test_withdrawal_during_a_game_rates_only_the_leaver(self) -> None:
        event, pairing = one_match("single_elimination")
        build.arrive(event)
        build.step(event, NOON)
        Game.objects.update(score_0=8, score_1=9)
        entry = pairing.entries.get(side=0).entry
        leaving_running_event.withdraw(entry, member("Ada"), NOON + MINUTE)
        build.step(event, NOON + 2 * MINUTE)
        Game.objects.update(noted=True)
        rating_games.catch_up()
        told = changes()
        assert [told[seat].weight for seat in range(4)] == [1, 0, 1, 0]
        assert told[0].mu_after < 1490
        assert told[1].mu_after == told[1].mu_before

    def test_directors_forfeit_is_not_leaving(self) -> None:
        event, pairing = one_match("single_elimination")
        build.arrive(event)
        build.step(event, NOON)
        Pairing.objects.update(state="decided", how="forfeit", winner=1, decided=NOON)
        Game.objects.update(state="abandoned", ended=NOON, noted=True, stood_in="00")
        pairing.corrections.create(by=member("Ada"), before={}, after={}, reason="Rude.")
        build.step(event, NOON + 2 * MINUTE)
        rating_games.catch_up()
        assert event.state == Event.State.FINISHED
        assert changes() == {}

    @pytest.mark.parametrize(("results", "rated"), [([-1, 1], True), ([None, None], False)])
    def test_finished_game_is_rated_by_the_result_that_counts(
        self, results: list[int | None], *, rated: bool
    ) -> None:
        """The log's winner was side 0; a director has given the match to the other side."""
        event, pairing = one_match("single_elimination")
        build.arrive(event)
        build.step(event, NOON)
        Pairing.objects.update(state="decided", how="forfeit", winner=1, decided=NOON)
        Game.objects.update(
            state="over", winner=0, ended=NOON, noted=True, stood_in="00",
            ruling={"results": results, "score": [3, 5], "how": "forfeit"},
        )  # fmt: skip
        pairing.corrections.create(by=member("Ada"), before={}, after={}, reason="Cards up.")
        build.step(event, NOON + 2 * MINUTE)
        rating_games.catch_up()
        told = changes()
        assert bool(told) == rated
        assert not rated or told[0].mu_after < told[0].mu_before < told[1].mu_after

    def test_where_partners_change_a_house_player_goes_on_for_good(self) -> None:
        event, _pairing = one_match()
        build.arrive(event)
        build.step(event, NOON)
        gone = Seat.objects.get(position=1).player
        entry = Entry.objects.get(players__player=gone)
        leaving_running_event.withdraw(entry, member("Ada"), NOON + MINUTE)
        over(event, 0, "0022222222")
        told = changes()
        assert (told[1].weight, told[3].weight) == (1, 0.2)
        assert told[1].mu_after < told[3].mu_after < 1500


def forget() -> None:
    """Let all games be noted anew."""
    Performance.objects.all().delete()
    Game.objects.update(noted=False)


def test_log_shows_which_hands_the_house_played_for_a_player() -> None:
    game = play_out(table(*cast()), by=GameEvent.By.PERSON)
    performances.record(game)
    game.refresh_from_db()
    hands = len(game.stood_in)
    assert game.stood_in == "0" * hands
    mine = list(game.events.filter(seat=2).order_by("seq"))
    mine[-1].by = GameEvent.By.HOUSE
    mine[-1].save()
    forget()
    game.refresh_from_db()
    performances.record(game)
    game.refresh_from_db()
    assert game.stood_in.count("4") == 1
    assert game.stood_in.count("0") == hands - 1
    first = next(one for one in game.events.filter(seat=0).order_by("seq"))
    game.events.filter(pk=first.pk).update(by=GameEvent.By.HOUSE)
    forget()
    performances.record(game)
    game.refresh_from_db()
    assert sum(hand in "15" for hand in game.stood_in) == 1


def test_seated_house_players_do_not_stand_in() -> None:
    maeve, *_others = cast()
    game = play_out(table(maeve, house_seats=(1, 2, 3)), by=GameEvent.By.HOUSE)
    performances.record(game)
    game.refresh_from_db()
    assert set(game.stood_in) <= {"0", "1"}
    assert "1" in game.stood_in
