"""Duplicate events: the same deals at all tables, compared when the last table has finished."""

from dataclasses import replace
from datetime import timedelta
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from games.engine.actions import FOLDS
from games.engine.deal import Deal
from games.engine.game import Game as Play
from games.engine.rules import DEALER_NAMES, JOKER_33, STICK_THE_DEALER, RuleSet
from games.models import Game, GameEvent, LogLine, Seat, SharedDeals, Table
from games.records.deals import deal_results, dealt_in
from games.seats import consent
from games.seats.seating import SeatingError
from games.shuffle import shared, shuffling
from games.shuffle.dealing import packs_of
from tests.chance import CLUB_24, CLUB_33
from tests.factories import finish, play_on, play_out, push
from tests.tournaments import build
from tests.tournaments.build import NOON
from tournaments.acts import correcting, starting_and_ending
from tournaments.entering import leaving_running_event
from tournaments.formats.comparison import FORFEIT_LOST, FORFEIT_WON
from tournaments.formats.tie_breaks import TieBreak
from tournaments.models import Entry, Event, Pairing
from tournaments.refusals import RefusedError
from tournaments.results import event_rows, travellers
from tournaments.results.match_lines import matches_of, teams_drawn
from tournaments.standings import ranking

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


def event(entries: int = 12, **fields: Any) -> Event:
    """A duplicate event of two deals a round whose first round has been drawn."""
    settings = {"format": "duplicate", "match": "deals", "deals": 2, "rounds": 2, "rated": False}
    made = build.event(**{**settings, **fields})
    build.enter(made, entries)
    build.begin(made)
    return made


def pairings(of: Event) -> list[Pairing]:
    """The matches of the latest round by table."""
    found = build.latest(of).pairings.select_related("table__shared_deals", "round")
    return list(found.order_by("number"))


def seat_all(at: Event) -> None:
    """Let everybody come, and every table deal."""
    build.arrive(at)
    build.step(at, NOON)
    for table in Table.objects.filter(pairing__round=build.latest(at)):
        shuffling.advance(table.pk, timezone.now())

    shuffling.advance(table.pk, timezone.now())


def play(at: Event, pairing: Pairing, thrown_in: int = 0) -> None:
    """Play a table to its end, and let the event take its result."""
    assert pairing.table is not None
    play_out(Table.objects.get(pairing=pairing), thrown_in=thrown_in)
    build.step(at, NOON)


def packs(game: Game) -> list[tuple[tuple[int, ...], int]]:
    """The first deals of a game with their dealers, as they are dealt."""
    engine = Play(game.rules, game.first_dealer, packs_of(game))
    return [(tuple(engine.deal.pack), engine.deal.dealer)]


@pytest.mark.parametrize("rules", [JOKER_33, STICK_THE_DEALER])
@pytest.mark.parametrize(("form", "entries"), [("duplicate", 12), ("duplicate_pairs", 6)])
def test_every_table_has_the_same_deals(rules: RuleSet, form: str, entries: int) -> None:
    at = event(entries, rules=rules, format=form)
    seat_all(at)
    games = list(Game.objects.select_related("table").order_by("table"))
    assert len(games) == 3
    assert len({(bytes(one.mixed), one.first_dealer) for one in games}) == 1
    for one in games:
        assert packs(one) == packs(games[0])
        assert (one.rules.cut, one.rules.packets_by_dealer) == (False, False)
        assert (one.rules.deals, one.rules.thrown_in_counts) == (2, True)


def test_no_table_begins_before_everybody_has_come_to_all() -> None:
    at = event()
    first, *others = pairings(at)
    Seat.objects.filter(table=first.table).update(last_seen=timezone.now())
    build.step(at, NOON + MINUTE)
    assert not Table.objects.exclude(state=Table.State.GATHERING).exists()
    Seat.objects.filter(table__in=[one.table for one in others]).update(last_seen=timezone.now())
    build.step(at, NOON + MINUTE)
    assert {one.state for one in pairings(at)} == {Pairing.State.PLAYING}


