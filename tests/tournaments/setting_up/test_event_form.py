"""The form by which a director sets an event up and changes it."""

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.forms import BoundField, CheckboxInput
from django.test import Client
from django.utils import timezone

from games.engine.rules import CLASSIC_24, HEADS_UP, STICK_THE_DEALER, RuleSet, rules_to_data
from games.models import Player
from tests.factories import logged_in, member
from tests.tournaments import build
from tournaments.models import Club, Event, Membership
from tournaments.setting_up import setting_up
from tournaments.setting_up.forms import EventForm

pytestmark = pytest.mark.django_db

LAST_YEAR = timezone.now().year - 1

NEW_YORK = ZoneInfo("America/New_York")
State = Event.State


@pytest.fixture
def club() -> Club:
    """A club in New York."""
    return build.club(time_zone="America/New_York")


@pytest.fixture
def browser(ada: Player) -> Client:
    """The director's."""
    return logged_in(ada)


def offered(club: Club, event: Event | None = None) -> dict[str, str]:
    """The fields of the form as a browser sends them back unchanged."""
    now = timezone.now()
    with timezone.override(club.zone):
        form = EventForm(club, now, instance=event or setting_up.new_event(club, now))
        return {bound.name: text for bound in form if (text := _sent(bound)) is not None}


def _sent(bound: BoundField) -> str | None:
    """What a browser sends of a field."""
    value = bound.value()
    if isinstance(bound.field.widget, CheckboxInput):
        return "on" if value else None
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%dT%H:%M")
    return "" if value is None else str(value)


def posted(browser: Client, club: Club, query: str = "", **fields: Any) -> Any:
    """Send the form of a new event with some fields filled in otherwise."""
    data = {**offered(club), "then": "publish", **fields}
    return browser.post(f"/clubs/{club.slug}/events/new/{query}", data)


def errors(response: Any) -> dict[str, list[str]]:
    """What the page says is wrong, by field."""
    assert response.status_code == 422
    return dict(response.context["form"].errors)


