"""House players among people: nobody sits out for them, and they take nobody's prize."""

from itertools import product
from random import Random
from typing import Any

import pytest

from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import NOON
from tests.volume import volume
from tournaments.acts import house_players
from tournaments.clubs import club_pages
from tournaments.entering import leaving_running_event
from tournaments.event_page import exports
from tournaments.formats.draw import Draw
from tournaments.formats.registry import FORMATS
from tournaments.formats.single_elimination import SingleElimination
from tournaments.models import Entry, EntryPlayer, Event, Letter, Round
from tournaments.seasons import season_table, seasons
from tournaments.standings import draws, ranking, winners

pytestmark = pytest.mark.django_db

#: So many people and house players.
MIXED = volume([(4, 3), (5, 2)], [(4, 3), (5, 2)], [(4, 3), (5, 2), (3, 2), (6, 5)])


def mixed(people: int, house: int, **fields: Any) -> Event:
    """An event that so many people and house players have entered."""
    event = build.event(**fields)
    build.enter(event, people)
    house_players.add_house_entries(event, event.created_by, house, NOON)
    return event


def house_of(event: Event) -> set[int]:
    return set(event.entries.filter(house=True).values_list("pk", flat=True))


def nobody_sits_out_for_house_players(event: Event) -> None:
    """No person sits out of a round in which two sides of house entries play against each other."""
    house = house_of(event)
    people = set(event.entries.filter(house=False, seed__isnull=False).values_list("pk", flat=True))
    through = set(event.entries.filter(qualified__isnull=False).values_list("pk", flat=True))
    stage = 0
    for round_ in Round.objects.filter(event=event).order_by("number"):
        playing: set[int] = set()
        among_themselves = False
        for pairing in round_.pairings.all():
            inside = set(pairing.entries.values_list("entry", flat=True))
            among_themselves |= inside <= house
            playing |= inside
        out = set(round_.sit_outs.values_list("entry", flat=True))
        if event.is_knock_out and round_.number == 1:
            out |= people - playing
        if round_.stage == 2 != stage:
            out |= through - playing
        stage = round_.stage
        assert not (among_themselves and out & people), f"round {round_.number}"


@pytest.mark.parametrize("which", list(FORMATS))
@pytest.mark.parametrize(("people", "house"), MIXED)
def test_no_person_sits_out_while_house_players_meet(which: str, people: int, house: int) -> None:
    people = max(people, FORMATS[which].least_entries - house)
    event = mixed(people, house, format=which, rounds=2)
    written = not event.first_stage.duplicate
    build.play_to_end(event, seed=people, written=written)
    nobody_sits_out_for_house_players(event)
    assert event.entries.filter(house=False, place__isnull=False).count() == people


@pytest.mark.parametrize("seed", range(volume(1, 1, 6)))
def test_no_person_waits_in_a_double_elimination_while_house_players_meet(seed: int) -> None:
    event = mixed(8, 3, format="double_elimination")
    build.play_to_end(event, seed=seed, written=True)
    nobody_sits_out_for_house_players(event)
    assert event.entries.filter(house=True).count() == 1
    assert event.notices.filter(text="House entries removed so that the numbers fit: 2.").exists()


@pytest.mark.parametrize("seed", range(volume(1, 1, 6)))
@pytest.mark.parametrize("second", ["single_elimination", "double_elimination"])
@pytest.mark.parametrize(
    ("which", "field", "qualifiers"), [("swiss", (4, 4), 6), ("rotation", (5, 7), 12)]
)
def test_no_person_has_a_bye_in_a_second_stage_while_house_players_meet(
    which: str, field: tuple[int, int], qualifiers: int, second: str, seed: int
) -> None:
    event = mixed(*field, format=which, rounds=2, second_stage=second, qualifiers=qualifiers)
    build.play_to_end(event, seed=seed, written=True)
    assert event.played_rounds.filter(stage=2).exists()
    nobody_sits_out_for_house_players(event)


