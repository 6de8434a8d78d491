"""Results of walk-ins, claimed by an account: once, not twice in an event, and taken back."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from games.models import Player
from games.records.game_lists import rows_of
from tests.factories import logged_in, member
from tests.factories import player as guest
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON, ruled
from tournaments.acts import correcting, log, moving_table, round_clock, undoing
from tournaments.attendance import claiming, newcomers, same_person, substitutes
from tournaments.models import Act, Event, Pairing, Round, WalkIn
from tournaments.ratings import units as rating_units
from tournaments.refusals import RefusedError
from tournaments.standings import ranking

pytestmark = pytest.mark.django_db


@pytest.fixture
def xan(ada: Player) -> WalkIn:
    """A walk-in among four players in the room, whose first round is over."""
    event = build.event(
        ada.memberships.get().club, rounds=2, place=Event.Place.ROOM, format="progressive"
    )
    build.enter(event, 3)
    newcomers.enter(event, ["Xan"], ada, NOON)
    build.begin(event)
    for match in Pairing.objects.filter(round__event=event):
        correcting.set_result(match, ada, ruled(0, (5, 3)), reason="", now=NOON)
    build.step(event, NOON)
    return event.walk_ins.get()


def rated(event: Event) -> set[int]:
    """The players whose matches in the room are rated."""
    kept = rating_units.RatedEvent(event.pk, NOON, NOON, event.version, event.club_id)
    units = rating_units.units([kept], in_room=True)
    return {player for unit in units for side in unit.sides for player in side}


def rated_rounds(event: Event) -> set[int]:
    """The rounds whose matches in the room are rated."""
    kept = rating_units.RatedEvent(event.pk, NOON, NOON, event.version, event.club_id)
    numbers = dict(Pairing.objects.values_list("pk", "round__number"))
    return {numbers[unit.pairing_id or 0] for unit in rating_units.units([kept], in_room=True)}


def play_round(event: Event, by: Player, now: datetime) -> None:
    """Let the first side of each match in the room win, and draw the next round."""
    for match in Pairing.objects.filter(round__event=event).exclude(state="decided"):
        correcting.set_result(match, by, ruled(0, (5, 3)), reason="", now=now)
    build.step(event, now)


@pytest.mark.parametrize(
    ("minutes", "rounds"),
    [
        pytest.param(-1, {1, 2, 3}, id="before the first draw"),
        pytest.param(5, {2, 3}, id="in the first round, whose score is known by then"),
        pytest.param(15, {3}, id="once the second is drawn"),
        pytest.param(35, set(), id="in the time for objections"),
    ],
)
def test_what_counts_is_decided_before_a_round_is_drawn(
    ada: Player, settings: Any, minutes: int, rounds: set[int]
) -> None:
    settings.RESULT_GRACE = 10
    event = build.event(
        ada.memberships.get().club, rounds=3, place=Event.Place.ROOM, format="progressive",
        break_seconds=0,
    )  # fmt: skip
    build.enter(event, 3)
    newcomers.enter(event, ["Xan"], ada, NOON)
    walk_in, otto, claimed = event.walk_ins.get(), member("Otto"), NOON + minutes * MINUTE
    if minutes < 0:
        claiming.claim(walk_in, otto, claimed)
    build.begin(event)
    for number in range(3):
        now = NOON + (number + 1) * 10 * MINUTE
        if claimed > NOON and claimed < now and walk_in.claimed_by is None:
            claiming.claim(walk_in, otto, claimed)
            walk_in.refresh_from_db()
        play_round(event, ada, now)
    if claimed > NOON + 30 * MINUTE:
        event.refresh_from_db()
        assert event.final_at is not None
        assert event.final_at > claimed
        claiming.claim(walk_in, otto, claimed)
    assert rated_rounds(event) == rounds


def test_a_pause_makes_no_claim_earlier(ada: Player) -> None:
    """Pauses move the call of a round that is being played, not its draw."""
    event = build.event(
        ada.memberships.get().club, rounds=1, place=Event.Place.ROOM, format="progressive"
    )
    build.enter(event, 3)
    newcomers.enter(event, ["Xan"], ada, NOON)
    build.begin(event)
    round_clock.pause(event, ada, NOON + MINUTE)
    claiming.claim(event.walk_ins.get(), member("Otto"), NOON + 10 * MINUTE)
    round_clock.resume(event, ada, NOON + 30 * MINUTE)
    play_round(event, ada, NOON + 31 * MINUTE)
    assert rated(event) == set()


def test_a_claim_gives_the_entry_and_its_matches_and_is_taken_back(
    ada: Player, xan: WalkIn
) -> None:
    event, otto = xan.event, member("Otto")
    before = [row[2:] for row in ranking.standings_of(event).lines]
    assert rated(event) == set()
    claiming.claim(xan, otto, NOON - MINUTE)
    assert [row[2:] for row in ranking.standings_of(event).lines] == before
    assert event.entered_players.filter(player=otto).exists()
    assert otto.pk in rated(event)
    assert (len(rows_of(otto)), len(rows_of(xan.player))) == (1, 0)
    undoing.undo(event.acts.latest("pk"), ada, NOON)
    assert event.entered_players.filter(player=xan.player).exists()
    assert rated(event) == set()
    assert (len(rows_of(otto)), len(rows_of(xan.player))) == (0, 1)
    xan.refresh_from_db()
    assert xan.claimed_by is None


def test_what_is_claimed_once_the_event_is_over_is_not_rated(ada: Player, xan: WalkIn) -> None:
    event, otto = xan.event, member("Otto")
    play_round(event, ada, NOON)
    event.refresh_from_db()
    assert event.ended == NOON
    Event.objects.update(ended=timezone.now())
    page = logged_in(otto).get(reverse("walk_in", args=[xan.code])).text
    assert "They are not rated: a match counts only if it was claimed before" in page
    before = [row[2:] for row in ranking.standings_of(event).lines]
    claiming.claim(xan, otto, NOON)
    assert [row[2:] for row in ranking.standings_of(event).lines] == before
    assert event.entered_players.filter(player=otto).exists()
    assert rated(event) == set(), "nor are those rated who played with them"


def test_a_late_claim_leaves_the_other_events_of_an_account_rated(ada: Player, xan: WalkIn) -> None:
    event, otto = xan.event, member("Otto")
    Event.objects.filter(pk=event.pk).update(ended=NOON)
    other = build.event(event.club, name="Other", rounds=1, place=Event.Place.ROOM)
    build.enter(other, 3)
    newcomers.enter(other, ["Zoe"], ada, NOON)
    build.begin(other)
    for match in Pairing.objects.filter(round__event=other):
        correcting.set_result(match, ada, ruled(0, (5, 3)), reason="", now=NOON)
    claiming.claim(other.walk_ins.get(), otto, NOON - MINUTE)
    claiming.claim(xan, otto, NOON + timedelta(days=1))
    kept = [
        rating_units.RatedEvent(one.pk, NOON, NOON, one.version, one.club_id)
        for one in (event, other)
    ]
    matches = {unit.pairing_id for unit in rating_units.units(kept, in_room=True)}
    assert matches == set(Pairing.objects.filter(round__event=other).values_list("pk", flat=True))


def test_a_claim_is_not_taken_back_while_its_account_plays_online(ada: Player) -> None:
    event = build.event(
        ada.memberships.get().club, rounds=2, place=Event.Place.MIXED, format="progressive"
    )
    build.enter(event, 7)
    newcomers.enter(event, ["Xan"], ada, NOON)
    build.begin(event)
    xan, otto = event.walk_ins.get(), member("Otto")
    claiming.claim(xan, otto, NOON)
    act = event.acts.latest("pk")
    match = Pairing.objects.get(entries__entry__players__player=otto)
    moving_table.move_table(event, ada, 1, match.number, NOON, in_room=False)
    with pytest.raises(RefusedError, match=f"Otto plays online at table {match.number}"):
        undoing.undo(act, ada, NOON)
    moving_table.move_table(event, ada, 1, match.number, NOON, in_room=True)
    undoing.undo(act, ada, NOON)


def test_reading_why_a_claim_stays_tries_nothing(ada: Player, xan: WalkIn) -> None:
    otto = member("Otto")
    other = build.event(
        xan.event.club, rounds=2, place=Event.Place.MIXED, format="progressive", name="Other"
    )
    build.enter(other, 7)
    newcomers.enter(other, ["Xan"], ada, NOON)
    build.begin(other)
    claiming.claim(xan, otto, NOON)
    claims = xan.event.acts.filter(kind="claim")
    with CaptureQueriesContext(connection) as queries:
        assert [line.kept for line in log.lines_of(xan.event, claims, ada, NOON)] == [""]
    asked = [query["sql"] for query in queries]
    assert not [sql for sql in asked if sql.startswith(("UPDATE", "INSERT"))]
    match = Pairing.objects.get(round__event=other, entries__entry__players__player=otto)
    moving_table.move_table(other, ada, 1, match.number, NOON, in_room=False)
    (line,) = log.lines_of(xan.event, claims, ada, NOON)
    assert f"Otto plays online at table {match.number}" in line.kept, "on another of its nights"


def test_taking_a_claim_back_locks_the_club_before_its_nights(ada: Player, xan: WalkIn) -> None:
    claiming.claim(xan, member("Otto"), NOON)
    act = Act.objects.select_related("event__club").get(kind="claim")
    with CaptureQueriesContext(connection) as queries:
        undoing.undo(act, ada, NOON)
    asked = [query["sql"].partition(" WHERE ")[0] for query in queries]
    clubs, events = (
        [at for at, sql in enumerate(asked) if f'FROM "tournaments_{table}"' in sql]
        for table in ("club", "event")
    )
    assert clubs
    assert clubs[0] < events[0]


def test_who_claims_does_not_take_it_back_to_drop_what_is_rated(ada: Player, xan: WalkIn) -> None:
    event, otto = xan.event, member("Otto")
    build.joined(event.club, otto, "director")
    claiming.claim(xan, otto, NOON + MINUTE)
    act = event.acts.latest("pk")
    Round.objects.filter(event=event, number=2).update(drawn=NOON + 3 * MINUTE)
    with pytest.raises(RefusedError, match="Otto cannot take back their own claim"):
        undoing.undo(act, otto, NOON)
    (line,) = log.lines_of(event, [act], otto, NOON)
    assert "a round has been drawn since. Ada can." in line.kept
    undoing.undo(act, ada, NOON)


def test_who_claims_takes_it_back_while_nothing_is_rated(xan: WalkIn) -> None:
    otto = member("Otto")
    build.joined(xan.event.club, otto, "director")
    claiming.claim(xan, otto, NOON + MINUTE)
    undoing.undo(xan.event.acts.latest("pk"), otto, NOON + MINUTE)


def test_there_is_one_claim(xan: WalkIn) -> None:
    claiming.claim(xan, member("Otto"), NOON)
    with pytest.raises(RefusedError, match="have been claimed"):
        claiming.claim(xan, member("Olga"), NOON)


def test_a_card_claims_until_thirty_days_after_its_night(xan: WalkIn) -> None:
    otto, ended = member("Otto"), timezone.now() - claiming.CARD_LASTS
    assert claiming.why_not(xan, otto, ended + 90 * claiming.CARD_LASTS) == "", "it goes on"
    Event.objects.update(ended=ended)
    path, xan = reverse("walk_in", args=[xan.code]), WalkIn.objects.get()
    for reader in (Client(), logged_in(otto)):
        text = reader.get(path).text
        assert "This card claimed results until 30 days after its night" in text
        assert "Claim the results" not in text
    assert logged_in(otto).post(path).status_code == 409
    with pytest.raises(RefusedError, match="Ask a director of The Old Mill for a new code"):
        claiming.claim(xan, otto, ended + claiming.CARD_LASTS)
    assert xan.listed is not None
    code = same_person.renew_code(xan.listed, timezone.now())
    assert logged_in(otto).post(reverse("walk_in", args=[code])).status_code == 303
    xan.refresh_from_db()
    assert xan.claimed_by == otto


def test_nobody_claims_who_plays_or_has_played_in_the_event(ada: Player, xan: WalkIn) -> None:
    otto = member("Otto")
    build.joined(xan.event.club, otto)
    seat = xan.event.entered_players.exclude(player=xan.player)[0]
    substitutes.substitute(seat, otto, ada, NOON, reason="So.")
    with pytest.raises(RefusedError, match="Otto is in this event already"):
        claiming.claim(xan, otto, NOON)
    seat.refresh_from_db()
    substitutes.substitute(seat, "Yul", ada, NOON, reason="So.")
    with pytest.raises(RefusedError, match="Otto is in this event already"):
        claiming.claim(xan, otto, NOON)


def test_the_page_asks_for_an_account_and_claims(xan: WalkIn) -> None:
    path = reverse("walk_in", args=[xan.code])
    assert f"?next={path}" in Client().get(path).text
    for stranger in (Client(), logged_in(guest("Gus"))):
        assert stranger.post(path).status_code == 403
    browser = logged_in(member("Otto"))
    assert "Claim the results of Xan" in browser.get(path).text
    assert browser.post(path).status_code == 303
    assert browser.post(path).status_code == 409
    assert "belong to an account now" in Client().get(path).text
