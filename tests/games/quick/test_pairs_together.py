"""Partners who ask, agree, leave and are seated at one moment, in several processes."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.db.models import Count
from django.utils import timezone

from games.engine.rules import CLASSIC_24
from games.models import Pair, Player, Seat, SeatRequest, Seeker, Table
from games.people import avoiding, friends, traces
from games.people.traces import Origin
from games.quick import arrivals, company, pairs, queue
from games.quick.pairs import PairError
from games.quick.queue import Wish
from games.seats import seating
from games.sockets import hub
from tests.factories import member
from tests.games.seats.test_seating_together import together

pytestmark = pytest.mark.django_db(transaction=True)

WISH = Wish(CLASSIC_24, 45)


@pytest.fixture(autouse=True)
def _a_time_to_gather(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two seconds, hands that are soon over, and nobody who watches the tables."""
    settings.QUICK_GATHER = 2.0
    monkeypatch.setattr(company, "ACTIONS", 10)
    monkeypatch.setattr(hub, "announce", lambda _table: None)


def home_of(player: Player) -> Origin:
    return Origin(f"browser {player.pk}", f"10.0.0.{player.pk}")


def people(number: int) -> list[Player]:
    return [member(f"Player {n}") for n in range(number)]


def befriend(one: Player, other: Player) -> None:
    friends.ask(one, other, timezone.now())
    friends.accept(other, one, timezone.now())


def asks(by: Player, to: Player | None, wish: Wish = WISH) -> Pair:
    return pairs.ask(by, to, wish, home_of(by), timezone.now(), throws_in=False)


def accepts(who: Player, pair: Pair) -> Pair:
    return pairs.accept(who, pair.token, home_of(who), timezone.now())


def code_of(verb: Callable[[], object]) -> str:
    """Call a verb, and return the code with which it is refused, or nothing."""
    try:
        verb()
    except PairError as error:
        return error.code
    return ""


def at_once(*verbs: Callable[[], object]) -> list[str]:
    """Call all at one moment, and return the codes of those that were refused."""
    answers = together(*(partial(code_of, verb) for verb in verbs))
    return [str(answer) for answer in answers if answer]


def crowd_of(*verbs: Callable[[], object]) -> list[str]:
    """Call more of them than there are connections, twelve at a time."""

    def run(verb: Callable[[], object]) -> str:
        try:
            return code_of(verb)
        finally:
            connection.close()

    with ThreadPoolExecutor(12) as pool:
        return [code for code in pool.map(run, verbs) if code]


def check_queue() -> None:
    """Every pair in the queue has both of its rows, and every row with a pair has its partner's."""
    looking = Pair.objects.filter(agreed__isnull=False, left_by=None)
    counted = looking.annotate(rows=Count("seekers"))
    assert {one.rows for one in counted} <= {2}
    for one in counted:
        rows = set(one.seekers.values_list("player", flat=True))
        assert rows == {one.by_id, one.to_id}
    assert not Seeker.objects.filter(pair__isnull=False).exclude(pair__in=looking).exists()


def check_seats() -> None:
    """Nobody sits at two quick tables, and nobody who sits is in the queue."""
    seats = Seat.objects.filter(table__quick=True, player__kind=Player.Kind.PERSON)
    taken = list(seats.values_list("player", flat=True))
    assert len(taken) == len(set(taken))
    assert not Seeker.objects.filter(player__in=taken).exists()


def test_sixty_who_ask_each_other_in_a_ring_at_one_moment() -> None:
    ring = people(60)
    for at, one in enumerate(ring):
        befriend(one, ring[at - 1])
    crowd_of(*(partial(asks, one, ring[at - 1]) for at, one in enumerate(ring)))
    assert Pair.objects.count() == 60
    requests = {one.by_id: one for one in Pair.objects.all()}
    crowd_of(
        *(partial(accepts, ring[at - 1], requests[one.pk]) for at, one in enumerate(ring)),
        *[partial(queue.seat_waiting, timezone.now())] * 4,
    )
    check_queue()
    check_seats()
    agreed = Pair.objects.filter(agreed__isnull=False)
    assert agreed.exists() or Seat.objects.filter(table__quick=True).exists()
    later = timezone.now() + timedelta(seconds=3)
    together(*[partial(queue.seat_waiting, later)] * 4)
    queue.seat_waiting(later + timedelta(seconds=1))
    assert not Seeker.objects.exists()
    check_seats()
    for table in Table.objects.filter(quick=True):
        seats = dict(table.seats.values_list("position", "player__kind"))
        assert (seats[0], seats[1]) == (seats[2], seats[3])  # both of a side, or the house


def test_sixty_open_one_link_and_one_is_the_partner() -> None:
    maeve, *others = people(60)
    pair = asks(maeve, None)
    refused = crowd_of(*(partial(accepts, one, pair) for one in others))
    assert (len(refused), {*refused} <= {"gone", "looking"}) == (58, True)
    assert Seeker.objects.count() == 2
    check_queue()