def test_qualified_house_players_yield_to_the_next() -> None:
    event = mixed(4, 4, format="swiss", rounds=3, second_stage="single_elimination", qualifiers=6)
    build.play_to_end(event, seed=2)
    through = event.entries.filter(qualified__isnull=False)
    assert (through.filter(house=False).count(), through.count()) == (4, 6)
    notes = event.notices.filter(text__startswith="House entries left out")
    assert [note.text for note in notes] == [
        "House entries left out so that no player has to sit out because of them: 1."
    ]


def test_surplus_bye_is_one_beside_a_match_of_house_players() -> None:
    for entrants in range(2, 11):
        drawn = SingleElimination().pair(range(entrants), ())
        for sides in product((False, True), repeat=entrants):
            meet = any(sides[one[0]] and sides[other[0]] for one, other in sides_of(drawn))
            bye = not all(sides[one] for one in drawn.sit_outs)
            assert SingleElimination().may_idle_a_person(sides) == (meet and bye), sides


def sides_of(drawn: Draw) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    return [pairing.sides for pairing in drawn.pairings]


@pytest.mark.parametrize("which", ["swiss", "rotation", "progressive"])
def test_house_players_step_aside_when_an_entry_leaves(which: str) -> None:
    event = mixed(6, 2, format=which, rounds=4)
    build.begin(event)
    build.play_round(event, NOON, Random(1))
    leaving_running_event.withdraw(event.entries.filter(house=False)[0], event.created_by, NOON)
    build.play_round(event, NOON, Random(1))
    assert build.latest(event).number == 3
    drawn = set(build.latest(event).pairings.values_list("entries__entry", flat=True))
    # Seven are left: in a Swiss one house partnership steps aside, at tables of four both do.
    assert len(drawn & house_of(event)) == (1 if which == "swiss" else 0)
    assert build.latest(event).sit_outs.count() == (0 if which == "swiss" else 1)
    nobody_sits_out_for_house_players(event)


def test_house_players_alone_all_play_in_turn() -> None:
    event = mixed(0, 5, rounds=5)
    build.play_to_end(event)
    assert event.entries.count() == 5
    assert {entry.sit_outs.count() for entry in event.entries.all()} == {1}


def bracket_of(people: int, house: int) -> tuple[int, list[Entry]]:
    """How many byes are left, and who steps aside."""
    entries = [Entry(house=number >= people) for number in range(people + house)]
    aside = draws.surplus_at_start(Event(format="single_elimination"), entries)
    left = len(entries) - len(aside)
    return (1 << (left - 1).bit_length()) - left, aside


def test_a_knock_out_has_no_byes_where_house_players_could_meet() -> None:
    for people in range(1, 20):
        for house in range(1, 20):
            byes, aside = bracket_of(people, house)
            left = people + house - len(aside)
            meet = [
                (seed, left + byes + 1 - seed)
                for seed in range(byes + 1, left + 1)
                if people < seed < left + byes + 1 - seed <= left
            ]
            assert not (byes and meet), (people, house)
            assert all(entry.house for entry in aside)


def won_by_the_house(**fields: Any) -> Event:
    """A Swiss of four in which a house partnership wins every match."""
    event = mixed(3, 1, format="swiss", rounds=3, **fields)
    build.begin(event)
    house = house_of(event)
    while event.state == Event.State.RUNNING and event.final_at is None:
        build.arrive(event)
        build.step(event, NOON)
        for pairing in build.latest(event).pairings.all():
            sides = [line.side for line in pairing.entries.all() if line.entry_id in house]
            build.win(pairing, sides[0] if sides else 0)
        build.step(event, NOON)
    if event.final_at is not None:
        build.step(event, event.final_at)
    return event


def test_prizes_go_to_people_and_the_letter_says_so() -> None:
    event = won_by_the_house()
    lines = ranking.standings_of(event).lines
    assert lines[0].entry.house
    trophies = event.trophies.order_by("place").values_list("place", "player__kind")
    assert {kind for _place, kind in trophies} == {"person"}
    assert [place for place, _kind in trophies][:2] == [1, 1]
    first = lines[1].entry.name
    assert event.notices.filter(text=f"Finished. The winner: {first}.").exists()


def test_an_event_may_let_house_players_win() -> None:
    event = won_by_the_house(house_prizes=True)
    assert event.trophies.filter(place=1, player__kind="house").count() == 2


