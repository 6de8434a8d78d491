"""A hall of phones and two directors at the same moments: nothing is lost, nothing twice.

Sixty on PostgreSQL, where all come at once; 12 on SQLite, which has eight in at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.factories import logged_in
from tests.tournaments import build
from tests.tournaments.build import MINUTE
from tests.tournaments.running.test_rush import PATIENCE, members
from tests.volume import THOROUGH
from tournaments.models import Act, Entry, Event, Pairing, PairingEntry, ScoreLine
from tournaments.room_scores import cards, writing
from tournaments.standings import ranking

pytestmark = pytest.mark.django_db(transaction=True)

PHONES = 60 if connection.vendor == "postgresql" or THOROUGH else 12
TABLES = PHONES // 4
#: What a page answers to whoever was faster, and to whoever was not.
DONE, TOO_LATE = 303, 409
#: And if there is a result by now, which is changed for a reason only.
REASON = 422
#: And if the next round is drawn, whose tables alone are moved.
NOT_THERE = 404
Call = Callable[[], int]


@pytest.fixture(autouse=True)
def _patient_pool(monkeypatch: pytest.MonkeyPatch, transactional_db: None) -> None:
    """Let all wait for a few connections as long as a busy machine takes."""
    pool = getattr(connection, "pool", None)
    if pool is not None:
        monkeypatch.setattr(pool, "timeout", PATIENCE)


def at_once(calls: Sequence[Call]) -> list[int]:
    """Make calls at the same moments: all on PostgreSQL, where a server has few; eight on SQLite.

    Return the statuses that were answered. What a page raises fails the test.
    """

    def make(call: Call) -> int:
        try:
            return call()
        finally:
            connection.close()

    width = len(calls) if connection.vendor == "postgresql" else 8
    with ThreadPoolExecutor(width) as threads:
        return list(threads.map(make, calls))


def press(browser: Client, path: str, **fields: Any) -> Call:
    def post() -> int:
        return browser.post(path, fields).status_code

    return post


class Hall:
    """An event in the room with sixty players and two directors who do not play."""

    def __init__(self) -> None:
        now = timezone.now()
        starts = now + 10 * MINUTE
        self.event = build.event(
            format="progressive", place=Event.Place.ROOM, rounds=3, match=Event.Match.DEALS,
            deals=1, round_minutes=20, check_in_minutes=30, state=Event.State.CHECK_IN,
            starts=starts, registration_closes=starts, registration_opens=now - 60 * MINUTE,
        )  # fmt: skip
        self.players = members(self.event, PHONES)
        build.let_in(self.event, self.players)
        self.phones = [logged_in(player) for player in self.players]
        self.ada, self.olga = (
            logged_in(build.director(self.event.club, name)) for name in ("Ada", "Olga")
        )

    def path(self, name: str, *where: Any) -> str:
        return reverse(name, args=[self.event.pk, *where])

    def steps(self) -> list[Call]:
        """The clock, in two processes."""

        def step() -> int:
            build.step(Event.objects.get(pk=self.event.pk), timezone.now())
            return DONE

        return [step, step]


def test_all_check_in_while_two_directors_check_in_the_same() -> None:
    hall = Hall()
    entries = list(hall.event.entries.order_by("pk"))
    here = hall.path("check_in")
    calls = [press(phone, here) for phone in hall.phones for _press in range(2)]
    calls += [
        press(hall.ada, hall.path("check_in_entry", one.pk)) for one in entries[: 2 * PHONES // 3]
    ]
    calls += [
        press(hall.olga, hall.path("check_in_entry", one.pk)) for one in entries[PHONES // 3 :]
    ]
    assert set(at_once(calls)) == {DONE}
    assert hall.event.entries.filter(state=Entry.State.CHECKED_IN).count() == PHONES
    acts = Counter(hall.event.acts.filter(kind=Act.Kind.CHECK_IN).values_list("entry", flat=True))
    assert set(acts.values()) <= {1}
    assert hall.event.notices.filter(text__endswith="checked in.").count() == len(acts)


class Cards:
    """The score cards of the first round, with who writes on each."""

    def __init__(self, hall: Hall) -> None:
        self.hall, self.event = hall, hall.event
        build.begin(self.event, timezone.now())
        self.codes = dict(self.event.room_tables.values_list("number", "code"))
        browsers = {
            player.pk: phone for player, phone in zip(hall.players, hall.phones, strict=True)
        }
        seats = PairingEntry.objects.filter(round__event=self.event).values_list(
            "pairing__number", "side", "entry__players__player"
        )
        self.writers = [(number, side, browsers[player]) for number, side, player in seats]
        assert len(self.writers) == PHONES

    def matches(self) -> list[Pairing]:
        rows = Pairing.objects.filter(round__event=self.event, round__number=1).order_by("number")
        return list(rows.select_related("round").prefetch_related("entries__entry"))

    def card_of(self, match: Pairing) -> cards.RoomCard:
        return cards.card_of(self.event, match, writing.lines_of(match))

    def lines(self, kind: str, fields: Callable[[int, int], dict[str, Any]]) -> list[Call]:
        """Every phone writes a line for its side, and sends it again as when no answer came."""
        calls = []
        for at, (number, side, phone) in enumerate(self.writers):
            path = reverse("write_score", args=[self.codes[number]])
            sent = {"key": f"{kind}-{at:06}", "kind": kind, "round": 1, "side": side}
            calls += [press(phone, path, **sent, **fields(number, side))] * 2
        return calls


@pytest.mark.slow
def test_all_write_and_sign_while_two_directors_act_on_the_same_tables() -> None:
    hall = Hall()
    at = Cards(hall)
    opened = [
        partial(_open, phone, reverse("room_table", args=[at.codes[number]]))
        for number, _side, phone in at.writers
    ]
    assert set(at_once(opened)) == {200}

    # All write the first hand, at every other table not the same; both directors give time.
    def hand(number: int, side: int) -> dict[str, Any]:
        other = side and number % 2
        return {"number": 1, "caller": 0, "took": cards.FEW if other else cards.MADE}

    wrote = at.lines("hand", hand)
    numbers = range(1, TABLES + 1)
    more = [
        press(browser, hall.path("five_minutes", 1, number), had=0)
        for number in numbers
        for browser in (hall.ada, hall.olga)
    ]
    answers = at_once([*wrote, *more, *hall.steps()])
    assert set(answers) == {DONE, TOO_LATE}
    for match in at.matches():
        assert match.score_lines.count() == 1, "of the same hand one is stored, another is refused"
        assert match.more_minutes == 5
        both = answers[len(wrote) :][2 * match.number - 2 : 2 * match.number]
        assert sorted(both) == [DONE, TOO_LATE]
    took = {match.number: at.card_of(match).hands[1].took for match in at.matches()}
    for (number, side, _phone), first, second in zip(
        at.writers, answers[: len(wrote) : 2], answers[1 : len(wrote) : 2], strict=True
    ):
        stands = took[number] == hand(number, side)["took"]
        assert (first, second) == ((DONE, DONE) if stands else (TOO_LATE, TOO_LATE))

    # All sign; both directors enter a result of their own at a third of the tables.
    points = {match.number: at.card_of(match).points for match in at.matches()}

    def signature(number: int, _side: int) -> dict[str, Any]:
        scores = f"{points[number][0]}-{points[number][1]}"
        return {"scores": scores, "lone_0": 0, "lone_1": 0}

    signed = at.lines("sign", signature)
    entered = [
        press(browser, hall.path("set_result", 1, number), **result(winner))
        for number in numbers[: TABLES // 3]
        for winner, browser in enumerate((hall.ada, hall.olga))
    ]
    moved = [
        press(hall.olga, hall.path("move_table", 1, number), to="online") for number in numbers
    ]
    answers = at_once([*entered, *signed, *moved, *hall.steps()])
    assert set(answers[: len(entered)]) <= {DONE, TOO_LATE, REASON}
    assert set(answers[len(entered) : -len(moved) - 2]) <= {DONE, TOO_LATE}
    assert set(answers[-len(moved) - 2 : -2]) <= {TOO_LATE, NOT_THERE}
    for match in at.matches():
        assert match.state == Pairing.State.DECIDED
        by_hand = match.number <= TABLES // 3
        by = answers[2 * match.number - 2 : 2 * match.number] if by_hand else []
        acts = match.acts.filter(kind=Act.Kind.RESULT)
        assert by.count(DONE) == acts.count() <= 1
        if acts.exists():
            assert match.points == ((2, 0), (0, 2))[by.index(DONE)]
        else:
            assert match.points == points[match.number]
            assert len(at.card_of(match).signed) == 2
        kinds = Counter(match.score_lines.values_list("kind", "side"))
        assert kinds[ScoreLine.Kind.SIGN, 0] <= 1
        assert kinds[ScoreLine.Kind.SIGN, 1] <= 1

    # The next round is drawn once, with everybody, from all the points.
    build.step(hall.event, timezone.now())
    assert hall.event.played_rounds.count() == 2
    drawn = PairingEntry.objects.filter(round__event=hall.event, round__number=2)
    assert drawn.values("entry").distinct().count() == drawn.count() == PHONES
    total = sum(sum(match.points) for match in at.matches())
    lines = ranking.standings_of(hall.event).lines
    assert sum(line.points_for or 0 for line in lines) == 2 * total


def _open(phone: Client, path: str) -> int:
    return phone.get(path).status_code


def result(winner: int) -> dict[str, Any]:
    """The fields of a march for a side."""
    score = {"points_0": 2 * (winner == 0), "points_1": 2 * (winner == 1)}
    return {"winner": winner, "ended": "played", "lone_0": 0, "lone_1": 0, **score}
