"""Who owns a place that substitutes have played in: whoever had it first.

Events of the time when it could go to whoever plays at the end keep what they gave away.
"""

from random import Random
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from games.models import Performance, Player
from tests.api.asking import ask
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.attendance import test_substitutes
from tests.tournaments.build import MINUTE, NOON, ruled
from tests.volume import volume
from tournaments.acts import (
    correcting,
    drawing_again,
    house_players,
    log,
    seating_by_hand,
    starting_and_ending,
    undoing,
)
from tournaments.attendance import claiming, newcomers, substitutes
from tournaments.calendar.your_events import your_events
from tournaments.console import door
from tournaments.event_page import exports, page_values
from tournaments.events import event_words
from tournaments.models import Act, Entry, Event, Letter, Pairing, Trophy
from tournaments.money import sheet
from tournaments.ratings import units as rating_units
from tournaments.refusals import RefusedError
from tournaments.results import match_lines, place_owners
from tournaments.seasons import season_table, seasons
from tournaments.seasons.hall_of_fame import hall_of_fame
from tournaments.standings import conflicts_of_interest, ranking

pytestmark = pytest.mark.django_db

FIRST, LAST = "first", "last"
MONEY: dict[str, Any] = {
    "currency": "EUR", "entry_money": 500, "prizes": [{"amount": 0, "percent": 100}],
}  # fmt: skip


@pytest.fixture
def ada() -> Player:
    """A director of the club."""
    return build.director(build.club(currency="EUR"))


def put_in(
    event: Event, entry: Entry, person: Player | str, by: Player, *, position: int = 0,
    owner: str = FIRST,
) -> int:  # fmt: skip
    """Put a substitute in; LAST: the place goes to them, as events of that setting were stored."""
    number = test_substitutes.put_in(event, entry, person, by, position)
    if owner == LAST:
        entry.substitutions.update(gave_up=True)
    return number


def running(ada: Player, entries: int = 4, **fields: Any) -> Event:
    """An event in the room in its first round; its first entry wins every match of `play`."""
    values = {"rounds": 2, "place": Event.Place.ROOM, "format": "rotation", **MONEY, **fields}
    event = build.event(ada.memberships.get().club, **values)
    build.let_in(event, [member(f"Player {n}") for n in range(entries * event.team_size)])
    build.begin(event)
    return event


def play(event: Event, best: Entry) -> None:
    """Let one entry win the latest round, and the first sides of the other tables."""
    for match in build.latest(event).pairings.exclude(state=Pairing.State.DECIDED):
        line = match.entries.filter(entry=best).first()
        side = line.side if line else 0
        score = (5, 3) if side == 0 else (3, 5)
        correcting.set_result(match, event.created_by, ruled(side, score), reason="", now=NOON)
    build.step(event, NOON)


def first_of(event: Event) -> Entry:
    return event.entries.order_by("pk")[0]


def names_in(rows: Any) -> list[str]:
    return [person["name"] for row in rows for person in row["players"]]


def replaced(ada: Player, rosa: Player, owner: str = FIRST, **fields: Any) -> Event:
    """An event in its second round, in which Rosa plays for Player 0, who won the first."""
    event = running(ada, **fields)
    entry = first_of(event)
    play(event, entry)
    assert put_in(event, entry, rosa, ada, owner=owner) == 2
    return event


