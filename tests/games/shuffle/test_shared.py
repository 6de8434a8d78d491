"""Deals that several tables share: one shuffle, contributed to by all, published at the end."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final
from uuid import UUID

import pytest
from django.test import Client
from django.utils import timezone

from games.engine import shuffle as euf1
from games.engine.rules import CLASSIC_24, RuleSet
from games.fairness import proofs, publishing
from games.files.record import read_record
from games.models import Game, GameEvent, LogLine, Seat, SharedDeals, Table
from games.records import game_files
from games.seats import reserved
from games.seats.reserved import ReservedTable
from games.shuffle import public_log, shared, shuffling
from games.shuffle.secret_box import unseal
from games.shuffle.shuffling import COMMIT_WITHIN, REVEAL_WITHIN, ShuffleError
from tests.factories import people, play_out
from tests.games import verifying
from tests.games.shuffles import Browser

pytestmark = pytest.mark.django_db
RULES: Final = replace(CLASSIC_24, target=None, deals=2, thrown_in_counts=True)


def tables(count: int = 3, rules: RuleSet = RULES) -> list[Table]:
    """Reserved tables that share their deals, at which everybody is here with a browser."""
    everybody = people(4 * count)
    places = [
        ReservedTable(everybody[4 * at : 4 * at + 4], f"Table {at + 1}", "/", None, at + 1)
        for at in range(count)
    ]
    opened = reserved.open_tables(places, rules, places[0].players[0], same_deals=count)
    here = Seat.objects.filter(table__in=opened)
    here.update(last_seen=timezone.now(), throws_in=True)
    return opened


def browsers(of: Sequence[Table]) -> list[Browser]:
    """The browsers of everybody, by table and seat."""
    return [
        Browser(seat.player, at, seat.position)
        for at in of
        for seat in at.seats.select_related("player").order_by("position")
        if seat.player is not None
    ]


def begin(of: Sequence[Table], rules: RuleSet = RULES) -> None:
    for at in of:
        reserved.begin(at.pk, 1, rules)


def go_on(of: Sequence[Table], later: timedelta) -> None:
    """What the sweep does at a later moment."""
    for at in of:
        shuffling.advance(at.pk, timezone.now() + later)


def started(count: int = 3, rules: RuleSet = RULES) -> list[Table]:
    """Tables that have begun without any browser's number."""
    at = tables(count, rules)
    Seat.objects.filter(table__in=at).update(throws_in=False)
    begin(at, rules)
    go_on(at, timedelta())
    return at


def games(of: Sequence[Table]) -> list[Game]:
    return [at.games.select_related("table__shared_deals").get() for at in of]


def kinds(match: UUID) -> list[str]:
    """The kinds of the log's lines about a match."""
    public_log.chain()
    return list(
        LogLine.objects.filter(match=match).order_by("place").values_list("kind", flat=True)
    )


def packs(game: Game, count: int = 5) -> list[tuple[int, ...]]:
    rules, mixed = game.rules, bytes(game.mixed)
    return [euf1.shuffled(rules, unseal(game.secret), mixed, deal)[0] for deal in range(count)]


def test_one_promise_is_made_for_all_tables() -> None:
    at = tables()
    deals = SharedDeals.objects.get()
    assert deals.seats == 12
    assert deals.commitment == euf1.commit(deals.pk.bytes, unseal(deals.secret))
    assert kinds(deals.pk) == ["created"]
    assert LogLine.objects.count() == 1
    assert {bytes(one.shuffles.get().commitment) for one in at} == {bytes(deals.commitment)}


def test_all_tables_have_the_same_deals_that_everybody_has_contributed_to() -> None:
    at = tables()
    everybody = browsers(at)
    for browser in everybody:
        browser.commit()
    begin(at)
    assert not Game.objects.exists()
    for browser in everybody:
        browser.reveal()
    go_on(at, timedelta())  # done after the commit
    deals, found = SharedDeals.objects.get(), games(at)
    numbers = [browser.number for browser in everybody]
    assert shared.contributions(deals) == numbers
    promised = shared.frozen_commitments(deals)
    mixed = euf1.mix(deals.pk.bytes, bytes(deals.commitment), promised, numbers)
    for game in found:
        assert bytes(game.mixed) == mixed
        assert game.first_dealer == euf1.first_dealer(unseal(deals.secret), mixed, 4)
        assert packs(game) == packs(found[0])
    assert len({game.pk for game in found} | {deals.pk}) == 4
    assert kinds(deals.pk) == ["created", "started"]


def test_no_table_begins_before_all_have_begun() -> None:
    first, second, third = at = tables()
    Seat.objects.filter(table__in=at).update(throws_in=False)
    begin([first, second])
    go_on([first, second], COMMIT_WITHIN + REVEAL_WITHIN)
    assert not Game.objects.exists()
    begin([third])
    go_on(at, timedelta())
    assert Game.objects.count() == 3


def test_a_table_closed_before_holds_up_nobody_and_tells_nothing() -> None:
    first, second, third = at = tables()
    Seat.objects.filter(table__in=at).update(throws_in=False)
    begin([first, second])
    reserved.end(third.pk, timezone.now())
    go_on([first, second], COMMIT_WITHIN)
    assert [one.games.count() for one in at] == [1, 1, 0]
    assert kinds(SharedDeals.objects.get().pk) == ["created", "started"]
    assert not LogLine.objects.filter(kind=LogLine.Kind.ABORTED).exists()


