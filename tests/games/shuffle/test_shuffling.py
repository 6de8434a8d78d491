"""What is thrown into the shuffle of a table's next game, and when the game begins."""

import secrets
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from games.engine import shuffle as euf1
from games.engine.rules import CLASSIC_24, HEADS_UP, JOKER_33, STUCK_AFTER, rules_to_data
from games.models import Contribution, Game, LogLine, Player, Table
from games.seats import closing, reserved, seating
from games.seats.reserved import ReservedTable
from games.shuffle import shuffling
from games.shuffle.secret_box import unseal
from games.shuffle.shuffling import REVEAL_WITHIN, ShuffleError
from tests.factories import cast, finish, player, table
from tests.games.shuffles import Browser, shuffle_of

pytestmark = pytest.mark.django_db
NOTHING = euf1.NOTHING


def state(at: Table) -> str:
    """The state of a table as it is stored."""
    return Table.objects.get(pk=at.pk).state


def gathering(people: Sequence[Player]) -> tuple[Table, list[Browser]]:
    """A table for two or four at which all but the last sit, with browsers that throw in."""
    rules = HEADS_UP if len(people) == 2 else CLASSIC_24
    at = seating.make_table(people[0], rules)
    for position, who in enumerate(people[:-1]):
        seating.sit(at, who, position, throws_in=True)
    return at, [Browser(who, at, position) for position, who in enumerate(people)]


def test_the_server_commits_itself_when_the_table_is_made() -> None:
    at = seating.make_table(player("Maeve"), CLASSIC_24)
    shuffle = shuffle_of(at)
    assert shuffle.commitment == euf1.commit(shuffle.pk.bytes, unseal(shuffle.secret))
    line = LogLine.objects.get(match=shuffle.pk)
    assert (line.kind, line.data) == ("created", {"commitment": shuffle.commitment.hex()})


def test_the_game_has_the_shuffle_committed_to_and_all_that_was_thrown_in() -> None:
    at, browsers = gathering(cast())
    shuffle = shuffle_of(at)
    for browser in browsers[:-1]:
        browser.commit()
    seating.sit(at, browsers[3].who, 3, throws_in=True)
    assert (state(at), at.games.count()) == (Table.State.SHUFFLING, 0)
    browsers[3].commit()
    for browser in browsers:
        browser.reveal()
    game = at.games.get()
    assert (game.pk, bytes(game.commitment)) == (shuffle.pk, bytes(shuffle.commitment))
    assert unseal(game.secret) == unseal(shuffle.secret)
    numbers = [browser.number for browser in browsers]
    promises = [browser.promise(shuffle) for browser in browsers]
    assert game.commitments_and_contributions == (tuple(promises), tuple(numbers))
    match, commitment = game.pk.bytes, bytes(game.commitment)
    assert bytes(game.mixed) == euf1.mix(match, commitment, promises, numbers)
    assert game.first_dealer == euf1.first_dealer(unseal(game.secret), bytes(game.mixed), 4)
    assert (state(at), at.shuffles.count()) == (Table.State.PLAYING, 0)
    line = LogLine.objects.get(match=game.pk, kind="started")
    assert line.data == {
        "commitments": [promise.hex() for promise in promises],
        "contributions": [number.hex() for number in numbers],
        "flags": 0,
        "mixed": bytes(game.mixed).hex(),
    }


def test_no_number_is_taken_before_all_commitments_are_frozen() -> None:
    _, browsers = gathering(cast())
    browsers[0].commit()
    with pytest.raises(ShuffleError, match="not frozen yet"):
        browsers[0].reveal()


def test_no_commitment_is_taken_once_they_are_frozen() -> None:
    at, browsers = gathering(cast())
    browsers[0].commit()
    browsers[1].commit()
    browsers[2].commit()
    seating.sit(at, browsers[3].who, 3)
    assert shuffle_of(at).frozen is not None
    with pytest.raises(ShuffleError, match="are frozen"):
        browsers[3].commit()


