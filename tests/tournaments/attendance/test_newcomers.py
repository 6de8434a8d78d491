"""Members whom a director enters before the start, found by typing, and taking it back."""

from types import SimpleNamespace

import pytest
from django.urls import reverse

from games.models import Player
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON
from tournaments.acts import log, undoing
from tournaments.acts import page as act_page
from tournaments.attendance import newcomers
from tournaments.console import people_views
from tournaments.models import Act, Entry, EntryPlayer, Event, Letter
from tournaments.money import paying
from tournaments.refusals import RefusedError

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _noon(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (act_page, people_views):
        monkeypatch.setattr(module, "timezone", SimpleNamespace(now=lambda: NOON - MINUTE))


def joined(ada: Player, *names: str) -> list[Player]:
    """Members of Ada's club."""
    return build.members(ada.memberships.get().club, *names)


def upcoming(ada: Player, **fields: object) -> Event:
    """An event of Ada's club with check-in, which has begun."""
    values = {"rounds": 3, "check_in_minutes": 30, "state": Event.State.CHECK_IN, **fields}
    return build.event(ada.memberships.get().club, **values)


def enter(event: Event, ada: Player, *people: Player) -> Entry:
    """Let Ada enter these together, a minute before the start."""
    return newcomers.enter(event, people, ada, NOON - MINUTE)


class TestEntering:
    def test_a_member_is_checked_in_at_once_and_written_to(self, ada: Player) -> None:
        (dev,) = joined(ada, "Dev")
        event = upcoming(ada, registration_closes=NOON - 10 * MINUTE)
        entry = newcomers.enter(event, [dev], ada, NOON - MINUTE, reason="By phone.")
        assert entry.state == Entry.State.CHECKED_IN
        act = event.acts.get()
        assert (act.kind, act.entry, act.reason) == (Act.Kind.ENTER, entry, "By phone.")
        assert "Ada, who directs Thursday euchre" in Letter.objects.get().text

    def test_partners_are_entered_together(self, ada: Player) -> None:
        dev, kit = joined(ada, "Dev", "Kit")
        entry = enter(upcoming(ada, format="swiss"), ada, dev, kit)
        assert entry.name == "Dev and Kit"

    def test_those_for_whom_there_is_no_place_wait(self, ada: Player) -> None:
        event = upcoming(ada, capacity=4)
        build.enter(event, 4)
        entry = enter(event, ada, *joined(ada, "Dev"))
        assert (entry.state, entry.here) == (Entry.State.WAITING, True)

    def test_nobody_is_entered_twice(self, ada: Player) -> None:
        (dev,) = joined(ada, "Dev")
        event = upcoming(ada)
        enter(event, ada, dev)
        with pytest.raises(RefusedError, match="Dev is in the event already"):
            enter(event, ada, dev)

    def test_half_a_pair_is_refused(self, ada: Player) -> None:
        (dev,) = joined(ada, "Dev")
        event = upcoming(ada, format="swiss")
        for people in ([dev], [dev, dev]):
            with pytest.raises(RefusedError, match="two different players"):
                enter(event, ada, *people)

    def test_who_has_half_a_pair_is_told_so(self, ada: Player) -> None:
        dev, kit = joined(ada, "Dev", "Kit")
        event = upcoming(ada, format="swiss")
        entry = event.entries.create(state=Entry.State.SEEKING)
        EntryPlayer.objects.create(event=event, entry=entry, player=kit)
        with pytest.raises(RefusedError, match="Kit looks for a partner"):
            enter(event, ada, dev, kit)

    def test_the_conditions_of_the_event_hold(self, ada: Player) -> None:
        (dev,) = joined(ada, "Dev")
        with pytest.raises(RefusedError, match="5 finished games are required; Dev has 0"):
            enter(upcoming(ada, min_games=5), ada, dev)

    def test_it_is_too_late_once_the_event_is_over(self, ada: Player) -> None:
        (dev,) = joined(ada, "Dev")
        with pytest.raises(RefusedError, match="the event is cancelled"):
            enter(upcoming(ada, state=Event.State.CANCELLED), ada, dev)


class TestUndoing:
    def test_the_entry_is_gone_and_the_next_gets_the_place(self, ada: Player) -> None:
        event = upcoming(ada, capacity=4)
        build.enter(event, 3)
        enter(event, ada, *joined(ada, "Dev"))
        waiting = enter(event, ada, *joined(ada, "Kit"))
        undoing.undo(event.acts.order_by("pk")[0], ada, NOON - MINUTE)
        waiting.refresh_from_db()
        assert waiting.state == Entry.State.CHECKED_IN
        assert not event.entered_players.filter(player__name="Dev").exists()
        lines = log.lines_of(event, event.acts.all())
        assert [(line.what, line.on) for line in lines] == [
            ("Undid “Entered”", "Dev"), ("Entered", "Kit"), ("Entered", "Dev"),
        ]  # fmt: skip

    def test_it_is_refused_once_the_event_has_started(self, ada: Player) -> None:
        event = upcoming(ada)
        build.enter(event, 3)
        enter(event, ada, *joined(ada, "Dev"))
        build.begin(event)
        with pytest.raises(RefusedError, match="The event has started with them"):
            undoing.undo(event.acts.get(), ada, NOON)

    def test_it_is_refused_once_they_have_left(self, ada: Player) -> None:
        event = upcoming(ada)
        entry = enter(event, ada, *joined(ada, "Dev"))
        event.entries.filter(pk=entry.pk).update(state=Entry.State.WITHDRAWN)
        with pytest.raises(RefusedError, match="They have left the event since"):
            undoing.undo(event.acts.get(), ada, NOON - MINUTE)


class TestPages:
    def test_people_are_found_by_the_beginnings_of_their_names(self, ada: Player) -> None:
        dev, *_ = joined(ada, "Dév Anand", "Nora Doyle", "Anselm")
        event = upcoming(ada)
        build.let_in(event, [Player.objects.get(name="Anselm")])
        page = reverse("find_people", args=[event.pk])
        text = logged_in(ada).get(page, {"q": "an"}).text
        assert (
            f'href="{reverse("enter_people", args=[event.pk])}?player={dev.pk}&amp;found=an"'
            in text
        )
        assert reverse("check_in_entry", args=[event.pk, event.entries.get().pk]) in text
        assert "Nora" not in text
        assert "two letters" in logged_in(ada).get(page, {"q": "a"}).text
        assert "is called “xan”" in logged_in(ada).get(page, {"q": "xan"}).text

    def test_the_first_of_two_partners_is_kept_while_the_second_is_sought(
        self, ada: Player
    ) -> None:
        dev, kit = joined(ada, "Dev", "Kit")
        event = upcoming(ada, format="swiss")
        page, enter = (reverse(name, args=[event.pk]) for name in ("find_people", "enter_people"))
        text = logged_in(ada).get(page, {"q": "dev"}).text
        assert f'href="{page}?player={dev.pk}"' in text
        text = logged_in(ada).get(page, {"q": "kit", "player": str(dev.pk)}).text
        assert f'href="{enter}?player={dev.pk}&amp;player={kit.pk}&amp;found=kit"' in text

    def test_what_changes_is_shown_and_then_done(self, ada: Player) -> None:
        (dev,) = joined(ada, "Dev")
        event, browser = upcoming(ada), logged_in(ada)
        path = reverse("enter_people", args=[event.pk])
        shown = browser.get(path, {"player": dev.pk})
        assert "<s>none</s>" not in shown.text
        assert not event.entries.exists()
        seen = shown.context["preview"].digest
        answer = browser.post(path, {"player": dev.pk, "seen": seen, "reason": "He rang."})
        assert answer.status_code == 303
        assert event.entries.get().name == "Dev"
        assert "Not now: Dev is in the event already" in browser.get(path, {"player": dev.pk}).text

    def test_two_directors_enter_somebody_once(self, ada: Player) -> None:
        (dev,) = joined(ada, "Dev")
        event, browser = upcoming(ada), logged_in(ada)
        path = reverse("enter_people", args=[event.pk])
        seen = browser.get(path, {"player": dev.pk}).context["preview"].digest
        fields = {"player": str(dev.pk), "seen": seen}
        assert browser.post(path, fields).status_code == 303
        assert browser.post(path, fields).status_code == 409
        assert event.entries.count() == event.acts.count() == 1

    def test_somebody_who_is_no_member_is_refused(self, ada: Player) -> None:
        event, browser = upcoming(ada), logged_in(ada)
        stranger = member("Otto")
        answer = browser.get(reverse("enter_people", args=[event.pk]), {"player": stranger.pk})
        assert answer.status_code == 422
        assert "The Old Mill has no such member" in answer.text

    @pytest.mark.parametrize("people", [2, 20])
    def test_finding_takes_as_many_queries_for_many_as_for_few(
        self, people: int, ada: Player, django_assert_max_num_queries: object
    ) -> None:
        event, browser = upcoming(ada), logged_in(ada)
        joined(ada, *(f"Dev {number}" for number in range(people)))
        build.enter(event, 9)
        page = reverse("find_people", args=[event.pk])
        with django_assert_max_num_queries(22):  # type: ignore[operator]
            assert browser.get(page, {"q": "dev"}).status_code == 200


def test_an_entry_that_has_paid_is_not_taken_back(ada: Player) -> None:
    event = upcoming(ada, entry_money=500)
    (dev,) = joined(ada, "Dev")
    entry = enter(event, ada, dev)
    act = event.acts.get()
    paying.tick(entry, ada, NOON, paid=True)
    with pytest.raises(RefusedError, match="Give the money back"):
        undoing.undo(act, ada, NOON - MINUTE)
    paying.tick(entry, ada, NOON, paid=False)
    undoing.undo(act, ada, NOON - MINUTE)
    assert not event.entries.exists()