def test_who_has_not_come_in_time_holds_up_nobody_and_scores_less_than_the_average() -> None:
    at = event()
    build.arrive(at)
    late = pairings(at)[2]
    seat = Seat.objects.filter(table=late.table, position=1).get()
    Seat.objects.filter(pk=seat.pk).update(last_seen=late.round.called - MINUTE)
    build.step(at, NOON + 6 * MINUTE)
    for table in Table.objects.filter(pairing__round=build.latest(at)).exclude(state="closed"):
        shuffling.advance(table.pk, timezone.now())
    assert [one.how for one in pairings(at)] == ["", "", "forfeit"]
    for one in pairings(at)[:2]:
        play(at, one)
    round_ = at.played_rounds.get(number=1)
    assert round_.over is not None
    absent = [line.entry_id for line in late.entries.filter(side=1)]
    lines = {line.entry.pk: line for line in ranking.standings_of(at, 1).lines}
    for entry in absent:
        assert lines[entry].values[TieBreak.DUPLICATE] == -1
    for line in late.entries.filter(side=0):
        assert lines[line.entry_id].values[TieBreak.DUPLICATE] == 0
    deal = travellers.travellers_of(at, round_, teams_drawn(at))[0]
    assert deal.missing == ((3, "forfeited"),)
    assert len(deal.lines) == 2


def test_scores_follow_from_the_deals_and_add_up_to_0() -> None:
    at = event()
    seat_all(at)
    for one in pairings(at):
        play(at, one)
    round_ = at.played_rounds.get(number=1)
    found = travellers.travellers_of(at, round_, teams_drawn(at))
    assert [deal.dealt.number for deal in found] == [1, 2]
    for deal in found:
        assert len(deal.lines) == 3
        assert sum(line.score or 0 for line in deal.lines) == pytest.approx(0)
        total = sum(line.net for line in deal.lines)
        for line in deal.lines:
            others = Fraction(total - line.net, 2)
            assert line.score == pytest.approx(float(line.net - others))
    (played,) = event_rows.rounds_of(at)
    scores = {match.pairing.table: sum(match.scores[0]) for match in played.matches}
    by_table = dict.fromkeys((1, 2, 3), 0.0)
    for deal in found:
        for line in deal.lines:
            by_table[line.table] += line.score or 0
    assert {table: float(score) for table, score in scores.items()} == pytest.approx(by_table)
    table = ranking.standings_of(at, 1)
    assert sum(line.values[TieBreak.DUPLICATE] or 0 for line in table.lines) == 0
    assert all(line.score_error is not None for line in table.lines)


def test_the_double_dummy_result_is_that_of_the_open_hands() -> None:
    at = event()
    seat_all(at)
    play(at, pairings(at)[0])
    results = pairings(at)[0].deal_results
    assert len(results) == 2
    for result in results:
        if result["maker"] >= 0:
            assert 0 <= result["best"] <= 5
        else:
            assert result["best"] is None
    game = Game.objects.get(table=pairings(at)[0].table)
    assert list(deal_results(game.pk, game.version)) == results
    assert sum(one["net"] for one in results) == game.score_0 - game.score_1


def test_a_hand_that_all_pass_counts_as_0_and_is_not_dealt_again() -> None:
    at = event(deals=3)
    seat_all(at)
    first, second, third = pairings(at)
    play(at, first, thrown_in=2)
    play(at, second)
    play(at, third)
    results = [one.deal_results for one in pairings_of_round(at, 1)]
    assert [len(one) for one in results] == [3, 3, 3]
    assert [one["outcome"] for one in results[0][:2]] == ["thrown in"] * 2
    assert [one["net"] for one in results[0][:2]] == [0, 0]
    dealers = {
        game.pk: [deal.dealer for deal in dealt_in(game.pk)]
        for game in Game.objects.filter(table__pairing__round__number=1)
    }
    assert len({tuple(one) for one in dealers.values()}) == 1