@pytest.mark.parametrize(("owner", "name", "other"), [
    (FIRST, "Player 0", "Rosa"), (LAST, "Rosa", "Player 0"),
])  # fmt: skip
class TestOwner:
    def test_the_standings_name_the_owner_while_others_play(
        self, ada: Player, rosa: Player, owner: str, name: str, other: str
    ) -> None:
        event = replaced(ada, rosa, owner)
        shown = page_values.read(event, NOON).standings
        assert shown is not None
        on_page = {person.name for line in shown.lines for person in line.team.people}
        in_api = names_in(ask(f"/events/{event.pk}/standings").json()["lines"])
        for names in (on_page, names_in(exports.standings(event)), in_api):
            assert name in names
            assert other not in names
        (guest,) = (one for one in door.guests_of(event, ada, NOON) if "Rosa" in one.entry.name)
        assert guest.owner == (name if name != "Rosa" else "")
        round_ = page_values.round_of(event, 2)
        assert round_ is not None
        people = [side.team.people for match in round_.matches for side in match.sides]
        assert "Rosa" in {person.name for both in people for person in both}

    def test_prizes_and_seasons_are_the_owners(
        self, ada: Player, rosa: Player, owner: str, name: str, other: str
    ) -> None:
        event = replaced(ada, rosa, owner)
        play(event, first_of(event))
        assert event.state == Event.State.FINISHED
        assert Trophy.objects.get(event=event, place=1).player.name == name
        (winner, *_others) = sheet.read(event).winners
        assert winner.team.name == name
        season = seasons.seasons_of(event.club, NOON)[0]
        table = {row.player.name: row.place for row in season_table.table(event.club, season)}
        assert table[name] == 1
        assert other not in table
        hall = hall_of_fame(event.club, NOON)
        assert hall["wins"][0][1].name == name
        assert names_in(exports.standings(event))[0] == name
        assert names_in(ask(f"/events/{event.pk}/standings").json()["lines"])[0] == name
        subjects = dict(Letter.objects.values_list("user__player__name", "subject"))
        assert subjects[name] == f"{event.name}: you finished 1st of 4"
        assert other not in subjects

    def test_rounds_and_ratings_are_of_those_who_played(
        self, ada: Player, rosa: Player, owner: str, name: str, other: str
    ) -> None:
        event = replaced(ada, rosa, owner, rounds=2)
        play(event, first_of(event))
        kept = rating_units.RatedEvent(event.pk, NOON, NOON, event.version, event.club_id)
        numbers = dict(Pairing.objects.values_list("pk", "round__number"))
        played: dict[int, set[int]] = {}
        for unit in rating_units.units([kept], in_room=True):
            for player in (*unit.sides[0], *unit.sides[1]):
                played.setdefault(player, set()).add(numbers[unit.pairing_id or 0])
        zero = Player.objects.get(name="Player 0")
        assert (played[zero.pk], played[rosa.pk]) == ({1}, {2})
        told = ask(f"/events/{event.pk}/results").json()["items"]
        for rows in (exports.results(event), told):
            for row in rows:
                sides = row["sides"] if "sides" in row else (row["north_south"], row["east_west"])
                assert ("Rosa" in names_in(sides)) == (row["round"] == 2)
        past = your_events(Player.objects.get(name=name))["past"]
        assert [line.ending for line in past] == ["1st of 4"]
        assert [line.left for line in your_events(Player.objects.get(name=other))["past"]] != [0]

    def test_entries_are_the_owners(
        self, ada: Player, rosa: Player, owner: str, name: str, other: str
    ) -> None:
        event = replaced(ada, rosa, owner)
        for _round in range(2):
            names = names_in(exports.entries(event))
            assert name in names
            assert other not in names
            play(event, first_of(event))

    def test_a_sit_out_is_of_who_sat_out(
        self, ada: Player, rosa: Player, owner: str, name: str, other: str
    ) -> None:
        event = running(ada, entries=5, format="progressive", rounds=2)
        entry = build.latest(event).sit_outs.get().entry
        before = entry.players.get().player.name
        play(event, entry)
        put_in(event, entry, rosa, ada, owner=owner)
        play(event, entry)
        round_ = page_values.round_of(event, 1)
        assert round_ is not None
        assert [team.name for team in round_.sit_outs] == [before]
        (idle,) = (
            row for row in exports.pairings(event) if row["round"] == 1 and row["table"] is None
        )
        assert names_in([idle["north_south"]]) == [before]
        assert names_in(ask(f"/events/{event.pk}/rounds/1").json()["idle"]) == [before]

    def test_corrections_and_acts_name_who_played(
        self, ada: Player, rosa: Player, owner: str, name: str, other: str
    ) -> None:
        event = replaced(ada, rosa, owner)
        entry = first_of(event)
        play(event, entry)
        played = {1: ("Player 0", "Rosa"), 2: ("Rosa", "Player 0")}
        for match in Pairing.objects.filter(round__event=event, entries__entry=entry):
            side = match.entries.get(entry=entry).side
            wish = ruled(side, (6, 3) if side == 0 else (3, 6))
            correcting.set_result(match, ada, wish, reason="So.", now=NOON)
            (line, *_earlier) = page_values.read(event, NOON).corrections
            (act,) = log.lines_of(event, [event.acts.latest("pk")])
            there, absent = played[match.round.number]
            for words in (line.sides, line.winners[1], act.on):
                assert there in words
                assert absent not in words

    def test_a_correction_after_the_end_is_the_owners(
        self, ada: Player, rosa: Player, owner: str, name: str, other: str
    ) -> None:
        event = replaced(ada, rosa, owner)
        entry = first_of(event)
        play(event, entry)
        for match in Pairing.objects.filter(round__event=event):
            side = match.entries.get(entry=entry).side
            score = (3, 5) if side == 0 else (5, 3)
            wish = ruled(1 - side, score)
            correcting.set_result(match, event.created_by, wish, reason="Swapped.", now=NOON)
        letters = Letter.objects.filter(subject__contains="your place is")
        readers = set(letters.values_list("user__player__name", flat=True))
        assert name in readers
        assert other not in readers
        numbers = dict(Pairing.objects.values_list("pk", "round__number"))
        both = Performance.objects.filter(player__name__in=[name, other])
        counted = {
            (who, numbers[match or 0]) for who, match in both.values_list("player__name", "match")
        }
        assert counted == {("Player 0", 1), ("Rosa", 2)}