def test_a_number_that_was_not_committed_to_is_refused_and_counts_as_none() -> None:
    at, browsers = gathering(cast()[:2])
    for browser in browsers:
        browser.position = browsers.index(browser)
    browsers[0].commit()
    seating.sit(at, browsers[1].who, 1)
    browsers[0].number = secrets.token_bytes(32)
    with pytest.raises(ShuffleError, match="not the number"):
        browsers[0].reveal()
    frozen = shuffle_of(at).frozen
    assert frozen is not None
    shuffling.advance(at.pk, frozen + REVEAL_WITHIN - timedelta(microseconds=1))
    assert at.games.count() == 0
    shuffling.advance(at.pk, frozen + REVEAL_WITHIN)
    game = at.games.get()
    commitments, numbers = game.commitments_and_contributions
    assert commitments[0] != NOTHING
    assert (numbers, commitments[1]) == ((NOTHING, NOTHING), NOTHING)
    assert LogLine.objects.get(match=game.pk, kind="started").data["flags"] == 0b11


def test_nobody_is_waited_for_longer_than_three_seconds() -> None:
    at, browsers = gathering(cast())
    browsers[0].commit()
    seating.sit(at, browsers[3].who, 3)
    due = shuffle_of(at).due
    assert due is not None
    before = due - timedelta(microseconds=1)
    shuffling.advance(at.pk, before)
    assert (shuffle_of(at).frozen, shuffling.overdue(before)) == (None, [])
    assert shuffling.overdue(due) == [at.pk]
    shuffling.advance(at.pk, due)
    assert shuffle_of(at).frozen == due
    browsers[0].reveal()
    commitments, _ = at.games.get().commitments_and_contributions
    assert [one == NOTHING for one in commitments] == [False, True, True, True]


def test_a_table_without_browsers_that_throw_in_begins_at_once() -> None:
    at = table(*cast())
    game = at.games.get()
    assert game.commitments_and_contributions == ((NOTHING,) * 4, (NOTHING,) * 4)
    assert LogLine.objects.get(match=game.pk, kind="started").data["flags"] == 0b1111


def test_nobody_waits_for_a_browser_whose_player_has_gone() -> None:
    at, browsers = gathering(cast())
    for browser in browsers[:2]:
        browser.commit()
    long_ago = datetime(2026, 1, 1, tzinfo=UTC)
    at.seats.filter(position=2).update(last_seen=long_ago)
    seating.sit(at, browsers[3].who, 3)
    assert shuffle_of(at).frozen is not None


def test_play_now_waits_for_the_players_browser() -> None:
    maeve = player("Maeve")
    at = seating.play_now(maeve, CLASSIC_24, throws_in=True)
    assert (at.state, seating.play_now(maeve, CLASSIC_24)) == (Table.State.SHUFFLING, at)
    browser = Browser(maeve, at, 2)
    browser.commit()
    assert state(at) == Table.State.SHUFFLING
    browser.reveal()
    assert (state(at), at.games.get().commitments_and_contributions[1][2]) == (
        Table.State.PLAYING,
        browser.number,
    )


def test_the_next_game_has_a_new_shuffle_with_new_contributions() -> None:
    people = cast()
    at = table(*people)
    finish(at)
    at.seats.filter(position__lt=2).update(throws_in=True)
    seating.again(at, people[0])
    assert (state(at), at.games.count()) == (Table.State.SHUFFLING, 1)
    seating.again(at, people[1])
    browsers = [Browser(people[position], at, position) for position in range(2)]
    for browser in browsers:
        browser.commit()
    for browser in browsers:
        browser.reveal()
    second = at.games.get(number=2)
    assert second.commitments_and_contributions[1] == (
        browsers[0].number,
        browsers[1].number,
        NOTHING,
        NOTHING,
    )


def test_the_same_again_is_harmless_and_another_commitment_is_refused() -> None:
    _, browsers = gathering(cast())
    browsers[0].commit()
    browsers[0].commit()
    browsers[0].number = secrets.token_bytes(32)
    with pytest.raises(ShuffleError, match="another number"):
        browsers[0].commit()
    assert Contribution.objects.count() == 1


def test_a_player_who_changes_seats_commits_again() -> None:
    at, browsers = gathering(cast())
    maeve = browsers[0]
    maeve.commit()
    seating.sit(at, maeve.who, 3, throws_in=True)
    maeve.position = 3
    maeve.commit()
    browsers[1].commit()
    browsers[2].commit()
    seating.sit(at, player("Otto"), 0)
    for browser in browsers[:3]:
        browser.reveal()
    commitments, numbers = at.games.get().commitments_and_contributions
    assert (commitments[0], numbers[3]) == (NOTHING, maeve.number)