def test_a_hand_folded_at_one_table_counts_as_0_there_and_is_not_dealt_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Deal, "held_against_folding", lambda _deal, _hand: 0)  # any hand
    rules = replace(CLUB_33, benny=False, joker_turned_up=DEALER_NAMES, pack=32)
    at = event(rules=replace(rules, no_lone_near_end=True), deals=2)
    seat_all(at)
    for number, pairing in enumerate(pairings(at)):
        table = Table.objects.get(pairing=pairing)
        game = table.games.get()
        assert not game.rules.no_lone_near_end  # there is no target to be near to
        engine, chance = Play(game.rules, game.first_dealer, packs_of(game)), Random(number)
        events = []
        while not engine.standing.over:
            legal = [one for one in engine.legal_actions() if one != FOLDS]
            folds = number == 0 and engine.version == 0
            events.append(push(game, engine, FOLDS if folds else chance.choice(legal)))
        GameEvent.objects.bulk_create(events)
        finish(table, engine.standing)
        build.step(at, NOON)
    results = [one.deal_results for one in pairings_of_round(at, 1)]
    assert [len(one) for one in results] == [2, 2, 2]
    folded = results[0][0]
    assert (folded["outcome"], folded["net"], folded["best"]) == ("folded", 0, None)
    assert all(one[0]["outcome"] != "folded" for one in results[1:])
    games = Game.objects.filter(table__pairing__round__number=1)
    assert len({tuple(deal.dealer for deal in dealt_in(game.pk)) for game in games}) == 1
    found = travellers.travellers_of(at, at.played_rounds.get(number=1), teams_drawn(at))
    lines = {line.table: line for line in found[0].lines}
    assert (lines[1].made.outcome, lines[1].made.maker, lines[1].best) == ("Folded", "", None)
    assert Client().get(f"/events/{at.pk}/").status_code == 200


def test_a_traveller_says_no_trump(monkeypatch: pytest.MonkeyPatch) -> None:
    at = event(rules=replace(CLUB_24, fold="never", farmers_hand=False), deals=1)
    seat_all(at)
    for pairing in pairings(at):
        table = Table.objects.get(pairing=pairing)
        game = table.games.get()
        engine, chance = Play(game.rules, game.first_dealer, packs_of(game)), Random(1)
        events = []
        while not engine.standing.over:
            legal = engine.legal_actions()
            wanted = [one for one in legal if str(one) in ("pass", "make LNT")]
            action = wanted[-1] if wanted else chance.choice(legal)
            events.append(push(game, engine, action))
        GameEvent.objects.bulk_create(events)
        finish(table, engine.standing)
        build.step(at, NOON)
    (deal,) = travellers.travellers_of(at, at.played_rounds.get(number=1), teams_drawn(at))
    assert {(line.made.suit, line.made.letter) for line in deal.lines} == {("low no trump", "")}


def pairings_of_round(of: Event, number: int) -> list[Pairing]:
    found = of.played_rounds.get(number=number).pairings
    return list(found.select_related("table__shared_deals").order_by("number"))


def test_nothing_is_said_of_a_score_before_the_last_table_has_finished() -> None:
    at = event()
    seat_all(at)
    first, *others = pairings(at)
    play(at, first)
    assert pairings(at)[0].state == Pairing.State.DECIDED
    lines = matches_of(at, Pairing.objects.filter(round__event=at), teams_drawn(at))
    assert [line.words for line in lines] == ["Finished; others still play", "Hand 1", "Hand 1"]
    for line in lines:
        assert [side.count for side in line.sides] == ["", ""]
        assert not any(side.won for side in line.sides)
        assert not line.tied
    with pytest.raises(ValueError, match="still being played"):
        travellers.travellers_of(at, build.latest(at), teams_drawn(at))
    for one in others:
        play(at, one)
    assert SharedDeals.objects.filter(opened__isnull=False).count() == 1
    lines = matches_of(at, Pairing.objects.filter(round__number=1), teams_drawn(at))
    assert {line.words for line in lines} <= {"Finished", "Finished, a tie"}
    assert all(side.count for line in lines for side in line.sides)


def test_each_round_has_deals_of_its_own() -> None:
    at = event()
    for _round in range(2):
        seat_all(at)
        for one in pairings(at):
            play(at, one)
    assert SharedDeals.objects.count() == 2
    assert LogLine.objects.filter(kind=LogLine.Kind.OPENED).count() == 2
    assert len({bytes(one.mixed) for one in SharedDeals.objects.all()}) == 2
    assert at.state == Event.State.FINISHED