def test_the_letter_says_which_place_it_is_among_people() -> None:
    event = mixed(3, 1, format="swiss", rounds=1)
    reader = member("Rowena")
    EntryPlayer.objects.filter(entry__house=False, position=0, player__name="1").update(
        player=reader
    )
    build.begin(event)
    house = house_of(event)
    build.arrive(event)
    build.step(event, NOON)
    for pairing in build.latest(event).pairings.all():
        side = next((line.side for line in pairing.entries.all() if line.entry_id in house), 0)
        build.win(pairing, side, (10, 0) if side == 0 else (0, 10))
    build.step(event, NOON)
    if event.final_at is not None:
        build.step(event, event.final_at)
    (letter,) = Letter.objects.filter(user=reader.user, key__contains="result")
    entry = event.entries.get(players__player=reader)
    assert entry.place is not None
    place = winners.prize_places(event)[entry.pk]
    assert letter.subject.endswith(f"you finished {winners.ordinal(place)} of 3 people")
    assert (f"you are number {entry.place} of 4" in letter.text) == (place != entry.place)


def test_the_best_of_the_people_is_the_winner_everywhere() -> None:
    event = won_by_the_house()
    reader = member("Rowena")
    first, second = (line.entry for line in ranking.standings_of(event).lines[:2])
    seat = second.players.get(position=0)
    EntryPlayer.objects.filter(pk=seat.pk).update(player=reader)
    name = Entry.objects.get(pk=second.pk).name
    assert first.house
    assert second.place == 2

    client = logged_in(reader)
    page = " ".join(client.get(f"/events/{event.pk}/").text.split())
    assert "1st of 3 people" in page
    assert "1st among people" in page
    assert "House players win no prizes: the best person wins." in page
    assert "You were 1st" in client.get("/events/").text
    assert f"won by {name}" in client.get("/you/events/").text
    assert [line.winners for line in club_pages.latest_results(event.club, None, NOON)] == [name]
    table = {line.player.pk: line for line in season_table.table(event.club, seasons.year(2026))}
    assert (table[reader.pk].wins, table[reader.pk].points, table[reader.pk].best) == (1, 3, 1)
    for rows in (exports.standings(event), exports.entries(event)):
        prizes = {row["entry"]: row["prize_place"] for row in rows}
        assert prizes[first.pk] is None
        assert prizes[second.pk] == 1
        assert min(place for place in prizes.values() if place) == 1


def test_running_standings_name_the_best_person_too() -> None:
    event = mixed(3, 1, format="swiss", rounds=3)
    build.begin(event)
    build.play_round(event, NOON, Random(4))
    lines = ranking.standings_of(event).lines
    assert [line.prize_place for line in lines if not line.entry.house] == [1, 2, 3]
    assert [line.prize_place for line in lines if line.entry.house] == [None]


def placed(*houses: bool, withdrawn: tuple[int, ...] = ()) -> list[winners.Placed]:
    """Entries 1, 2 and so on at these places."""
    return [
        winners.Placed(number, number, house, "withdrawn" * (number in withdrawn))
        for number, house in enumerate(houses, start=1)
    ]


def test_entries_that_can_win() -> None:
    def places(*houses: bool, withdrawn: tuple[int, ...] = (), prizes: bool = False) -> Any:
        return winners.outcome(placed(*houses, withdrawn=withdrawn), house_prizes=prizes).places

    assert places(True, False, True, False) == {2: 1, 4: 2}
    assert places(True, False, prizes=True) == {1: 1, 2: 2}
    assert places(True, True) == {1: 1, 2: 2}
    assert places(True, False, withdrawn=(2,)) == {}
    assert places(True, False, False, withdrawn=(2,)) == {3: 1}


def test_finish_states_the_group_it_counts() -> None:
    mixed_field = winners.outcome(placed(True, False, False), house_prizes=False)
    assert mixed_field.finish(3, 3, 3) == "2nd of 2 people"
    assert mixed_field.finish(1, 1, 3) == "1st of 3"
    assert winners.outcome(placed(False, False), house_prizes=False).finish(1, 1, 2) == "1st of 2"
