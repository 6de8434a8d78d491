"""Many at once: whatever the order, nobody is in twice and nobody more than there are places."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from threading import Barrier
from time import monotonic
from typing import NamedTuple

import pytest
from django.db import connection

from games.models import Player, User
from tests.tournaments import build
from tests.tournaments.build import NOON
from tournaments.entering import entering, partners
from tournaments.models import Entry, EntryPlayer, Event, Membership
from tournaments.refusals import RefusedError

pytestmark = pytest.mark.django_db(transaction=True)

EARLY = NOON - timedelta(hours=2)
PATIENCE = 300.0  # seconds
IN = (Entry.State.ENTERED, Entry.State.CHECKED_IN)


@pytest.fixture(autouse=True)
def _patient_pool(monkeypatch: pytest.MonkeyPatch, transactional_db: None) -> None:
    """Let hundreds wait for a few connections as long as a busy machine takes."""
    pool = getattr(connection, "pool", None)
    if pool is not None:
        monkeypatch.setattr(pool, "timeout", PATIENCE)


class Outcome(NamedTuple):
    """What one call came to.

    Attributes:
        began, ended: moments of one clock, in seconds.
        entry: what it gave.
        refused: the code of the refusal, or an empty text.
    """

    began: float
    ended: float
    entry: Entry | None
    refused: str


def at_once(calls: Sequence[Callable[[], Entry | None]]) -> list[Outcome]:
    """Make all calls at the same moment, each in a thread and on a connection of its own.

    Whatever they raise but a refusal fails the test.
    """
    barrier = Barrier(len(calls))

    def make(call: Callable[[], Entry | None]) -> Outcome:
        barrier.wait()
        began, entry, refused = monotonic(), None, ""
        try:
            entry = call()
        except RefusedError as error:
            refused = error.code
        finally:
            connection.close()
        return Outcome(began, monotonic(), entry, refused)

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(make, calls))


def members(of: Event, number: int) -> list[Player]:
    """So many members of an event's club, called "1", "2" and so on."""
    users = User.objects.bulk_create(User(email=f"{n + 1}@example.com") for n in range(number))
    players = Player.objects.bulk_create(
        Player(name=f"{n + 1}", user=user) for n, user in enumerate(users)
    )
    Membership.objects.bulk_create(Membership(club=of.club, player=player) for player in players)
    return players


def check_order(event: Event) -> None:
    """Check that who is in came before who waits, and that arrivals have no gaps."""
    rows = list(event.entries.exclude(arrival=None).order_by("arrival"))
    assert [row.arrival for row in rows] == list(range(1, len(rows) + 1))
    left = [row.state for row in rows if row.state != Entry.State.WITHDRAWN]
    places = min(event.capacity, len(left))
    assert all(state in IN for state in left[:places])
    assert set(left[places:]) <= {Entry.State.WAITING}


@pytest.mark.slow
def test_concurrent_registrations_of_500_for_64_places() -> None:
    event = build.event(capacity=64, members_only=True)
    people = members(event, 500)
    outcomes = at_once([partial(entering.register, event, who, EARLY) for who in people])
    assert {outcome.refused for outcome in outcomes} == {""}
    assert event.entries.filter(state=Entry.State.ENTERED).count() == 64
    assert event.entries.filter(state=Entry.State.WAITING).count() == 436
    check_order(event)
    # Nobody stands before another whose registration was over before theirs began.
    earliest = float("inf")
    for outcome in sorted(outcomes, key=lambda one: -(one.entry.arrival or 0) if one.entry else 0):
        assert outcome.began <= earliest
        earliest = min(earliest, outcome.ended)


def test_concurrent_registrations_of_one_player() -> None:
    event = build.event(members_only=True)
    (maeve,) = members(event, 1)
    outcomes = at_once([partial(entering.register, event, maeve, EARLY)] * 20)
    assert {outcome.refused for outcome in outcomes} == {""}
    assert len({outcome.entry.pk for outcome in outcomes if outcome.entry}) == 1
    assert event.entries.count() == 1


def test_places_freed_during_the_rush_go_to_the_first_in_line() -> None:
    event = build.event(capacity=16, members_only=True)
    people = members(event, 80)
    for who in people[:32]:
        entering.register(event, who, EARLY)
    leaving = [partial(entering.withdraw, event, who, EARLY) for who in people[:32:2]]
    coming = [partial(entering.register, event, who, EARLY) for who in people[32:]]
    outcomes = at_once([*coming[::2], *leaving, *coming[1::2]])
    assert {outcome.refused for outcome in outcomes} == {""}
    assert event.entries.filter(state__in=IN).count() == 16
    assert event.entries.filter(state=Entry.State.WITHDRAWN).count() == 16
    check_order(event)


def test_concurrent_acceptances_form_one_pair() -> None:
    event = build.event(format="swiss", capacity=64, members_only=True)
    wanted, *others = members(event, 12)
    asked = [partners.invite(event, who, wanted, EARLY) for who in others]
    outcomes = at_once([partial(partners.accept, event, one.pk, wanted, EARLY) for one in asked])
    done = [outcome for outcome in outcomes if not outcome.refused]
    assert len(done) == 1
    assert {outcome.refused for outcome in outcomes} == {"", "gone"}
    assert EntryPlayer.objects.filter(event=event, player=wanted, active=True).count() == 1
    assert event.entries.filter(state=Entry.State.SEEKING).count() == 10


def test_concurrent_mutual_invitations_form_one_pair() -> None:
    event = build.event(format="swiss", capacity=64, members_only=True)
    pairs = members(event, 20)
    outcomes = at_once(
        [partial(partners.invite, event, pairs[at], pairs[at ^ 1], EARLY) for at in range(20)]
    )
    assert {outcome.refused for outcome in outcomes} == {""}
    assert event.entries.filter(state=Entry.State.ENTERED).count() == 10
    assert event.entries.count() == 10


def test_concurrent_accept_and_cancel_have_one_outcome() -> None:
    event = build.event(format="swiss", capacity=64, members_only=True)
    asking, asked = members(event, 2)
    entry = partners.invite(event, asking, asked, EARLY)
    accepted, _left = at_once(
        [
            partial(partners.accept, event, entry.pk, asked, EARLY),
            partial(entering.withdraw, event, asking, EARLY),
        ]
    )
    if accepted.refused:
        assert accepted.refused == "gone"
        assert not event.entries.exists()
    else:
        assert event.entries.get().state == Entry.State.WITHDRAWN
    assert not EntryPlayer.objects.filter(event=event, active=True).exists()


def test_pairs_arrive_in_the_order_in_which_they_are_complete() -> None:
    event = build.event(format="swiss", capacity=8, members_only=True)
    people = members(event, 80)
    asked = [partners.invite(event, people[at], people[at + 1], EARLY) for at in range(0, 80, 2)]
    outcomes = at_once(
        [
            partial(partners.accept, event, entry.pk, people[2 * at + 1], EARLY)
            for at, entry in enumerate(asked)
        ]
    )
    assert {outcome.refused for outcome in outcomes} == {""}
    assert event.entries.filter(state=Entry.State.ENTERED).count() == 8
    assert event.entries.filter(state=Entry.State.WAITING).count() == 32
    check_order(event)