class TestNewEvent:
    def test_default_form_can_be_published(self, browser: Client, club: Club) -> None:
        assert browser.get(f"/clubs/{club.slug}/events/new/").status_code == 200
        response = posted(browser, club)
        event = Event.objects.get()
        assert (response.status_code, response.url) == (303, f"/events/{event.pk}/")
        assert (event.state, event.format, event.rules) == (
            State.REGISTRATION, "rotation", CLASSIC_24,
        )  # fmt: skip
        assert event.starts.astimezone(NEW_YORK).strftime("%H:%M") == "19:30"
        assert event.registration_closes == event.starts
        assert event.tie_breaks == ["wins", "point_difference", "lone_hands"]
        assert event.minimum == 4
        assert event.due == event.starts - timedelta(days=1)

    def test_default_form_can_be_saved_as_a_draft(self, browser: Client, club: Club) -> None:
        posted(browser, club, then="draft")
        assert Event.objects.get().state == State.DRAFT

    def test_times_are_in_the_clubs_zone(self, browser: Client, club: Club) -> None:
        posted(
            browser, club, starts="2031-07-03T19:30", registration_opens="2031-06-01T08:00",
            registration_closes="2031-07-03T18:00",
        )  # fmt: skip
        event = Event.objects.get()
        assert event.starts == datetime(2031, 7, 3, 23, 30, tzinfo=UTC)
        assert event.registration_opens == datetime(2031, 6, 1, 12, tzinfo=UTC)
        assert event.registration_closes == datetime(2031, 7, 3, 22, tzinfo=UTC)
        assert event.state == State.ANNOUNCED

    def test_a_local_time_that_does_not_exist(self, browser: Client, club: Club) -> None:
        said = errors(posted(browser, club, starts="2031-03-09T02:30"))
        assert "The clocks change then" in said["starts"][0]

    def test_an_own_rule_set(self, browser: Client, club: Club) -> None:
        own = RuleSet(key="house-rules", name="Mill rules", target=7)
        house = club.house_rules.create(name="Mill rules", rules_data=rules_to_data(own))
        posted(browser, club, rules=f"club-{house.pk}")
        assert Event.objects.get().rules == own

    def test_another_order_of_the_tie_breaks(self, browser: Client, club: Club) -> None:
        posted(
            browser, club, format="swiss", tie_breaks="own",
            tie_break_order="wins, Head-to-head; sonneborn berger",
        )  # fmt: skip
        event = Event.objects.get()
        assert event.tie_breaks == ["wins", "head_to_head", "sonneborn_berger"]
        sent = offered(club, event)
        assert (sent["tie_breaks"], sent["tie_break_order"]) == (
            "own", "Wins, Head-to-head, Sonneborn–Berger",
        )  # fmt: skip

    def test_the_order_of_tie_breaks_is_one_line(self, club: Club) -> None:
        sent = offered(club)
        assert [name for name in sent if "tie_break" in name] == ["tie_breaks", "tie_break_order"]
        assert sent["tie_break_order"] == "Wins, Point difference, Lone hands"

    def test_two_stages(self, browser: Client, club: Club) -> None:
        posted(
            browser, club, format="swiss", rounds="4", second_stage="single_elimination",
            qualifiers="8", third_place="on", match="best_of_3", final_match="deals",
            final_deals="12",
        )  # fmt: skip
        event = Event.objects.get()
        assert (event.rounds, event.qualifiers, event.third_place) == (4, 8, True)
        assert (event.match, event.final_match, event.final_deals) == ("best_of_3", "deals", 12)
        assert event.minimum == 8

    def test_two_stages_are_grouped_with_the_format(self, club: Club) -> None:
        now = timezone.now()
        first = EventForm(club, now, instance=setting_up.new_event(club, now)).sections[0]
        assert not first.rare
        named = {part.field.name: part.field for part in first.parts}
        assert "two stages" in named["format"].help_text
        assert named["second_stage"].label == "Second stage: a knock-out of the best"
        assert "qualifiers" in named

    @pytest.mark.parametrize(
        ("fields", "field", "words"),
        [
            ({"name": ""}, "name", "Fill this in."),
            ({"rules": "poker"}, "rules", "one of those listed"),
            ({"rules": "heads-up"}, "format", "four players"),
            ({"format": "ladder"}, "format", "one of those listed"),
            ({"rounds": "99"}, "rounds", "from 1 to 50."),
            ({"rounds": "many"}, "rounds", "whole number"),
            ({"starts": f"{LAST_YEAR}-01-01T19:30"}, "starts", "must be in the future"),
            ({"starts": "9999-12-31T23:59"}, "starts", f"years {LAST_YEAR} to "),
            ({"starts": "1900-01-01T19:30"}, "starts", f"years {LAST_YEAR} to "),
            ({"starts": "soon"}, "starts", "such as 2026-11-26 19:30"),
            ({"registration_opens": "2031-08-01T10:00"}, "registration_opens", "before it closes"),
            ({"registration_closes": "2031-08-01T10:00"}, "registration_closes", "or before"),
            ({"capacity": "3"}, "capacity", "4 to 400"),
            ({"minimum": "40"}, "minimum", "4 to 32"),
            ({"match": "deals"}, "deals", "1 to 100"),
            ({"turn_seconds": "7"}, "turn_seconds", "one of those listed"),
            ({"tie_breaks": "own", "tie_break_order": "Wins, wins"}, "tie_breaks", "only once"),
            (
                {"tie_breaks": "own", "tie_break_order": "wins, luck"},
                "tie_break_order",
                "“luck” is no tie-break. Choose from: Wins, Buchholz cut 1,",
            ),
            (
                {"tie_breaks": "own", "tie_break_order": " , "},
                "tie_breaks",
                "at least one",
            ),
            ({"min_rating": "1700", "max_rating": "1600"}, "max_rating", "below the lowest"),
        ],
    )
    def test_errors_are_shown_at_their_fields(
        self, browser: Client, club: Club, fields: dict[str, str], field: str, words: str
    ) -> None:
        response = posted(browser, club, **fields)
        assert words in errors(response)[field][0]
        assert not Event.objects.exists()
        assert words in response.content.decode().replace("&#x27;", "’")

    def test_section_with_an_error_is_open(self, browser: Client, club: Club) -> None:
        page = posted(browser, club, match="deals").content.decode()
        assert page.count("<details open>") == 1

    @pytest.mark.parametrize(("places", "through"), [("32", 8), ("12", 4)])
    def test_two_stages_are_published_without_saying_how_many_go_on(
        self, browser: Client, club: Club, places: str, through: int
    ) -> None:
        fields = {"second_stage": "single_elimination", "capacity": places, "then": "publish"}
        assert posted(browser, club, **fields).status_code == 303
        assert Event.objects.get().qualifiers == through

    def test_starts_are_offered_from_now_on(self, browser: Client, club: Club) -> None:
        page = browser.get(f"/clubs/{club.slug}/events/new/")
        offered = page.context["form"]["starts"].as_widget()
        here = timezone.now().astimezone(club.zone)
        assert f'min="{here:%Y-%m-%dT}' in offered
        assert f'max="{here.year + 5}-' in offered

    def test_form_prefilled_from_an_earlier_event(self, browser: Client, club: Club) -> None:
        played = build.event(
            club, name="Autumn pairs", format="swiss", rules=STICK_THE_DEALER,
            capacity=20, rounds=5, state=State.FINISHED, round_minutes=25, break_seconds=45,
        )  # fmt: skip
        page = browser.get(f"/clubs/{club.slug}/events/new/?like={played.pk}")
        form = page.context["form"]
        posted(browser, club, f"?like={played.pk}", **offered(club, form.instance))
        event = Event.objects.exclude(pk=played.pk).get()
        for name in ("name", "format", "rules_data", "capacity", "rounds", "round_minutes"):
            assert getattr(event, name) == getattr(played, name)
        assert event.break_seconds == 45
        assert event.starts > timezone.now()

    @pytest.mark.parametrize("like", ["x", "999999999", "99999999999999999999", "²"])
    def test_form_prefilled_from_an_unknown_event(
        self, browser: Client, club: Club, like: str
    ) -> None:
        page = browser.get(f"/clubs/{club.slug}/events/new/", {"like": like})
        assert page.context["form"].instance.capacity == setting_up.CAPACITY

    def test_form_cannot_be_prefilled_from_another_clubs_event(
        self, browser: Client, club: Club
    ) -> None:
        other = build.event(build.club("Another"), name="Secret evening", capacity=7)
        page = browser.get(f"/clubs/{club.slug}/events/new/", {"like": other.pk})
        assert "Secret evening" not in page.content.decode()


