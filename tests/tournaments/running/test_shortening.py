"""Events that cannot have all their rounds get what is possible, and everybody is told why."""

from random import Random

import pytest

from tests.factories import member
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON
from tests.volume import volume
from tournaments.entering import leaving_running_event
from tournaments.events import repeating
from tournaments.models import Entry, EntryPlayer, Event, Letter

pytestmark = pytest.mark.django_db


def words_of(event: Event) -> list[str]:
    """What everybody has been told on the event's page, the first first."""
    return list(event.notices.filter(public=True).order_by("pk").values_list("text", flat=True))


def play(event: Event, rounds: int, rng: Random) -> None:
    for _round in range(rounds):
        build.play_round(event, NOON + MINUTE, rng)


@pytest.mark.parametrize(("teams", "rounds"), [(5, None), (6, None), (6, 5), (5, 5), (7, 7)])
@pytest.mark.parametrize("seed", range(volume(1, 1, 3)))
def test_a_swiss_of_a_few_teams_has_all_its_rounds(
    teams: int, rounds: int | None, seed: int
) -> None:
    event = build.event(format="swiss", rounds=rounds, seed=f"{seed:032x}")
    build.enter(event, teams)
    rounds = build.play_to_end(event, seed=seed, written=True)
    assert rounds == event.first_stage.wanted_rounds(event, teams)
    assert words_of(event) == []


def test_small_field_is_notified_of_fewer_rounds_at_the_start() -> None:
    event = build.event(format="swiss", rounds=7)
    entries = build.enter(event, 6)
    reader = member("Rowena")
    EntryPlayer.objects.filter(entry=entries[0], position=0).update(player=reader)
    build.begin(event)
    said = (
        "The event ends after round 5, not 7:"
        " 6 partnerships cannot be paired again without a rematch."
    )
    assert words_of(event) == [said]
    (letter,) = Letter.objects.filter(user=reader.user)
    assert said in letter.text
    assert f"/events/{event.pk}/" in letter.text
    play(event, 5, Random(1))
    assert (event.state, event.played_rounds.count()) == (Event.State.FINISHED, 5)
    assert len(words_of(event)) == 1
    assert repeating.on_day(event, NOON.date(), NOON).cut_to is None


def test_withdrawals_shorten_the_event_and_a_return_restores_it() -> None:
    event = build.event(format="swiss", rounds=4)
    build.enter(event, 6)
    build.begin(event)
    play(event, 1, Random(2))
    first = event.entries.order_by("seed")[0]
    met = Entry.objects.filter(pairings__pairing__entries__entry=first)
    stays = event.entries.exclude(pk__in=met)[0]
    gone = list(event.entries.exclude(pk__in=(first.pk, stays.pk)))
    for entry in gone:
        leaving_running_event.withdraw(entry, event.created_by, NOON)
    play(event, 1, Random(2))
    assert "\n".join(words_of(event)) == (
        "The event ends after round 3, not 4:"
        " 2 partnerships cannot be paired again without a rematch."
    )
    assert event.round_count(6) == event.cut_to == 3
    for entry in gone:
        leaving_running_event.put_back(entry, event.created_by, NOON)
    play(event, 1, Random(2))
    assert words_of(event)[-1] == "The event is back to 4 rounds: there are enough partnerships."
    play(event, 1, Random(2))
    assert (event.state, event.played_rounds.count()) == (Event.State.FINISHED, 4)


@pytest.mark.parametrize("which", ["rotation", "progressive"])
def test_too_few_players_for_a_table_end_the_event_with_a_reason(which: str) -> None:
    event = build.event(format=which, rounds=5)
    build.enter(event, 5)
    build.begin(event)
    play(event, 1, Random(3))
    for entry in event.entries.order_by("seed")[:2]:
        leaving_running_event.withdraw(entry, event.created_by, NOON)
    play(event, 1, Random(3))
    assert event.state == Event.State.FINISHED
    assert words_of(event) == [
        "The event ends after round 2, not 5: 3 players cannot fill a table of 4."
    ]


def test_last_swiss_entry_is_told_why_the_event_ends() -> None:
    event = build.event(format="swiss", rounds=3)
    build.enter(event, 4)
    build.begin(event)
    play(event, 1, Random(4))
    event.entries.filter(seed__gt=1).update(state=Entry.State.WITHDRAWN)
    play(event, 1, Random(4))
    assert event.state == Event.State.FINISHED
    assert words_of(event)[-1].endswith("1 partnership cannot play on alone.")


def test_a_first_stage_cut_short_leads_to_the_knock_out() -> None:
    event = build.event(format="swiss", rounds=6, second_stage="single_elimination", qualifiers=2)
    build.enter(event, 4)
    assert build.play_to_end(event) == 4
    assert words_of(event)[0].startswith(
        "The first stage ends after round 3, not 6: 4 partnerships"
    )