class TestSeats:
    def test_the_preview_changes_no_name_in_the_standings(self, ada: Player, rosa: Player) -> None:
        event = running(ada)
        play(event, first_of(event))
        path = reverse("substitute", args=[event.pk, first_of(event).players.get().pk])
        asked = logged_in(ada).get(path, {"player": rosa.pk})
        changes = {change.thing for change in asked.context["preview"].changes}
        assert changes
        assert changes.isdisjoint({"Rosa: standings", "Player 0: standings"})

    def test_a_partner_keeps_their_half(self, ada: Player, rosa: Player) -> None:
        event = running(ada, format="swiss", rounds=2)
        entry = first_of(event)
        play(event, entry)
        put_in(event, entry, rosa, ada, position=1)
        play(event, entry)
        winners = Trophy.objects.filter(event=event, place=1).order_by("player__name")
        assert [one.player.name for one in winners] == ["Player 0", "Player 1"]

    def test_who_takes_over_from_the_house_owns_the_place(self, ada: Player, rosa: Player) -> None:
        event = build.event(
            ada.memberships.get().club, format="rotation", rounds=3,
            place=Event.Place.ONLINE,
        )  # fmt: skip
        build.enter(event, 3)
        house_players.add_house_entries(event, ada, 1, NOON - MINUTE)
        build.begin(event)
        seat = substitutes.seat_of_house(event)
        assert seat is not None
        substitutes.substitute(seat, rosa, ada, NOON, reason="Late.")
        seat.refresh_from_db()
        (line,) = (one for one in exports.standings(event) if one["entry"] == seat.entry_id)
        assert names_in([line]) == ["Rosa"]

    def test_the_owner_takes_the_own_seat_back_and_no_other(
        self, ada: Player, rosa: Player
    ) -> None:
        event = replaced(ada, rosa, format="progressive", rounds=4)
        entry, other = event.entries.order_by("pk")[:2]
        zero = Player.objects.get(name="Player 0")
        with pytest.raises(RefusedError, match="Player 0 has a place in this event"):
            put_in(event, other, zero, ada)
        with pytest.raises(RefusedError, match="Player 0 has a place in this event"):
            newcomers.enter(event, [zero], ada, NOON)
        assert put_in(event, entry, zero, ada) == 2
        assert entry.players.get().player == zero
        with pytest.raises(RefusedError, match="Player 0 is in the event already"):
            put_in(event, other, zero, ada)

    def test_who_owns_nothing_may_play_for_another(self, ada: Player, rosa: Player) -> None:
        event = replaced(ada, rosa, LAST, format="progressive", rounds=4)
        zero = Player.objects.get(name="Player 0")
        assert put_in(event, event.entries.order_by("pk")[1], zero, ada) == 2

    def test_undoing_leaves_nothing(self, ada: Player, rosa: Player) -> None:
        event = replaced(ada, rosa)
        undoing.undo(event.acts.get(kind=Act.Kind.SUBSTITUTE), ada, NOON)
        play(event, first_of(event))
        assert not event.entries.filter(substitutions__isnull=False).exists()
        assert Trophy.objects.get(event=event, place=1).player.name == "Player 0"

    def test_a_walk_in_who_comes_back_is_the_same(self, ada: Player, rosa: Player) -> None:
        event = running(ada, format="progressive", rounds=4)
        entry = first_of(event)
        put_in(event, entry, "Xan", ada)
        xan = event.walk_ins.get()
        play(event, entry)
        put_in(event, entry, rosa, ada)
        play(event, entry)
        put_in(event, entry, " xan ", ada)
        assert entry.players.get().player == xan.player
        undoing.undo(event.acts.latest("pk"), ada, NOON)
        assert entry.players.get().player == rosa
        assert event.walk_ins.get() == xan, "the code of a round that was played"

    def test_the_page_of_a_walk_in_lists_what_they_played(self, ada: Player, rosa: Player) -> None:
        event = running(ada, format="progressive", rounds=3)
        entry = first_of(event)
        play(event, entry)
        put_in(event, entry, "Xan", ada)
        path = reverse("walk_in", args=[event.walk_ins.get().code])
        play(event, entry)
        put_in(event, entry, rosa, ada)
        away = Client().get(path)
        assert "Somebody else took your seat" in away.text
        assert "still yours" not in away.text, "Player 0 had it first"
        play(event, entry)
        for shown in (away, Client().get(path)):
            assert [one.label for one in shown.context["results"]] == ["Round 2, table 1"]
            assert "Rosa" not in "".join(one.partner for one in shown.context["results"])

    def test_the_page_of_an_owner_says_that_the_place_is_theirs(
        self, ada: Player, rosa: Player
    ) -> None:
        event = build.event(ada.memberships.get().club, place=Event.Place.ROOM, rounds=2)
        build.enter(event, 3)
        entry = newcomers.enter(event, ["Xan"], ada, NOON)
        build.begin(event)
        path = reverse("walk_in", args=[event.walk_ins.get().code])
        play(event, entry)
        put_in(event, entry, rosa, ada)
        assert "The place with its points is still yours." in Client().get(path).text
        play(event, entry)
        over = Client().get(path)
        assert over.context["mine"].label == "You finished"
        assert [one.label for one in over.context["results"]] == ["Round 1, table 1"]

    @pytest.mark.parametrize("owner", [FIRST, LAST])
    def test_a_claim_is_taken_back_although_a_substitute_came(
        self, ada: Player, rosa: Player, owner: str
    ) -> None:
        event = running(ada)
        entry = first_of(event)
        put_in(event, entry, "Xan", ada, owner=owner)
        row = event.walk_ins.get()
        play(event, entry)
        petra = member("Petra")
        claiming.claim(row, petra, NOON)
        put_in(event, entry, rosa, ada, owner=owner)
        play(event, entry)
        undoing.undo(event.acts.get(kind=Act.Kind.CLAIM), ada, NOON)
        seats = entry.substitutions.order_by("until", "pk")
        left = list(seats.values_list("player__name", "until"))
        assert left[:2] == [("Player 0", 0), ("Xan", 1)]
        assert entry.players.get().player.name == ("Player 0" if owner == FIRST else "Rosa")
        row.refresh_from_db()
        assert row.claimed_by is None

    def test_a_claim_stays_with_who_has_another_place_since(
        self, ada: Player, rosa: Player
    ) -> None:
        event = running(ada, format="progressive", rounds=4)
        entry, other = event.entries.order_by("pk")[:2]
        put_in(event, entry, "Xan", ada)
        petra = member("Petra")
        claiming.claim(event.walk_ins.get(), petra, NOON)
        put_in(event, entry, rosa, ada)
        put_in(event, other, petra, ada)
        with pytest.raises(RefusedError, match="Petra has had another place in this event since"):
            undoing.undo(event.acts.get(kind=Act.Kind.CLAIM), ada, NOON)

    def test_nobody_else_gets_the_name_of_a_walk_in_who_owns_a_place(
        self, ada: Player, rosa: Player
    ) -> None:
        event = build.event(ada.memberships.get().club, place=Event.Place.ROOM)
        build.enter(event, 3)
        newcomers.enter(event, ["Xan"], ada, NOON)
        build.begin(event)
        entry = event.walk_ins.get().player.entries.get().entry
        put_in(event, entry, rosa, ada)
        with pytest.raises(RefusedError, match="Xan has a place in this event that a substitute"):
            put_in(event, first_of(event), "xan", ada)
        put_in(event, entry, "Xan", ada)
        assert event.walk_ins.count() == 1

    def test_a_substitute_after_a_round_is_taken_back_comes_last(
        self, ada: Player, rosa: Player
    ) -> None:
        event = running(ada, format="progressive", rounds=4, break_seconds=600)
        entry = first_of(event)
        play(event, entry)
        build.step(event, NOON + 11 * MINUTE)
        play(event, entry)
        put_in(event, entry, rosa, ada)
        drawing_again.take_back(event, ada, 2, reason="So.", override=True, now=NOON)
        put_in(event, entry, "Xan", ada)
        assert [one.name for one in place_owners.first_players(event).values()] == ["Player 0"]
        round_ = page_values.round_of(event, 1)
        assert round_ is not None
        people = [side.team.people for match in round_.matches for side in match.sides]
        assert {person.name for both in people for person in both}.isdisjoint({"Rosa", "Xan"})

    def test_who_played_no_round_is_in_no_list(self, ada: Player, rosa: Player) -> None:
        event = running(ada, rounds=1, break_seconds=600)
        with_grace = first_of(event)
        for match in build.latest(event).pairings.all():
            correcting.set_result(match, ada, ruled(0, (5, 3)), reason="", now=NOON)
        put_in(event, with_grace, rosa, ada)
        build.step(event, NOON)
        assert event.state == Event.State.FINISHED
        assert with_grace.substitutions.count() == 1
        assert your_events(rosa)["past"] == ()


