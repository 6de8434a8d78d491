"""Order by hand: seeds before the draw, brackets, and what a changed draw breaks."""

from itertools import pairwise
from random import Random
from typing import Any

import pytest
from django.urls import reverse

from games.models import Player
from tests.factories import logged_in, member, people
from tests.tournaments import build
from tests.tournaments.build import NOON, ruled, seen_in
from tests.tournaments.console.test_seating_by_hand import called, seats, table
from tournaments.acts import correcting, drawing_again, seating_by_hand, seeding, undoing
from tournaments.models import Entry, Event, Pairing, SitOut
from tournaments.refusals import RefusedError
from tournaments.results.match_lines import team_of
from tournaments.standings import draws, ranking

pytestmark = pytest.mark.django_db
ROOM = {"place": Event.Place.ROOM, "rounds": None, "format": "single_elimination"}


def cup(ada: Player, entries: int = 8, **fields: Any) -> Event:
    """A knock-out that has not started."""
    event = build.event(ada.memberships.get().club, **{**ROOM, **fields})
    build.enter(event, entries)
    return event


def late(event: Event) -> Entry:
    """Somebody who enters after all others."""
    entry = event.entries.create(state=Entry.State.ENTERED, arrival=99)
    for position, who in enumerate(people(event.team_size)):
        entry.players.create(event=event, player=who, position=position)
    return entry


def by_arrival(event: Event) -> list[int]:
    return list(event.entries.order_by("arrival").values_list("pk", flat=True))


def seeds_path(event: Event) -> str:
    return reverse("seeds_by_hand", args=[event.pk])


def set_order(event: Event, by: Player, order: list[int], reason: str = "They won.") -> None:
    seeding.set_order(event, by, order, reason=reason, now=NOON)


def swap(event: Event, by: Player, one: int, other: int) -> None:
    round_ = build.latest(event)
    seating_by_hand.swap(round_, by, one, other, reason="So.", now=NOON)


def win(event: Event, by: Player, winners: set[int]) -> None:
    """Let the side win on which one of these plays; else the first."""
    for match in build.latest(event).pairings.exclude(state=Pairing.State.DECIDED):
        side = 1 if winners & {*match.entries.filter(side=1).values_list("entry", flat=True)} else 0
        ruling = ruled(side, ((5, 1), (1, 5))[side])
        correcting.set_result(match, by, ruling, reason="", now=NOON)
    build.step(event, NOON)