def test_when_time_is_up_the_deals_open_and_what_is_missing_counts_nothing() -> None:
    at = event(round_minutes=10, time_up=Event.TimeUp.SCORE)
    seat_all(at)
    first, second, _third = pairings(at)
    play(at, first)
    play(at, second)
    build.step(at, NOON + 11 * MINUTE)
    round_ = at.played_rounds.get(number=1)
    assert round_.over is not None
    found = travellers.travellers_of(at, round_, teams_drawn(at))
    assert [one.missing for one in found] == [((3, "not played to its end"),)] * 2
    (played,) = event_rows.rounds_of(at)
    assert played.matches[2].scores == ((), ())
    assert sum(played.matches[0].scores[0]) == -sum(played.matches[1].scores[0])


def test_a_director_closes_a_table_that_never_finishes() -> None:
    at = event()
    seat_all(at)
    first, second, third = pairings(at)
    ada = build.director(at.club)
    play(at, first)
    with pytest.raises(RefusedError, match="still play"):
        correcting.set_result(
            first, ada, build.ruled(0, (2, 0)), reason="Too early.", now=timezone.now()
        )
    play(at, second)
    correcting.set_result(
        third, ada, build.ruled(0, (4, 0)), reason="They had to go.", now=timezone.now()
    )
    build.step(at, NOON)
    round_ = at.played_rounds.get(number=1)
    assert round_.over is not None
    (played,) = event_rows.rounds_of(at)
    nets = [sum(one["net"] for one in row.deal_results) for row in pairings_of_round(at, 1)[:2]]
    assert played.matches[2].scores[0] == (4 - Fraction(sum(nets), 2),)
    first.refresh_from_db()
    other = (0, 4) if first.points != (0, 4) else (0, 2)
    correcting.set_result(
        first, ada, build.ruled(1, other), reason="Now it may be.", now=timezone.now()
    )
    (played,) = event_rows.rounds_of(at)
    assert len(played.matches[0].scores[0]) == 1


def test_an_event_that_is_called_off_opens_its_deals() -> None:
    at = event()
    seat_all(at)
    play(at, pairings(at)[0])
    starting_and_ending.cancel(at, build.director(at.club), "Fire alarm.", timezone.now())
    shared.open_played()
    assert SharedDeals.objects.get().opened is not None
    assert not any(one.table.sealed for one in pairings(at) if one.table is not None)


def test_what_was_played_of_a_cancelled_round_can_be_seen_once_nobody_plays_it_any_more() -> None:
    at = event(deals=3)
    seat_all(at)
    first, second, _third = pairings(at)
    play(at, first)
    play_on(Table.objects.get(pairing=second), 1)
    round_, browser = build.latest(at), Client()
    deals = f"/events/{at.pk}/rounds/1/deals/"
    assert browser.get(deals).status_code == 404
    starting_and_ending.cancel(at, build.director(at.club), "Fire alarm.", timezone.now())
    assert browser.get(deals).status_code == 404
    assert deals not in browser.get(f"/events/{at.pk}/rounds/1/").content.decode()
    shared.open_played()
    assert browser.get(deals).status_code == 200
    assert deals in browser.get(f"/events/{at.pk}/rounds/1/").content.decode()
    round_.refresh_from_db()
    found = travellers.travellers_of(round_.event, round_, teams_drawn(at))
    assert [[line.table for line in one.lines] for one in found[1:]] == [[1], [1]]
    assert sorted(line.table for line in found[0].lines) == [1, 2]
    assert sum(line.score or 0 for line in found[0].lines) == 0
    assert found[0].missing == ((3, "not played to its end"),)


def test_the_deals_of_a_round_stay_closed_while_its_matches_are_undecided() -> None:
    at = event()
    seat_all(at)
    for table in Table.objects.filter(pairing__round__event=at):
        play_out(table)
    shared.open_played()
    assert not travellers.is_open(build.latest(at))
    build.step(at, NOON)
    assert travellers.is_open(at.played_rounds.get(number=1))


def test_nothing_is_taken_back_or_given_up_at_a_table_of_shared_deals() -> None:
    at = event()
    seat_all(at)
    table = Table.objects.get(pairing=pairings(at)[0])
    sitter = table.seats.get(position=0).player
    assert sitter is not None
    with pytest.raises(SeatingError, match="stays played"):
        consent.undo(table, sitter, 1, 0, timezone.now())
    with pytest.raises(SeatingError, match="played to their end"):
        consent.propose(table, sitter, "resign", 1, timezone.now())