def test_an_owner_who_directs_has_an_interest(ada: Player, rosa: Player) -> None:
    event = running(ada, rounds=3)
    entry = first_of(event)
    olga = entry.players.get().player
    build.joined(event.club, olga, "director")
    put_in(event, entry, rosa, ada)
    assert "Player 0 has a place that still plays at table" in conflicts_of_interest.why_no_time(
        event, olga, build.latest(event).pairings.get()
    )
    with pytest.raises(RefusedError, match="has a place that still plays"):
        conflicts_of_interest.check_time(event, olga)
    assert conflicts_of_interest.why_no_end(event, olga)
    entry.substitutions.update(gave_up=True)
    conflicts_of_interest.check_time(event, olga)
    assert not conflicts_of_interest.why_no_end(event, olga)


def test_an_owner_hears_that_the_event_is_cancelled(ada: Player, rosa: Player) -> None:
    event = replaced(ada, rosa)
    starting_and_ending.cancel(event, ada, "The power is out.", NOON)
    letters = Letter.objects.filter(subject__contains="cancelled")
    assert {"Player 0", "Rosa"} <= set(letters.values_list("user__player__name", flat=True))


def test_a_director_finds_who_is_away(ada: Player, rosa: Player) -> None:
    event = replaced(ada, rosa, format="progressive", rounds=4)
    entry = first_of(event)
    zero = Player.objects.get(name="Player 0")
    build.joined(event.club, zero)
    browser, path = logged_in(ada), reverse("find_people", args=[event.pk])
    found = browser.get(path, {"q": "Player 0"}).text
    assert "Has a place that a substitute plays in" in found
    assert "Member, not entered" not in found
    put_in(event, entry, "Xan", ada)
    code = event.walk_ins.get().code
    play(event, entry)
    put_in(event, entry, rosa, ada)
    assert "Rosa" in browser.get(path, {"q": code}).text, "who sits there now"