@pytest.mark.parametrize("_round", range(5))
def test_both_agree_at_once_to_what_each_has_asked(_round: int) -> None:
    maeve, ben = people(2)
    befriend(maeve, ben)
    hers = asks(maeve, ben)
    his = asks(ben, maeve, Wish(CLASSIC_24, 12))
    at_once(partial(accepts, ben, hers), partial(accepts, maeve, his))
    assert Pair.objects.filter(agreed__isnull=False).count() == 1
    assert Seeker.objects.count() == 2
    check_queue()


@pytest.mark.parametrize("_round", range(5))
def test_both_ask_for_the_same_at_once(_round: int) -> None:
    maeve, ben = people(2)
    befriend(maeve, ben)
    at_once(partial(asks, maeve, ben), partial(asks, ben, maeve))
    check_queue()
    waiting = Pair.objects.filter(agreed=None)
    for one in list(waiting):
        at_once(partial(accepts, one.to or maeve, one))
    assert Seeker.objects.count() == 2
    check_queue()


@pytest.mark.parametrize("_round", range(5))
def test_one_takes_it_back_as_the_other_agrees(_round: int) -> None:
    maeve, ben = people(2)
    befriend(maeve, ben)
    pair = asks(maeve, ben)

    def take_back() -> None:
        pairs.take_back(maeve)
        queue.leave(maeve)

    at_once(take_back, partial(accepts, ben, pair))
    assert not Seeker.objects.exists()
    words = pairs.told(ben, timezone.now())
    assert words == "" or words.startswith("Player 0 has left")
    assert not Pair.objects.exists()


@pytest.mark.parametrize("_round", range(5))
def test_both_leave_as_the_table_is_opened(_round: int) -> None:
    maeve, ben = people(2)
    befriend(maeve, ben)
    accepts(ben, asks(maeve, ben))
    later = timezone.now() + timedelta(seconds=3)
    at_once(
        partial(queue.leave, maeve),
        partial(queue.leave, ben),
        partial(queue.seat_waiting, later),
        partial(queue.look, maeve, home_of(maeve), later),
    )
    assert not Seeker.objects.exists()
    assert Seat.objects.filter(player__in=(maeve, ben)).count() in (0, 2)


@pytest.mark.parametrize("_round", range(5))
def test_one_presses_play_now_as_the_other_agrees(_round: int) -> None:
    maeve, ben = people(2)
    befriend(maeve, ben)
    pair = asks(maeve, ben)
    now = timezone.now()
    at_once(
        partial(queue.join, maeve, WISH, home_of(maeve), now),
        partial(accepts, ben, pair),
        partial(queue.seat_waiting, now + timedelta(seconds=3)),
    )
    check_queue()
    check_seats()


def test_one_is_avoided_as_they_agree() -> None:
    maeve, ben = people(2)
    befriend(maeve, ben)
    pair = asks(maeve, ben)
    at_once(partial(avoiding.avoid, maeve, ben), partial(accepts, ben, pair))
    assert not Seeker.objects.exists()


def test_acts_of_every_kind_hold_each_other_up_in_no_circle() -> None:
    crowd = people(12)
    for one in crowd:
        for other in crowd:
            if one.pk < other.pk:
                befriend(one, other)
    start = timezone.now()
    for seconds in range(4):
        later = start + timedelta(seconds=seconds)
        couples = list(zip(crowd[:8:2], crowd[1:8:2], strict=True))
        at_once(
            *(partial(asks, one, other) for one, other in couples),
            *(partial(queue.join, one, WISH, home_of(one), later) for one in crowd[8:]),
        )
        requests = list(Pair.objects.filter(agreed=None, left_by=None).select_related("to"))
        at_once(
            *(partial(accepts, one.to, one) for one in requests if one.to is not None),
            partial(queue.leave, crowd[0]),
            partial(queue.start_now, crowd[2], later),
            *(partial(queue.look, one, home_of(one), later) for one in crowd[4:10]),
            *[partial(queue.seat_waiting, later + timedelta(seconds=2))] * 2,
        )
        check_queue()
        check_seats()


@pytest.mark.parametrize("_round", range(5))
def test_two_pairs_and_two_singles_ask_for_one_free_side(_round: int) -> None:
    maeve, ben, *others = people(8)
    befriend(maeve, ben)
    accepts(ben, asks(maeve, ben))
    queue.seat_waiting(timezone.now() + timedelta(seconds=3))
    table = queue.seated_at(maeve)
    assert table is not None
    for one in (maeve, ben):
        traces.record(table, one, home_of(one))
    couples = ((others[0], others[1]), (others[2], others[3]))
    for one, other in couples:
        befriend(one, other)
        accepts(other, asks(one, other))
    for one in others[4:]:
        queue.join(one, WISH, home_of(one), timezone.now())
    for _ in range(2):
        now = timezone.now()
        at_once(*(partial(queue.look, one, home_of(one), now) for one in others))
    table.games.update(turn=arrivals.NOBODY)
    SeatRequest.objects.update(sits_from=now)
    together(*[partial(arrivals.seat, table.pk)] * 3, partial(queue.leave, others[0]))
    seats = {one.player_id: one.position for one in table.seats.all()}
    for one, other in couples:
        assert (one.pk in seats) == (other.pk in seats)
        assert one.pk not in seats or abs(seats[one.pk] - seats[other.pk]) == 2
    check_queue()
    assert seating.seat_of(table, maeve).position % 2 == seating.seat_of(table, ben).position % 2
