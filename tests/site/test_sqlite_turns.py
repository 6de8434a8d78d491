"""On SQLite the threads of a process take turns to write."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event

import pytest
from django.db import IntegrityError, OperationalError, connection, transaction

from euchre_site.sqlite3.base import Turns
from games.models import Player

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="of SQLite"),
]


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as pool:
        yield pool


@pytest.fixture
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let threads wait for each other for a moment only."""
    options = connection.settings_dict["OPTIONS"]
    monkeypatch.setitem(options, "timeout", 0.05)


def apart(pool: ThreadPoolExecutor, act: Callable[[], object]) -> Future[None]:
    """Do something in another thread, with a connection of its own."""

    def run() -> None:
        try:
            act()
        finally:
            connection.close()

    return pool.submit(run)


def make(name: str) -> None:
    Player.objects.create(name=name)


def test_many_threads_write_everything_once(threads: ThreadPoolExecutor) -> None:
    make("0")

    def add() -> None:
        for _ in range(20):
            with transaction.atomic():
                one = Player.objects.get()
                one.name = str(int(one.name) + 1)
                one.save()
            Player.objects.update(kind=Player.Kind.PERSON)

    for done in [apart(threads, add) for _ in range(8)]:
        done.result()
    assert Player.objects.get().name == "160"


@pytest.mark.parametrize("in_transaction", [True, False])
def test_a_write_waits_for_the_one_before_it(
    threads: ThreadPoolExecutor, in_transaction: bool
) -> None:
    begun, may_end, seen = Event(), Event(), []

    def first() -> None:
        with transaction.atomic():
            make("First")
            begun.set()
            assert may_end.wait(10)
            seen.append("first")

    def second() -> None:
        assert begun.wait(10)
        if in_transaction:
            with transaction.atomic():
                seen.append("second")
                make("Second")
        else:
            Player.objects.filter(name="First").update(name="Second")
            seen.append("second")

    both = [apart(threads, first), apart(threads, second)]
    assert begun.wait(10)
    assert Player.objects.filter(name="First").count() == 0  # reading waits for nobody
    may_end.set()
    for one in both:
        one.result()
    assert seen == ["first", "second"]
    assert Player.objects.filter(name="Second").exists()


@pytest.mark.usefixtures("brief")
def test_whoever_waits_too_long_is_told_and_the_next_can_write(
    threads: ThreadPoolExecutor,
) -> None:
    with transaction.atomic():
        make("First")
        with pytest.raises(OperationalError, match="locked by another thread"):
            apart(threads, lambda: make("Second")).result()
    apart(threads, lambda: make("Third")).result()
    assert set(Player.objects.values_list("name", flat=True)) >= {"First", "Third"}


@pytest.mark.usefixtures("brief")
@pytest.mark.parametrize("end", ["refused", "rolled back", "closed", "refused alone"])
def test_a_turn_ends_however_its_transaction_ends(threads: ThreadPoolExecutor, end: str) -> None:
    make("One")
    number = Player.objects.get().pk

    def fail() -> None:
        if end == "refused alone":
            Player.objects.bulk_create([Player(pk=number, name="Two")])
        with transaction.atomic():
            if end == "refused":
                Player(pk=number, name="Two").save(force_insert=True)
            elif end == "closed":
                connection.close()
            raise ZeroDivisionError

    with pytest.raises((IntegrityError, ZeroDivisionError)):
        apart(threads, fail).result()
    apart(threads, lambda: make("Three")).result()
    assert Player.objects.filter(name="Three").exists()
    assert not Player.objects.filter(name="Two").exists()


def test_the_journal_goes_before_others(threads: ThreadPoolExecutor) -> None:
    turns, went = Turns(), []
    assert turns.take(1)

    def other() -> None:
        assert turns.take(10)
        went.append("other")
        turns.end()

    def journal() -> None:
        assert turns.take(10, first=True)
        went.append("journal")
        turns.end()

    both = []
    for number, act in enumerate((other, journal), start=1):
        both.append(threads.submit(act))
        while turns.waiting < number:
            assert not both[-1].done()
    turns.end()
    for one in both:
        one.result()
    assert went == ["journal", "other"]