class TestSeeds:
    def test_the_draw_follows_the_order_that_was_set(self, ada: Player) -> None:
        event = cup(ada)
        order = by_arrival(event)[::-1]
        set_order(event, ada, order)
        build.begin(event)
        assert [*event.entries.order_by("seed").values_list("pk", flat=True)] == order
        met = [{*seats(match)} for match in build.latest(event).pairings.order_by("number")]
        assert met == [{order[at], order[7 - at]} for at in (0, 3, 1, 2)]

    def test_whoever_enters_later_comes_after_them(self, ada: Player) -> None:
        event = cup(ada, 4)
        order = by_arrival(event)[::-1]
        set_order(event, ada, order)
        last = late(event)
        build.begin(event)
        found = event.entries.order_by("seed").values_list("pk", flat=True)
        assert [*found] == [*order, last.pk]

    def test_the_page_shows_the_first_round_and_keeps_the_order_with_a_reason(
        self, ada: Player
    ) -> None:
        event, browser = cup(ada, 4), logged_in(ada)
        assert seeds_path(event) in browser.get(reverse("manage_event", args=[event.pk])).text
        shown = browser.get(seeds_path(event))
        now = [entry for entry, _name, _was in shown.context["page"].shown["rows"]]
        assert "What will change" not in shown.text
        order = ",".join(map(str, now))
        moved = browser.get(seeds_path(event), {"order": order, "move": f"{now[2]}:-1"})
        rows = moved.context["page"].shown["rows"]
        assert [(entry, was) for entry, _name, was in rows] == [
            (now[0], 1), (now[2], 3), (now[1], 2), (now[3], 4),
        ]  # fmt: skip
        firsts = moved.context["page"].shown["firsts"]
        assert [new for _sides, new in firsts] == [False, True]
        assert moved.text.count("changed by your order") == 1
        changes = moved.context["preview"].changes
        assert [(one.before, one.after) for one in changes] == [("2nd", "3rd"), ("3rd", "2nd")]
        sent = {
            "order": moved.context["page"].shown["order"],
            "seen": seen_in(moved.text),
            "reason": "They won both games.",
        }
        assert browser.post(seeds_path(event), sent | {"reason": ""}).status_code == 422
        assert browser.post(seeds_path(event), sent).status_code == 303
        assert [one[0] for one in rows] == [
            *event.entries.order_by("table_place").values_list("pk", flat=True)
        ]
        log = browser.get(reverse("event_acts", args=[event.pk])).text
        assert "Set the seeds" in log
        assert "They won both games." in log

    def test_the_first_round_that_is_shown_is_drawn(self, ada: Player) -> None:
        for number, format_ in enumerate(("swiss", "round_robin", "single_elimination")):
            event = build.event(
                ada.memberships.get().club, name=f"Night {number}", format=format_, rounds=None
            )
            build.enter(event, 9)
            page = logged_in(ada).get(seeds_path(event)).context["page"].shown
            build.begin(event)
            names = [
                [name for _seed, name in side] for sides, _new in page["firsts"] for side in sides
            ]
            drawn = [
                [team_of(one.entry).name for one in match.entries.filter(side=side)]
                for match in build.latest(event).pairings.order_by("number")
                for side in (0, 1)
            ]
            assert [*map(sorted, names)] == [*map(sorted, drawn)], format_

    @pytest.mark.parametrize("format_", ["rotation", "duplicate_pairs"])
    def test_where_the_lot_decides_no_order_can_be_tried(self, ada: Player, format_: str) -> None:
        event, browser = cup(ada, format=format_, place=Event.Place.ONLINE), logged_in(ada)
        with pytest.raises(RefusedError, match="the lot alone decides"):
            set_order(event, ada, by_arrival(event)[::-1])
        assert "Not now: Here the lot alone decides" in browser.get(seeds_path(event)).text
        desk = browser.get(reverse("manage_event", args=[event.pk])).text
        assert seeds_path(event) not in desk

    def test_undo_until_the_draw(self, ada: Player) -> None:
        event = cup(ada)
        set_order(event, ada, by_arrival(event)[::-1])
        undoing.undo(event.acts.get(), ada, NOON)
        assert not event.entries.exclude(table_place=None).exists()
        set_order(event, ada, by_arrival(event)[::-1])
        build.begin(event)
        with pytest.raises(RefusedError, match="The draw has been made"):
            undoing.undo(event.acts.latest("pk"), ada, NOON)
        with pytest.raises(RefusedError, match="The draw has been made"):
            set_order(event, ada, by_arrival(event))
        assert "Not now: The draw has been made" in logged_in(ada).get(seeds_path(event)).text

    def test_not_if_others_have_entered_meanwhile(self, ada: Player) -> None:
        event = cup(ada, 4)
        order = by_arrival(event)
        late(event)
        with pytest.raises(RefusedError, match="Others have entered or left"):
            set_order(event, ada, order)

    def test_nobody_who_plays_sets_or_undoes_seeds(self, ada: Player) -> None:
        event, player, other = cup(ada, 0), member("Bo"), member("Cy")
        build.let_in(event, [player, other, *people(6)])
        for one in (player, other):
            build.joined(event.club, one, "director")
        order = by_arrival(event)
        set_order(event, ada, order)
        # Not even with the own entry where it was: the others make the opponent.
        why = r"plays in this event, so somebody else has to set the seeds\. Ada can\."
        with pytest.raises(RefusedError, match=why):
            set_order(event, player, [order[0], *order[:0:-1]])
        with pytest.raises(RefusedError, match=why):
            undoing.undo(event.acts.get(), player, NOON)
        page = logged_in(player).get(seeds_path(event))
        assert "plays in this event" in page.text
        assert page.context["page"].shown == {}

    @pytest.mark.parametrize("wrong", ["", "x", "1,1,1", "9" * 5000, "0:1"])
    def test_nonsense_is_the_order_as_it_is(self, ada: Player, wrong: str) -> None:
        event = cup(ada, 4)
        page = logged_in(ada).get(seeds_path(event), {"order": wrong, "move": wrong})
        assert page.status_code == 200
        assert len(page.context["page"].shown["rows"]) == 4