class TestEdit:
    def test_draft_is_wholly_editable(self, browser: Client, club: Club) -> None:
        posted(browser, club, then="draft")
        event = Event.objects.get()
        data = offered(club, event) | {"format": "swiss", "rules": "heads-up", "then": "publish"}
        assert browser.post(f"/events/{event.pk}/edit/", data).status_code == 303
        event.refresh_from_db()
        assert (event.format, event.rules, event.state) == ("swiss", HEADS_UP, State.REGISTRATION)

    def test_announced_settings_are_fixed_after_the_first_entry(
        self, browser: Client, club: Club
    ) -> None:
        posted(browser, club)
        event = Event.objects.get()
        build.enter(event, 1)
        page = browser.get(f"/events/{event.pk}/edit/")
        assert "Players have entered." in page.content.decode()
        data = offered(club, event) | {"format": "swiss", "members_only": "False", "capacity": "40"}
        assert browser.post(f"/events/{event.pk}/edit/", data).status_code == 303
        event.refresh_from_db()
        assert (event.format, event.members_only, event.capacity) == ("rotation", True, 40)

    def test_refused_change_is_shown(self, browser: Client, club: Club) -> None:
        posted(browser, club)
        event = Event.objects.get()
        build.enter(event, 6)
        data = offered(club, event) | {"capacity": "5"}
        response = browser.post(f"/events/{event.pk}/edit/", data)
        assert errors(response)["__all__"] == ["6 have a place already; no fewer than 6."]

    def test_a_running_event_keeps_its_times(self, browser: Client, club: Club) -> None:
        event = build.event(club, state=State.RUNNING, break_seconds=60)
        data = offered(club, event) | {"starts": "2031-07-03T19:30", "break_seconds": "300"}
        assert browser.post(f"/events/{event.pk}/edit/", data).status_code == 303
        event.refresh_from_db()
        assert (event.starts, event.break_seconds) == (build.NOON, 300)

    def test_rules_that_the_club_has_since_deleted_stay(self, browser: Client, club: Club) -> None:
        own = RuleSet(key="house-rules", name="Mill rules", target=7)
        event = build.event(club, rules=own, state=State.DRAFT, starts=timezone.now())
        data = offered(club, event) | {
            "starts": "2031-07-03T19:30", "registration_closes": "", "name": "Another name",
        }  # fmt: skip
        assert data["rules"] == "as-it-is"
        assert browser.post(f"/events/{event.pk}/edit/", data).status_code == 303
        event.refresh_from_db()
        assert (event.rules, event.name) == (own, "Another name")

    def test_the_states_are_explained(self, browser: Client, club: Club) -> None:
        event = build.event(club)
        page = browser.get(f"/events/{event.pk}/edit/").content.decode()
        assert 'aria-current="step"' in page
        assert "Only directors see it until one of them publishes it." in page


