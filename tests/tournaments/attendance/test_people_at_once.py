"""Two directors, and people with codes, at the same people on paper at once, and at one night."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import connection
from django.utils import timezone

from games.models import Player
from tests.factories import member
from tests.tournaments import build
from tests.tournaments.attendance.test_same_person import line, played
from tests.tournaments.build import NOON
from tournaments.acts import starting_and_ending
from tournaments.attendance import claiming, newcomers, same_person
from tournaments.events import repeating
from tournaments.models import EntryPlayer, Event, ListedName, WalkIn
from tournaments.refusals import RefusedError
from tournaments.setting_up import plan, setting_up


@pytest.fixture(autouse=True)
def _patient_pool(monkeypatch: pytest.MonkeyPatch, transactional_db: None) -> None:
    """Let everybody wait for a few connections as long as a busy machine takes."""
    pool = getattr(connection, "pool", None)
    if pool is not None:
        monkeypatch.setattr(pool, "timeout", 300.0)


def at_once(*verbs: Callable[[], object]) -> list[str]:
    """Do all of it at the same moment; return what each was refused with, or an empty string."""
    barrier = Barrier(len(verbs))

    def do(verb: Callable[[], object]) -> str:
        barrier.wait()
        try:
            verb()
        except RefusedError as error:
            return error.code
        finally:
            connection.close()
        return ""

    with ThreadPoolExecutor(len(verbs)) as threads:
        return list(threads.map(do, verbs))


@pytest.fixture
def ada() -> Player:
    return build.director(build.club())


@pytest.fixture
def two(ada: Player) -> tuple[ListedName, ListedName]:
    played(ada, "Wim Tarrant")
    played(ada, "W. Tarrant")
    return line("Wim Tarrant"), line("W. Tarrant")


@pytest.mark.django_db(transaction=True)
def test_two_directors_join_two_lines_in_both_directions(
    two: tuple[ListedName, ListedName],
) -> None:
    wim, other = two
    joins = [lambda: same_person.join(wim, other), lambda: same_person.join(other, wim)] * 4
    refused = at_once(*joins)
    assert sorted(refused) == ["", *["apart"] * 7]
    (kept,) = ListedName.objects.filter(joined_to=None)
    assert kept.joined.count() == 1
    assert set(WalkIn.objects.values_list("player", flat=True)) == {kept.plays_as_id}
    assert EntryPlayer.objects.filter(player=kept.plays_as).count() == 2


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("claimed", ["Wim Tarrant", "W. Tarrant"])
def test_a_code_claims_while_the_line_is_being_joined(
    two: tuple[ListedName, ListedName], claimed: str
) -> None:
    wim, other = two
    otto = member("Otto Peel")
    same_person.renew_code(line(claimed), timezone.now())
    row = line(claimed)
    refused = at_once(
        lambda: claiming.claim_line(row, otto, NOON), lambda: same_person.join(wim, other)
    )
    nights = WalkIn.objects.filter(claimed_by=otto).count()
    if refused == ["", ""]:
        assert nights == 2, "joined first: the claim has the nights of both"
    else:
        assert refused == ["", "apart"]
        assert nights == 1, "claimed first: the other line stays on paper"
    assert EntryPlayer.objects.filter(player=otto).count() == nights
    taken = {one.name for one in ListedName.objects.filter(player=otto)}
    assert taken == ({"Wim Tarrant", "W. Tarrant"} if nights == 2 else {claimed})


@pytest.mark.django_db(transaction=True)
def test_two_accounts_claim_by_card_and_by_code_while_a_night_is_entered(ada: Player) -> None:
    event = played(ada, "Wim Tarrant")
    later = build.event(event.club, place=Event.Place.ROOM, format="progressive")
    card, row = event.walk_ins.get(), line("Wim Tarrant")
    otto, olga = member("Otto Peel"), member("Olga Peel")
    claims = (
        lambda: claiming.claim(card, otto, NOON),
        lambda: claiming.claim_line(row, olga, NOON),
        lambda: newcomers.enter(later, [row], ada, NOON),
    )
    refused = at_once(*claims)
    for again, verb in enumerate(claims):
        if refused[again] == "changed":  # as it asks them to
            refused[again] = at_once(verb)[0]
    assert sorted(refused[:2]) == ["", "claimed"]
    (who,) = {one.claimed_by for one in event.walk_ins.all()}
    assert who in {otto, olga}
    assert not EntryPlayer.objects.filter(player={otto: olga, olga: otto}[who]).exists()
    assert ListedName.objects.get().player == who
    if not refused[2]:
        (seat,) = later.entered_players.all()
        assert seat.player in {who, row.plays_as}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("number", range(4))
def test_a_series_goes_on_while_its_next_night_is_planned(ada: Player, number: int) -> None:
    club, now = ada.memberships.get().club, timezone.now()
    event = build.event(
        club, recurrence="weekly", starts=now + timedelta(hours=1), format="progressive",
        registration_closes=now + timedelta(hours=1),
    )  # fmt: skip
    build.enter(event, 4)
    day = next(repeating.same_weekdays(event, now))

    def begins() -> None:
        if number % 2:
            starting_and_ending.start_now(event, ada, now)
        else:
            starting_and_ending.cancel(event, ada, "Rain.", now)

    def plans() -> None:
        plan.plan(setting_up.copy(event, day, now), ada, now, publish=True)

    refused = at_once(begins, plans, plans)
    assert refused[0] == ""
    nights = club.events.exclude(pk=event.pk)
    starts = list(nights.values_list("starts", flat=True))
    assert len(starts) == len(set(starts)), "no night is there twice"
    assert nights.exclude(repeat_of=None).count() == 1, "the series goes on once"
    assert refused[1:].count("there") >= 1