def test_strangers_and_other_shuffles_throw_in_nothing() -> None:
    at, browsers = gathering(cast())
    shuffle, otto = shuffle_of(at), player("Otto")
    promise = browsers[0].promise(shuffle)
    with pytest.raises(ShuffleError, match="no seat"):
        shuffling.commit(at.pk, otto.pk, shuffle.pk, promise)
    other = shuffle_of(table(otto))
    with pytest.raises(ShuffleError, match="no such shuffle"):
        shuffling.commit(at.pk, browsers[0].who.pk, other.pk, promise)
    for wrong in (b"", NOTHING, promise[:31], promise + b"0"):
        with pytest.raises(ShuffleError, match="32 bytes"):
            shuffling.commit(at.pk, browsers[0].who.pk, shuffle.pk, wrong)


def test_closing_a_table_before_its_game_publishes_the_commitments() -> None:
    maeve = player("Maeve")
    at = table(maeve)
    shuffle = shuffle_of(at)
    seating.stand_up(at, maeve)
    assert state(at) == Table.State.CLOSED
    line = LogLine.objects.get(match=shuffle.pk, kind="aborted")
    assert line.data == {"secret": unseal(shuffle.secret).hex()}
    assert at.shuffles.count() == 0


def test_a_table_that_was_left_drops_its_shuffle_too() -> None:
    at = table(player("Maeve"))
    match, now = shuffle_of(at).pk, at.created + timedelta(days=1)
    at.seats.update(last_seen=at.created)
    closing.close_left(now)
    assert LogLine.objects.filter(match=match, kind="aborted").exists()


def test_a_table_is_closed_though_the_key_of_its_secret_is_lost() -> None:
    maeve = player("Maeve")
    at = table(maeve)
    at.shuffles.update(secret=b"sealed with another key")
    seating.stand_up(at, maeve)
    assert (state(at), at.shuffles.count()) == (Table.State.CLOSED, 0)
    assert not LogLine.objects.filter(kind="aborted").exists()


class TestReservedTables:
    def test_the_game_waits_for_the_browsers_of_those_who_came(self) -> None:
        people = cast()
        at = reserved.open_tables([ReservedTable(people, "Table 1", "/")], CLASSIC_24, people[0])[0]
        at.seats.filter(position=0).update(throws_in=True, last_seen=at.created)
        match = shuffle_of(at).pk
        reserved.begin(at.pk, 1, CLASSIC_24, [people[3].pk])
        reserved.begin(at.pk, 1, CLASSIC_24)
        assert (state(at), at.games.count()) == (Table.State.SHUFFLING, 0)
        browser = Browser(people[0], at, 0)
        browser.commit()
        browser.reveal()
        assert (at.games.get().pk, state(at)) == (match, Table.State.PLAYING)

    def test_one_that_is_ended_before_its_game_drops_its_shuffle(self) -> None:
        people = cast()
        at = reserved.open_tables([ReservedTable(people, "Table 1", "/")], CLASSIC_24, people[0])[0]
        reserved.end(at.pk, at.created)
        assert LogLine.objects.filter(kind="aborted").count() == 1
        assert not Game.objects.exists()


def test_how_seats_deal_is_fixed_with_the_commitments_and_kept_for_the_game() -> None:
    people = cast()
    Player.objects.filter(pk=people[1].pk).update(reverses_packets=True)
    at = seating.make_table(people[0], JOKER_33)
    for position, who in enumerate(people):
        seating.sit(at, who, position, throws_in=True)
    browsers = [Browser(who, at, position) for position, who in enumerate(people)]
    for browser in browsers:
        browser.commit()
    assert shuffle_of(at).frozen is not None
    Player.objects.update(reverses_packets=True)
    for browser in browsers:
        browser.reveal()
    game = at.games.get()
    assert game.rules.reversed_by == 1 << 1
    assert game.rules.packets_of(1) == (2, 3)
    assert game.rules.packets_of(0) == (3, 2)


def test_where_the_deal_stays_a_game_says_when_its_dealer_is_stuck() -> None:
    at = table(*cast(), rules=replace(CLASSIC_24, dealer_stays=True))
    assert at.games.get().rules.stuck_after == STUCK_AFTER


def test_nobody_chooses_where_the_rules_say_how_to_deal() -> None:
    people = cast()
    Player.objects.update(reverses_packets=True)
    at = table(*people)
    assert at.games.get().rules_data == rules_to_data(CLASSIC_24)