def test_a_partnership_that_leaves_forfeits_and_the_others_go_on() -> None:
    at = event(6, format="duplicate_pairs", rounds=3)
    seat_all(at)
    for one in pairings(at):
        play(at, one)
    gone = pairings(at)[1].entries.filter(side=0).get().entry
    Entry.objects.filter(pk=gone.pk).update(state=Entry.State.WITHDRAWN)
    for number in (2, 3):
        seat_all(at)
        for one in pairings(at):
            if one.state == Pairing.State.PLAYING:
                play(at, one)
        assert at.played_rounds.get(number=number).over is not None
    lines = {line.entry.pk: line for line in ranking.standings_of(at).lines}
    assert lines[gone.pk].place == 6


@pytest.mark.parametrize("how", ["withdrawn", "ruled"])
def test_the_deals_finished_before_a_forfeit_stay_compared(how: str) -> None:
    at = event(6, format="duplicate_pairs", deals=3)
    seat_all(at)
    first, second, third = pairings(at)
    play(at, first, thrown_in=1)
    play_on(Table.objects.get(pairing=second), 1)
    ada = build.director(at.club)
    if how == "withdrawn":
        gone = second.entries.get(side=0).entry
        leaving_running_event.withdraw(gone, ada, timezone.now())
    else:
        forfeit = build.ruled(1, ended=Pairing.How.FORFEIT)
        correcting.set_result(second, ada, forfeit, reason="They left.", now=timezone.now())
    assert pairings(at)[1].how == Pairing.How.FORFEIT
    play(at, third)
    round_ = at.played_rounds.get(number=1)
    found = travellers.travellers_of(at, round_, teams_drawn(at))
    assert [len(one.lines) for one in found] == [3, 2, 2]
    assert [one.missing for one in found] == [(), ((2, "forfeited"),), ((2, "forfeited"),)]
    nets = {line.table: line.net for line in found[0].lines}
    mine = nets[2] - Fraction(nets[1] + nets[3], 2)
    (played,) = event_rows.rounds_of(at)
    assert mine != 0
    left, stayed = played.matches[1].scores
    assert left == (mine, FORFEIT_LOST, FORFEIT_LOST)
    assert stayed == (-mine, FORFEIT_WON, FORFEIT_WON)
    assert sum(match.scores[0][0] for match in played.matches) == 0


def test_a_withdrawal_that_is_rolled_back_leaves_no_deals_behind() -> None:
    at = event(6, format="duplicate_pairs", deals=3)
    seat_all(at)
    match = pairings(at)[1]
    gone, ada = match.entries.get(side=0).entry, build.director(at.club)
    play_on(Table.objects.get(pairing=match), 1)
    with transaction.atomic():
        leaving_running_event.withdraw(gone, ada, timezone.now())
        assert len(pairings(at)[1].deal_results) == 1
        transaction.set_rollback(True)
    GameEvent.objects.filter(game__table__pairing=match).delete()
    play_on(Table.objects.get(pairing=match), 2)
    leaving_running_event.withdraw(gone, ada, timezone.now())
    assert len(pairings(at)[1].deal_results) == 2


def test_a_forfeit_ruled_after_play_counts_for_every_deal() -> None:
    at = event(6, format="duplicate_pairs")
    seat_all(at)
    for one in pairings(at):
        play(at, one)
    match = pairings_of_round(at, 1)[1]
    forfeit = build.ruled(1, ended=Pairing.How.FORFEIT)
    correcting.set_result(
        match, build.director(at.club), forfeit, reason="Told.", now=timezone.now()
    )
    (played,) = event_rows.rounds_of(at)
    assert played.matches[1].scores == ((FORFEIT_LOST,) * 2, (FORFEIT_WON,) * 2)
    found = travellers.travellers_of(at, at.played_rounds.get(number=1), teams_drawn(at))
    assert [one.missing for one in found] == [((2, "forfeited"),)] * 2


def test_the_settings_of_its_matches_and_scores() -> None:
    at = event(scoring=Event.Scores.MATCHPOINTS)
    seat_all(at)
    for one in pairings(at):
        play(at, one)
    (played,) = event_rows.rounds_of(at)
    for match in played.matches:
        assert all(abs(score) <= Fraction(1, 2) for score in match.scores[0])