class TestOwnerWhoDirects:
    @pytest.fixture
    def event(self, ada: Player) -> Event:
        return running(ada, entries=9, format="progressive", rounds=3)

    def away(self, event: Event, entry: Entry, rosa: Player, ada: Player) -> Player:
        """Put Rosa in, and return the owner, who directs."""
        owner = entry.players.get().player
        build.joined(event.club, owner, "director")
        put_in(event, entry, rosa, ada)
        event.refresh_from_db()
        return owner

    def test_they_do_not_take_back_its_round(self, ada: Player, rosa: Player, event: Event) -> None:
        line = build.latest(event).pairings.all()[0].entries.all()[0]
        owner = self.away(event, line.entry, rosa, ada)
        with pytest.raises(RefusedError, match="somebody else has to change its seats"):
            drawing_again.take_back(event, owner, 1, reason="So.", override=True, now=NOON)

    def test_they_do_not_choose_who_plays_for_them(
        self, ada: Player, rosa: Player, event: Event
    ) -> None:
        entry, other = event.entries.order_by("pk")[:2]
        owner = self.away(event, entry, rosa, ada)
        with pytest.raises(RefusedError, match="Player 0 keeps this place, so somebody else"):
            put_in(event, entry, "Xan", owner)
        with pytest.raises(RefusedError, match="Player 0 keeps this place, so somebody else"):
            undoing.undo(event.acts.latest("pk"), owner, NOON)
        put_in(event, entry, "Xan", ada)
        olga = other.players.get().player
        build.joined(event.club, olga, "director")
        with pytest.raises(RefusedError, match="Player 1 keeps this place"):
            put_in(event, other, "Yul", olga)

    def test_they_do_not_seat_it(self, ada: Player, rosa: Player, event: Event) -> None:
        idle = build.latest(event).sit_outs.get().entry
        owner = self.away(event, idle, rosa, ada)
        match = build.latest(event).pairings.all()[0]
        seats = match.entries.order_by("side", "position").values_list("entry", flat=True)
        with pytest.raises(RefusedError, match="cannot seat their own entry"):
            seating_by_hand.seat(match, owner, [idle.pk, *seats[1:]], reason="So.", now=NOON)