def test_tables_do_not_wait_for_ever_for_one_whose_owner_has_failed() -> None:
    first, second, third = at = tables()
    Seat.objects.filter(table__in=at).update(throws_in=False)
    begin([first, second])
    go_on([first], shared.TOGETHER_WITHIN + COMMIT_WITHIN)
    go_on([second], shared.TOGETHER_WITHIN + COMMIT_WITHIN)
    assert [one.games.count() for one in at] == [1, 1, 0]
    begin([third])
    assert len({packs(game)[0] for game in games(at)}) == 1


def test_a_late_or_different_number_contributes_nothing() -> None:
    at = tables(2)
    late, silent, wrong, *others = browsers(at)
    for browser in (silent, wrong, *others):
        browser.commit()
    begin(at)
    assert SharedDeals.objects.get().frozen is None
    go_on(at, COMMIT_WITHIN)
    assert SharedDeals.objects.get().frozen is not None
    with pytest.raises(ShuffleError, match="frozen"):
        late.commit()
    kept, wrong.number = wrong.number, bytes(31) + b"x"
    with pytest.raises(ShuffleError, match="not the number"):
        wrong.reveal()
    for browser in others:
        browser.reveal()
    assert not Game.objects.exists()
    go_on(at, COMMIT_WITHIN + REVEAL_WITHIN)
    assert Game.objects.count() == 2
    given = shared.contributions(SharedDeals.objects.get())
    assert given == [euf1.NOTHING] * 3 + [browser.number for browser in others]
    assert kept not in given


def test_a_number_fits_only_its_own_seat_among_those_of_all_tables() -> None:
    at = tables(2)
    first, *_, last = browsers(at)
    last.position = first.position
    last.commit()
    begin(at)
    go_on(at, COMMIT_WITHIN)
    with pytest.raises(ShuffleError, match="not the number"):
        last.reveal()


def test_the_secret_is_published_when_the_last_table_has_finished() -> None:
    at = started()
    deals, now = SharedDeals.objects.get(), timezone.now()
    for one in at[:-1]:
        play_out(one)
        assert shared.open_played() == 0
        assert publishing.publish_ended(now) == 0
    assert kinds(deals.pk) == ["created", "started"]
    assert Table.objects.get(pk=at[0].pk).sealed
    with pytest.raises(ValueError, match="still being played"):
        publishing.publish(games(at)[0])
    play_out(at[-1])
    assert shared.open_played() == 1
    assert shared.open_played() == 0
    assert not Table.objects.get(pk=at[0].pk).sealed
    assert publishing.publish_ended(now) == 3
    assert kinds(deals.pk) == ["created", "started", "opened"]
    line = LogLine.objects.get(match=deals.pk, kind=LogLine.Kind.OPENED)
    assert line.data["secret"] == unseal(deals.secret).hex()
    assert line.data["games"] == [str(game.pk) for game in games(at)]


def test_deals_that_nobody_plays_are_opened_too() -> None:
    at = tables(2)
    for one in at:
        reserved.end(one.pk, timezone.now())
    assert shared.open_played() == 1
    assert kinds(SharedDeals.objects.get().pk) == ["created", "opened"]


def test_a_table_that_shares_deals_plays_one_game() -> None:
    at = started(2)
    play_out(at[0])
    with pytest.raises(ValueError, match="one game"):
        reserved.begin(at[0].pk, 2, RULES)


def test_no_more_tables_share_than_can_be_numbered() -> None:
    with pytest.raises(ValueError, match="1 to 63"):
        shared.commit_to(64)


@pytest.mark.parametrize("count", [2, 3])
def test_the_record_is_verified_by_the_script_and_read_again(count: int) -> None:
    at = tables(count)
    everybody = browsers(at)
    for browser in everybody[1:]:
        browser.commit()
    begin(at)
    go_on(at, COMMIT_WITHIN)
    for browser in everybody[2:]:
        browser.reveal()
    go_on(at, COMMIT_WITHIN + REVEAL_WITHIN)
    for one in at:
        play_out(one, by=GameEvent.By.HOUSE)
    shared.open_played()
    publishing.publish_ended(timezone.now())
    public_log.chain()
    for game in games(at):
        data = game_files.record_file(game)
        record = read_record(data)
        assert record.shared == (game.table.shared_deals_id, game.table.number_in_deals)
        assert verifying.faults(data) == []
        log = Client().get(f"/fairness/log/{game.pk}.ndjson").content
        assert verifying.faults_with_log(data, log) == []
        whole = Client().get("/fairness/log.ndjson").content
        assert verifying.faults_with_log(data, whole) == []
        other = data.replace(str(record.match).encode(), str(record.game_id).encode())
        assert verifying.faults(other) != []
        proof = proofs.proof_of(game, None)
        assert proof.shuffle_id == record.match
        seats = next(step for step in proof.steps if step.name == "seats")
        assert [one.title for one in seats.values][4] == "Table 2, North"
        assert len(seats.values) == 4 * count