class TestVerbs:
    def test_publish_from_the_event_s_page(self, browser: Client, club: Club) -> None:
        posted(browser, club, then="draft")
        event = Event.objects.get()
        page = browser.get(f"/events/{event.pk}/").content.decode()
        assert "only directors of The Old Mill see it" in page
        assert browser.post(f"/events/{event.pk}/publish").status_code == 303
        event.refresh_from_db()
        assert event.state == State.REGISTRATION

    def test_delete_a_draft(self, browser: Client, club: Club) -> None:
        event = build.event(club, state=State.DRAFT)
        response: Any = browser.post(f"/events/{event.pk}/delete")
        assert (response.status_code, response.url) == (303, f"/clubs/{club.slug}/")
        assert not Event.objects.exists()

    def test_days_of_a_series(self, browser: Client, club: Club) -> None:
        posted(
            browser, club, recurrence="fortnightly", no_event_on=" 2027-01-02 2026-12-24,2026-12-24"
        )
        event = Event.objects.get()
        assert (event.recurrence, event.no_event_on) == (
            "fortnightly",
            ["2026-12-24", "2027-01-02"],
        )
        page = browser.get(f"/events/{event.pk}/edit/").content.decode()
        assert 'value="2026-12-24, 2027-01-02"' in page
        assert "Every two weeks" in page

    @pytest.mark.parametrize(
        ("given", "wrong"),
        [
            ("24.12.2026", "“24.12.2026” is not a date. Write dates like 2026-12-24."),
            ("2026-12-24, 2026-02-30", "“2026-02-30” is not a date."),
            (
                " ".join(
                    f"2026-{month:02}-{day:02}" for month in (1, 3, 5) for day in range(1, 31)
                ),
                "Name at most 60 days; these are 90.",
            ),
        ],
    )
    def test_days_that_are_no_dates(
        self, browser: Client, club: Club, given: str, wrong: str
    ) -> None:
        (message,) = errors(posted(browser, club, recurrence="weekly", no_event_on=given))[
            "no_event_on"
        ]
        assert message.startswith(wrong)
        assert not Event.objects.exists()

    def test_no_month_is_left_out_of_a_monthly_series(self, browser: Client, club: Club) -> None:
        fifth = {"starts": f"{LAST_YEAR + 2}-01-31T19:30", "recurrence": "monthly"}
        (message,) = errors(posted(browser, club, **fifth))["recurrence"]
        assert message.startswith("Most months have no fifth ")
        posted(browser, club, **fifth | {"recurrence": "last"})
        assert Event.objects.get().recurrence == "last"

    def test_other_values_of_a_series_are_refused(self, browser: Client, club: Club) -> None:
        assert "recurrence" in errors(posted(browser, club, recurrence="daily"))

    def test_end_a_series(self, browser: Client, club: Club) -> None:
        event = build.event(club, recurrence="weekly")
        assert "End the series" in browser.get(f"/events/{event.pk}/edit/").content.decode()
        browser.post(f"/events/{event.pk}/end-series")
        event.refresh_from_db()
        assert not event.recurrence

    @pytest.mark.parametrize("role", ["member", "moderator", None])
    def test_draft_is_hidden_from_others(self, club: Club, role: str | None) -> None:
        event, maeve = build.event(club, state=State.DRAFT), member("Maeve")
        if role:
            build.joined(club, maeve, Membership.Role(role))
        browser = logged_in(maeve)
        for path in (f"/events/{event.pk}/", f"/events/{event.pk}/edit/"):
            assert browser.get(path).status_code == 404
        assert browser.post(f"/events/{event.pk}/publish").status_code == 404