def test_the_event_says_it_in_a_sentence(ada: Player, rosa: Player) -> None:
    event = build.event(ada.memberships.get().club)
    rule = event_words.SUBSTITUTES
    assert rule in logged_in(rosa).get(reverse("event", args=[event.pk])).text
    other = running(ada, name="Friday euchre")
    seat = first_of(other).players.get()
    path = reverse("substitute", args=[other.pk, seat.pk])
    asked = logged_in(ada).get(path, {"player": rosa.pk}).text
    assert "which still belongs to Player 0" in asked
    play(other, first_of(other))
    path = reverse("event_standings", args=[other.pk])
    assert rule not in logged_in(ada).get(path).text, "nobody plays for another"
    put_in(other, first_of(other), rosa, ada)
    assert rule in logged_in(ada).get(path).text


@pytest.mark.parametrize("seed", range(volume(2, 5, 400)))
@pytest.mark.parametrize("owner", [FIRST, LAST])
def test_an_independent_count_of_seats_agrees(ada: Player, owner: str, seed: int) -> None:
    """Any substitutions in any rounds: who played a round, and who owns a place, by a plain list.

    The list has whoever sat in each seat in each round; the owner is its first or its last.
    """
    rng = Random(seed)
    event = running(ada, 6, format="progressive", rounds=4)
    sat: dict[int, list[int]] = {entry.pk: [] for entry in event.entries.all()}
    owners = {entry.pk: entry.players.get().player_id for entry in event.entries.all()}
    first = dict(owners)
    for number in range(1, 5):
        for entry in rng.sample(list(event.entries.order_by("pk")), rng.randrange(4)):
            left = Player.objects.filter(seats_left__entry=entry).order_by("pk")
            free = left.exclude(entries__event=event)
            person: Player | str = f"New {number}.{entry.pk}"
            if free and rng.random() < 0.5:
                person = rng.choice([*free])
            substitutes.substitute(entry.players.get(), person, ada, NOON, reason="Away.")
            entry.substitutions.update(gave_up=owner == LAST)
            owners[entry.pk] = entry.players.get().player_id
        for entry_id, line in sat.items():
            line.append(Entry.objects.get(pk=entry_id).players.get().player_id)
        play(event, rng.choice([*event.entries.order_by("pk")]))
    assert event.state == Event.State.FINISHED
    expected = first if owner == FIRST else owners
    assert {entry.pk: entry.players.get().player_id for entry in event.entries.all()} == expected
    assert {row["entry"]: row["players"][0]["id"] for row in exports.standings(event)} == expected
    teams, past = match_lines.teams_drawn(event), match_lines.past_seats(event)
    for match in Pairing.objects.filter(round__event=event).select_related("round"):
        there = match_lines.teams_at(match, teams, past)
        for line_at in match.entries.all():
            played = sat[line_at.entry_id][match.round.number - 1]
            assert there[line_at.entry_id].people[0].pk == played
    assert len(ranking.standings_of(event).lines) == 6