class TestBracket:
    def nodes(self, event: Event) -> list[tuple[int | None, int | None]]:
        event.refresh_from_db()
        return [node.sides for node in draws.nodes(ranking.field_of(event))]

    @pytest.mark.parametrize("format_", ["single_elimination", "double_elimination"])
    def test_those_who_changed_places_go_on_from_there(self, ada: Player, format_: str) -> None:
        event = cup(ada, format=format_)
        build.begin(event)
        (a, b), (c, d) = seats(table(event, 1)), seats(table(event, 2))
        swap(event, ada, b, c)
        assert (seats(table(event, 1)), seats(table(event, 2))) == ([a, c], [b, d])
        assert self.nodes(event)[:2] == [(a, c), (b, d)]
        win(event, ada, {c, b})
        first = next(one for one in build.latest(event).pairings.all() if c in seats(one))
        assert {*seats(first)} == {c, b}

    @pytest.mark.parametrize("format_", ["single_elimination", "double_elimination"])
    @pytest.mark.parametrize("entries", [5, 6, 8])
    def test_any_swaps_in_any_round_leave_a_whole_event(
        self, ada: Player, format_: str, entries: int
    ) -> None:
        event = cup(ada, entries, format=format_, third_place=format_ == "single_elimination")
        build.begin(event)
        rng, swaps = Random(entries), 0
        while event.state == Event.State.RUNNING and event.final_at is None:
            round_ = build.latest(event)
            there = [one for match in round_.pairings.all() for one in seats(match)]
            there += round_.sit_outs.values_list("entry", flat=True)
            for one, other in pairwise(rng.sample(there, min(3, len(there)))):
                try:
                    swap(event, ada, one, other)
                    swaps += 1
                except RefusedError as error:
                    assert error.code in ("bracket", "seats", "same"), error  # noqa: PT017
            win(event, ada, {*rng.sample(there, len(there) // 2)})
            event.refresh_from_db()
        build.step(event, event.final_at or NOON)
        event.refresh_from_db()
        assert swaps
        places = sorted(place or 0 for place in event.entries.values_list("place", flat=True))
        assert places[:2] == [1, 2]

    def test_partners_of_a_second_stage_move_together(self, ada: Player) -> None:
        event = called(
            ada, 8, format="rotation", rounds=1, place=Event.Place.ROOM,
            second_stage="single_elimination",
        )  # fmt: skip
        win(event, ada, set())
        assert build.latest(event).stage == 2
        (a, b, c, d), (e, f, g, h) = seats(table(event, 1)), seats(table(event, 2))
        swap(event, ada, d, e)
        assert (seats(table(event, 1)), seats(table(event, 2))) == ([a, b, e, f], [c, d, g, h])
        with pytest.raises(RefusedError, match="partners stay together"):
            seating_by_hand.seat(table(event), ada, [a, e, b, f], reason="So.", now=NOON)
        win(event, ada, {e})
        assert {*seats(table(event, 1))} == {e, f, c, d}
        win(event, ada, set())
        assert event.played_rounds.count() == 3

    def test_a_bye_can_be_given_to_somebody_else(self, ada: Player) -> None:
        event = cup(ada, 7)
        build.begin(event)
        (idle,) = SitOut.objects.filter(round__event=event).values_list("entry", flat=True)
        a, b = seats(table(event, 1))
        swap(event, ada, b, idle)
        assert seats(table(event, 1)) == [a, idle]
        win(event, ada, {a})
        assert any(b in seats(match) for match in build.latest(event).pairings.all())

    def test_undo_and_taking_the_round_back_forget_it(self, ada: Player) -> None:
        event = cup(ada)
        build.begin(event)
        before = self.nodes(event)
        b, c = seats(table(event, 1))[1], seats(table(event, 2))[0]
        swap(event, ada, b, c)
        undoing.undo(event.acts.get(), ada, NOON)
        assert (self.nodes(event), event.bracket_by_hand) == (before, [])
        swap(event, ada, b, c)
        drawing_again.take_back(event, ada, 1, reason="So.", override=True, now=NOON)
        event.refresh_from_db()
        assert event.bracket_by_hand == []

    def test_a_director_who_is_still_in_it_may_not(self, ada: Player) -> None:
        event = cup(ada)
        build.begin(event)
        player = event.entered_players.filter(entry=seats(table(event, 4))[0])[0].player
        build.joined(event.club, player, "director")
        with pytest.raises(RefusedError, match=r"still in the same knock-out\. Ada can\."):
            swap(event, player, seats(table(event, 1))[1], seats(table(event, 2))[0])

    def test_the_page_says_that_the_bracket_is_left(self, ada: Player) -> None:
        event = cup(ada)
        build.begin(event)
        b, c = seats(table(event, 1))[1], seats(table(event, 2))[0]
        path = reverse("seats_by_hand", args=[event.pk, 1, 1])
        page = logged_in(ada).get(path, {"one": b, "other": c})
        assert page.text.count("do not come together, as the draw had it.") == 2


class TestBreaks:
    def shown(self, event: Event, ada: Player, one: int, other: int) -> list[tuple[str, str]]:
        number = build.latest(event).number
        path = reverse("seats_by_hand", args=[event.pk, number, 1])
        answer = logged_in(ada).get(path, {"one": one, "other": other})
        assert answer.status_code == 200
        found: list[tuple[str, str]] = answer.context["page"].shown["breaks"]
        return found

    def test_a_rotation_names_partners_twice_and_who_is_left_over(self, ada: Player) -> None:
        event = called(ada, 8, format="rotation", rounds=7, place=Event.Place.ROOM)
        (a, _b, _c, _d), (e, *_others) = seats(table(event, 1)), seats(table(event, 2))
        found = self.shown(event, ada, a, e)
        # All seven rounds are complete: whoever parts is left over, and the new pairs repeat.
        assert [what for what, _words in found].count("Partners twice") == 2
        assert [what for what, _words in found].count("Left over") == 2

    def test_it_is_never_forbidden_and_the_other_rounds_stay(self, ada: Player) -> None:
        event = called(ada, 8, format="rotation", rounds=7, place=Event.Place.ROOM)
        to_come = draws.rounds_to_come(
            ranking.field_of(event), seating_by_hand._drawn(build.latest(event))
        )
        a, e = seats(table(event, 1))[0], seats(table(event, 2))[0]
        swap(event, ada, a, e)
        win(event, ada, set())
        drawn = seating_by_hand._drawn(build.latest(event))
        assert drawn == to_come[0]

    def test_a_round_robin_names_the_rematch(self, ada: Player) -> None:
        event = called(ada, 4, format="round_robin", rounds=None, place=Event.Place.ROOM)
        (a, b), (c, d) = seats(table(event, 1)), seats(table(event, 2))
        found = self.shown(event, ada, b, c)
        assert sorted(what for what, _words in found) == [
            "Left over", "Left over", "Met before", "Met before",
        ]  # fmt: skip
        assert {a, b, c, d} == {*by_arrival(event)}

    def test_swaps_that_break_less_are_offered(self, ada: Player) -> None:
        event = called(ada, 8, format="swiss", rounds=3, place=Event.Place.ROOM)
        win(event, ada, set())
        path = reverse("seats_by_hand", args=[event.pk, 2, 1])
        browser = logged_in(ada)
        for one in by_arrival(event):
            for other in by_arrival(event):
                if one == other:
                    continue
                page = browser.get(path, {"one": one, "other": other}).context["page"].shown
                counts = [count for count, _name, _who in page["better"]]
                assert all(count < len(page["breaks"]) for count in counts)
                if page["breaks"]:
                    assert counts[:1] == [0]
                    assert "Met before" in {what for what, _words in page["breaks"]}
                    return
        pytest.fail("no swap was a rematch")

    def test_the_console_leads_to_the_page_of_the_whole_round(self, ada: Player) -> None:
        event = called(ada, 8, format="swiss", place=Event.Place.ROOM)
        path = reverse("seats_by_hand", args=[event.pk, 1, 1])
        answer = logged_in(ada).get(path, headers={"HX-Request": "true"})
        assert answer["HX-Redirect"] == path

    def test_sitting_out_again_is_named(self, ada: Player) -> None:
        event = called(ada, 5, format="progressive", rounds=3, place=Event.Place.ROOM)
        (first,) = SitOut.objects.filter(round__event=event).values_list("entry", flat=True)
        win(event, ada, set())
        (idle,) = build.latest(event).sit_outs.values_list("entry", flat=True)
        found = self.shown(event, ada, first, idle)
        assert ("Sits out again", found[-1][1]) == found[-1]

    def test_duplicate_takes_it_in_the_room_only(self, ada: Player) -> None:
        event = called(ada, 12, format="duplicate")
        with pytest.raises(RefusedError, match="share their deals"):
            swap(event, ada, seats(table(event, 1))[0], seats(table(event, 2))[0])

    def test_no_entry_is_lost_or_twice(self, ada: Player) -> None:
        event = called(ada, 9, format="rotation", rounds=9, place=Event.Place.ROOM)
        (idle,) = build.latest(event).sit_outs.values_list("entry", flat=True)
        swap(event, ada, idle, seats(table(event, 2))[3])
        drawn = seating_by_hand._drawn(build.latest(event))
        there = [who for match in drawn.pairings for who in match.entrants] + [*drawn.sit_outs]
        assert sorted(there) == sorted(by_arrival(event))
        with pytest.raises(RefusedError, match="Both sit out"):
            swap(event, ada, *drawn.sit_outs, *drawn.sit_outs)
        assert Entry.objects.filter(event=event).count() == 9
