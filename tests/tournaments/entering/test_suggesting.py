"""What an event suggests to a reader is the same on every page, in mails and in the API."""

from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.utils import timezone

from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.entering.test_entry_pages import page, upcoming
from tournaments.acts import withdrawing
from tournaments.entering import conditions, entering, partners
from tournaments.entering.conditions import Suggestion
from tournaments.models import Entry, Event
from tournaments.outbox import letters

pytestmark = pytest.mark.django_db

State = Event.State


def suggested(event: Event, mine: str = "", *, full: bool = False, here: bool = False) -> str:
    return conditions.suggested(event, mine, timezone.now(), full=full, here=here)


class TestTheOnePlace:
    @pytest.mark.parametrize(
        ("state", "mine", "full", "wanted"),
        [
            ("draft", "", False, "finish"),
            ("announced", "", False, "register"),  # its times say so; the clock has not come by
            ("registration", "", False, "register"),
            ("registration", "", True, "wait"),
            ("registration", "entered", True, "see"),
            ("registration", "waiting", True, "see"),
            ("running", "", False, "watch"),
            ("running", "withdrawn", False, "watch"),
            ("running", "checked_in", False, "see"),
            ("finished", "", False, "see"),
            ("cancelled", "", True, "see"),
        ],
    )
    def test_suggestion_by_state_and_entry(
        self, state: str, mine: str, full: bool, wanted: str
    ) -> None:
        assert suggested(upcoming(state=state), mine, full=full) == wanted

    def test_suggestion_by_times(self) -> None:
        now = timezone.now()
        closed = upcoming(registration_closes=now - timedelta(hours=1))
        assert suggested(closed) == Suggestion.SEE
        soon = now + timedelta(minutes=10)
        event = upcoming(
            closed.club, name="Soon", starts=soon, registration_closes=soon, check_in_minutes=15
        )
        assert suggested(event, "entered") == Suggestion.CHECK_IN
        assert suggested(event, "checked_in") == Suggestion.SEE
        assert suggested(event, "waiting") == Suggestion.CHECK_IN
        assert suggested(event, "waiting", here=True) == Suggestion.SEE
        assert suggested(event) == Suggestion.REGISTER  # late entries check in as they come


def test_a_full_event_says_so_everywhere() -> None:
    event, maeve = upcoming(capacity=4), member()
    build.enter(event, 4)
    build.joined(event.club, maeve)
    browser = logged_in(maeve)
    pages = {
        "its own page": page(browser, event),
        "its club's": browser.get(f"/clubs/{event.club.slug}/").text,
        "the list": browser.get("/events/").text,
        "home": browser.get("/").text,
    }
    for name, text in pages.items():
        assert "Join the waiting list" in text, name
        assert ">Register<" not in text, name
    for name in ("its club's", "the list", "home"):
        assert "Registration open" not in pages[name], name
    told: Any = browser.get(f"/api/events/{event.pk}").json()
    assert (told["suggestion"], told["entered"], told["waiting"]) == ("wait", 4, 0)


def test_free_place_belongs_to_the_waiting_list() -> None:
    """With a place free and somebody in line, who enters now joins the line."""
    event = upcoming(capacity=5)
    build.enter(event, 4)
    Entry.objects.create(event=event, state=Entry.State.WAITING, arrival=9)
    assert "Join the waiting list</button>" in page(logged_in(member()), event)


def test_a_club_s_second_event_and_its_draft() -> None:
    club = build.club()
    ada = build.director(club)
    upcoming(club, name="First")
    later = timezone.now() + timedelta(days=2)
    full = upcoming(club, name="Full", capacity=4, starts=later)
    build.enter(full, 4)
    upcoming(club, name="Draft", state=State.DRAFT, starts=later)
    text = " ".join(logged_in(ada).get(f"/clubs/{club.slug}/").text.split())
    for words in (
        'Join the waiting list<span class="unseen">: Full',
        'Finish the draft<span class="unseen">: Draft',
        'Register<span class="unseen">: First',
    ):
        assert words in text


def test_awaited_entry_can_check_in_from_every_page() -> None:
    soon = timezone.now() + timedelta(minutes=10)
    event = upcoming(
        starts=soon, registration_closes=soon, check_in_minutes=15, state=State.CHECK_IN
    )
    maeve, ben = member("Maeve"), member("Ben")
    build.joined(event.club, maeve)
    build.joined(event.club, ben)
    entering.register(event, maeve, timezone.now() - timedelta(hours=1))
    for path in ("/", "/events/", "/you/events/", f"/clubs/{event.club.slug}/"):
        assert "Check in" in logged_in(maeve).get(path).text, path
    # Who has not entered is not asked to check in.
    club = " ".join(logged_in(ben).get(f"/clubs/{event.club.slug}/").text.split())
    assert 'Register<span class="unseen">: Thursday euchre' in club


class TestMails:
    def sent(self) -> str:
        letters.send_due()
        return str(mail.outbox[-1].body)

    def test_the_partner_of_a_pair_that_will_wait(self) -> None:
        event = upcoming(format="swiss", minimum=2, capacity=2)
        maeve, ben = member("Maeve"), member("Ben")
        for person in (maeve, ben):
            build.joined(event.club, person)
        build.enter(event, 2)
        partners.invite(event, maeve, ben, timezone.now())
        assert "you will both join the waiting list" in self.sent()

    def test_removed_entry_is_advised(self) -> None:
        event = upcoming(capacity=4)
        build.enter(event, 3)
        ada = build.director(event.club)
        maeve, otto = member("Maeve"), member("Otto")
        mine = entering.register(event, maeve, timezone.now())
        entering.register(event, otto, timezone.now())
        withdrawing.withdraw(mine, ada, timezone.now())
        letters.send_due()
        body = next(one.body for one in mail.outbox if "maeve@" in one.to[0])
        assert "All places are taken; you can join the waiting list" in body
