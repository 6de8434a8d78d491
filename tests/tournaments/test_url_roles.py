"""Every address of clubs and events × everybody who may ask: one row each.

That no address is without its row is seen to in `tests.conventions.test_url_roles`. What a running
event answers to those who play in it is in `tests.tournaments.test_url_roles_at_night`.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from itertools import product
from typing import Any, NamedTuple

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from euchre_site.moderation import member_reports
from euchre_site.office import actions
from games.engine.rules import CLASSIC_24, rules_to_data
from games.live import state as live
from games.models import Player, Table
from games.seats import reserved
from games.shuffle import public_log, shuffling
from games.sockets import hub
from tests.addresses import address, arguments
from tests.crawl import Answer, Check, ask, complaints, only_for_this_test, secrets, status
from tests.factories import logged_in, member, player
from tests.games.shuffles import Search, kept
from tests.tournaments import build
from tests.tournaments.build import NOON
from tests.volume import volume
from tournaments.access import INVITED_KEY
from tournaments.daily import days
from tournaments.entering import check_in_codes
from tournaments.event_page.exports import EXPORTS
from tournaments.models import (
    Announcement,
    Club,
    Event,
    FairPlayMatter,
    FeedKey,
    Membership,
    Pairing,
    Pool,
    Round,
)
from tournaments.ratings.words import pool_slug
from tournaments.webhooks import webhooks

pytestmark = pytest.mark.django_db

#: Nobody in particular; an account; one that has followed the club's link; members by their
#: roles; the site's staff. Each may do what those before may.
ROLES = (
    "visitor",
    "account",
    "invited",
    "member",
    "moderator",
    "director",
    "owner",
    "staff",
)
STRANGERS = ("visitor", "account")  # to them a club by invitation does not exist
CLUB_ROLES = set(Membership.Role.values)
#: Who asks at every address: strangers, the first who are none, and those who are shown most.
AT_ALL = volume(
    ("visitor", "account", "invited", "director", "staff"),
    ("visitor", "account", "invited", "director", "staff"),
    ROLES,
)
#: Who looks at a second event, which is being played; those between see nothing that these do not.
AT_OTHER_EVENT = volume(
    ("visitor", "member", "director", "staff"), ("visitor", "member", "director", "staff"), ROLES
)


class Row(NamedTuple):
    """An address: how it is asked, and what each role is answered.

    Attributes:
        method: GET or POST.
        done: the answer to whoever may.
        least: the first of the roles that may; those before are answered 403.
        but: other answers, by role.
        closed: other answers at a club by invitation, where strangers are answered 404.
        data: the fields of the form.
    """

    method: str
    done: int
    least: str = "visitor"
    but: Mapping[str, int] = {}
    closed: Mapping[str, int] = {}
    data: Mapping[str, str] = {}

    def answer(self, name: str, role: str, *, closed: bool) -> int:
        """The status that a role is answered."""
        of_club = arguments(name) & {"slug", "event_id"}
        if closed and role in self.closed:
            return self.closed[role]
        if closed and of_club and role in STRANGERS:
            return 404
        if role in self.but:
            return self.but[role]
        return self.done if ROLES.index(role) >= ROLES.index(self.least) else 403

    def asked(self) -> set[str]:
        """The roles that ask: besides `AT_ALL` those at its limit, or with another answer."""
        limit = ROLES.index(self.least)
        return {*AT_ALL, *ROLES[max(limit - 1, 0) : limit + 1], *self.but, *self.closed}


SEEN = Row("GET", 200)
#: The same for everybody: there is none of a club by invitation.
PUBLIC = Row("GET", 200, closed=dict.fromkeys(ROLES, 404))
#: To all but the site's staff the office does not exist.
HIDDEN = dict.fromkeys(ROLES[:-1], 404)
#: What is the staff's among the pages of all moderators.
FOR_STAFF = dict.fromkeys(("moderator", "director", "owner"), 404)
ROWS = {
    "daily": Row("GET", 302),
    "daily_day": SEEN,
    "daily_begin": Row("POST", 303),
    "daily_places": Row("GET", 404),
    "daily_month": SEEN,
    "daily_picture": SEEN,
    "daily_feed": SEEN,
    "daily_tell_me": Row("POST", 303, "account"),
    "club_daily": Row("GET", 302),
    "club_daily_day": SEEN,
    "club_daily_begin": Row("POST", 303),
    "club_daily_places": Row("GET", 404),
    "club_daily_month": SEEN,
    "club_daily_picture": PUBLIC,
    "club_daily_feed": SEEN,
    "choose_daily_hour": Row("POST", 303, "owner", data={"hour": "5"}),
    "search": SEEN,
    "club_list": SEEN,
    "new_club": Row("GET", 200, "account"),
    "club": SEEN,
    "club_settings": Row("GET", 200, "owner"),
    "renew_club_link": Row("POST", 303, "owner"),
    "delete_club": Row("POST", 409, "owner"),
    "join_club": Row("POST", 303, "account", closed={"staff": 403}),
    "club_invitation": Row("GET", 302, closed={"visitor": 302, "account": 302}),
    "leave_club": Row("POST", 303, but={"owner": 409}),
    "club_members": SEEN,
    "set_role": Row("POST", 303, "owner", data={"role": "director"}),
    "name_director": Row("POST", 422, "owner"),
    "hand_over": Row("POST", 303, "owner", but={"staff": 403}),
    "remove_member": Row("POST", 303, "moderator"),
    "take_back_request": Row("POST", 303),
    "accept_request": Row("POST", 303, "moderator"),
    "decline_request": Row("POST", 303, "moderator"),
    "members_list": Row("GET", 200, "director"),
    "members_csv": Row("GET", 200, "director"),
    "take_back_list": Row("POST", 422, "director"),
    "listed_person": Row("GET", 404, "director"),
    "change_listed": Row("POST", 404, "director"),
    "remove_listed": Row("POST", 404, "director"),
    "list_invitation": Row("GET", 404),
    "club_rules": SEEN,
    "new_club_rules": Row("GET", 200, "director"),
    "edit_club_rules": Row("GET", 200, "director"),
    "delete_club_rules": Row("POST", 303, "director"),
    "club_seasons": SEEN,
    "hall_of_fame": SEEN,
    "past_results": SEEN,
    "past_results_csv": SEEN,
    "import_past_results": Row("GET", 200, "director"),
    "take_back_past_results": Row("POST", 422, "owner"),
    "new_season": Row("GET", 200, "director"),
    "club_season": SEEN,
    "edit_season": Row("GET", 200, "director"),
    "delete_season": Row("POST", 303, "director"),
    "season_csv": SEEN,
    "place_players": Row("GET", 200, "director"),
    "season_teams": Row("GET", 200, "director"),
    "season_team": SEEN,
    "make_play_offs": Row("GET", 200, "director"),
    "next_season": Row("GET", 200, "director"),
    "put_back_rule": Row("POST", 303, "director"),
    "club_year": SEEN,
    "year_csv": SEEN,
    "club_statistics": SEEN,
    "club_webhooks": Row("GET", 200, "owner"),
    "webhook": Row("GET", 200, "owner"),
    "test_webhook": Row("POST", 303, "owner"),
    "pause_webhook": Row("POST", 303, "owner"),
    "resume_webhook": Row("POST", 303, "owner"),
    "remove_webhook": Row("POST", 303, "owner"),
    "send_again": Row("POST", 303, "owner"),
    "club_fair_play": Row("GET", 200, "moderator"),
    "event_fair_play": Row("GET", 200, "moderator"),
    "open_matter": Row("POST", 409, "moderator", data={"sign": "none", "player": "1"}),
    "cases": Row("GET", 200, "moderator"),
    "case": Row("GET", 200, "moderator"),
    "take_back_decision": Row("POST", 303, "staff", but=FOR_STAFF, data={"reason": "x"}),
    "your_matters": Row("GET", 200, "account"),
    "your_matter": Row("GET", 404, but={"member": 200}),
    "answer_matter": Row("POST", 404, but={"member": 409}, data={"words": "So."}),
    "club_announcements": SEEN,
    "announce": Row("GET", 200, "director"),
    "take_down": Row("POST", 303, "moderator"),
    "call_clubs": Row("GET", 200, "account"),
    "call_club": Row("POST", 409, "member", but={"staff": 403}),
    "join_call": Row("POST", 404, "member", but={"staff": 403}),
    "end_call": Row("POST", 404),
    "club_news": Row("POST", 303, "member", but={"staff": 403}, data={"news": "off"}),
    "club_calendar": SEEN,
    "club_results_feed": SEEN,
    "club_picture": PUBLIC,
    "event_picture": PUBLIC,
    "club_frame": PUBLIC,
    "event_frame": PUBLIC,
    "player_calendar": SEEN,
    "player": SEEN,
    "player_record": SEEN,
    "player_games": SEEN,
    "choose_other": SEEN,
    "head_to_head": SEEN,
    "player_compare": SEEN,
    "ratings": SEEN,
    "ratings_how": SEEN,
    "leaderboard": SEEN,
    "player_rating": SEEN,
    "event_ratings": SEEN,
    "format_list": SEEN,
    "format": SEEN,
    "your_events": SEEN,
    "renew_calendar": Row("POST", 303),
    "watch_house_players": Row("POST", 303, "director"),
    "event_list": SEEN,
    "new_event": Row("GET", 200, "director"),
    "plan_night": Row("GET", 200, "director"),
    "keep_template": Row("POST", 303, "director"),
    "edit_event": Row("GET", 200, "director"),
    "publish_event": Row("POST", 409, "director"),
    "delete_event": Row("POST", 409, "director"),
    "stop_series": Row("POST", 303, "director"),
    "entering": Row("GET", 302),
    "register": Row("POST", 409, "account"),
    "withdraw": Row("POST", 409, "account"),
    "check_in": Row("POST", 409, "account"),
    "check_in_card": Row("GET", 409, "account"),
    "check_in_by_code": Row("GET", 302, "director"),
    "ask_partner": Row("POST", 409, "account", data={"partner": "Nora"}),
    "ask_seeker": Row("POST", 409, "account"),
    "find_partner": Row("GET", 302),
    "seek_partner": Row("POST", 409, "account"),
    "accept_partner": Row("POST", 409, "account"),
    "decline_partner": Row("POST", 409, "account"),
    "event": SEEN,
    "event_round": SEEN,
    "event_deals": Row("GET", 404),
    "event_visit": Row("GET", 302),
    "call_director": Row("POST", 403),
    "take_back_call": Row("POST", 403),
    "event_bracket": SEEN,
    "event_standings": SEEN,
    "event_export": SEEN,
    "chat_texts": SEEN,
    "walk_in_code": SEEN,
    "walk_in": Row("GET", 404),
    "join_event": SEEN,
    "join_by_code": Row("GET", 302, closed={"visitor": 404, "account": 404}),
    "here_by_code": Row("GET", 200, closed={"visitor": 404, "account": 404}),
    "room_table": Row("GET", 409),
    "score_worker": SEEN,
    "choose_side": Row("POST", 409),
    "call_to_room_table": Row("POST", 409, data={"call": "director"}),
    "write_score": Row("POST", 422),
    "projector": SEEN,
    "projector_by_code": Row("GET", 302, closed={"visitor": 404, "account": 404}),
    "print_event": SEEN,
    "print_score_cards": Row("GET", 200, "director"),
    "print_walk_in_cards": Row("GET", 200, "director"),
    "print_check_in": Row("GET", 409, "director"),
    "print_table_cards": Row("GET", 200, "director"),
    "print_movement_cards": Row("GET", 409, "director"),
    "print_pairings": SEEN,
    "print_results": SEEN,
    "print_standings": Row("GET", 409),
    "print_bracket": Row("GET", 409),
    "event_money": Row("GET", 200, "member"),
    "print_money": Row("GET", 409, "member"),
    "event_acts": Row("GET", 200, "member"),
    "undo_act": Row("GET", 404, "director"),
    "manage_event": Row("GET", 200, "director"),
    "event_record": Row("GET", 200, "director"),
    "import_entries": Row("GET", 200, "director"),
    "door": Row("GET", 200, "director"),
    "print_door": Row("GET", 200, "director"),
    "find_people": Row("GET", 200, "director"),
    "enter_people": Row("GET", 200, "director"),
    "something_wrong": Row("GET", 409, "director"),
    "substitute": Row("GET", 404, "director"),
    "substitute_at_table": Row("GET", 200, "director"),
    "pause_event": Row("POST", 409, "director"),
    "resume_event": Row("POST", 409, "director"),
    "extend_round": Row("POST", 409, "director", data={"minutes": "5"}),
    "end_round": Row("POST", 409, "director"),
    "next_round": Row("POST", 409, "director"),
    "final_now": Row("POST", 409, "director"),
    "start_event": Row("POST", 409, "director"),
    "cancel_event": Row("POST", 303, "director", data={"reason": "Rain."}),
    "tell_event": Row("POST", 303, "director", data={"text": "Tea."}),
    "add_house_entries": Row("POST", 303, "director", data={"count": "1"}),
    "enter_results": Row("GET", 200, "director"),
    "set_result": Row("GET", 200, "director"),
    "draw_again": Row("GET", 200, "director"),
    "take_back_round": Row("GET", 200, "director"),
    "message_table": Row("GET", 200, "director"),
    "more_time": Row("GET", 200, "director"),
    "five_minutes": Row("POST", 409, "director", data={"had": "0"}),
    "new_table_code": Row("GET", 200, "director"),
    "new_walk_in_code": Row("GET", 404, "director"),
    "change_walk_in_name": Row("GET", 404, "director"),
    "penalty": Row("GET", 200, "director"),
    "reopen_table": Row("GET", 200, "director"),
    "seats_by_hand": Row("GET", 200, "director"),
    "seeds_by_hand": Row("GET", 200, "director"),
    "keep_apart": Row("GET", 200, "director"),
    "no_longer_apart": Row("POST", 404, "director"),
    "answer_call": Row("POST", 303, "director"),
    "move_table": Row("GET", 200, "director"),
    "withdraw_entry": Row("GET", 200, "director"),
    "put_back_entry": Row("GET", 200, "director"),
    "check_in_entry": Row("POST", 409, "director"),
    "office": Row("GET", 200, but=HIDDEN),
    "office_clear_failures": Row("POST", 303, but=HIDDEN),
    "office_accounts": Row("GET", 200, but=HIDDEN),
    "office_player": Row("GET", 200, but=HIDDEN),
    "office_rename": Row("POST", 303, but=HIDDEN, data={"name": "Mild", "reason": "x"}),
    "office_user": Row("GET", 302, but=HIDDEN),
    "office_ban": Row("POST", 303, but=HIDDEN, data={"long": "7", "reason": "x"}),
    "office_delete": Row("POST", 422, but=HIDDEN, data={"reason": "x"}),
    "office_lift": Row("POST", 409, but=HIDDEN, data={"reason": "x"}),
    "office_club": Row("GET", 200, but=HIDDEN),
    "office_close_club": Row("POST", 303, but=HIDDEN, data={"reason": "x"}),
    "office_reopen_club": Row("POST", 409, but=HIDDEN, data={"reason": "x"}),
    "office_rename_club": Row("POST", 303, but=HIDDEN, data={"name": "Mild", "reason": "x"}),
    "office_hand_over": Row("POST", 422, but=HIDDEN, data={"heir": "0", "reason": "x"}),
    "office_acts": Row("GET", 200, but=HIDDEN),
    "office_undo": Row("POST", 303, but=HIDDEN, data={"reason": "x"}),
    "report_player": Row("GET", 200, "account"),
    "report_club": Row("GET", 200, "account"),
    "report_event": Row("GET", 200, "account"),
}


class House(NamedTuple):
    """A club with one of everything, and a browser for each role."""

    known: dict[str, Any]
    browsers: dict[str, Client]


def house(joining: str) -> House:
    """A club with an event, in which Nora plays, Silas asks to join and all roles are taken."""
    club = build.club(joining=joining, embedding_sites="https://mill.example")
    people = {role: member(role.capitalize()) for role in ROLES if role != "visitor"}
    for role in CLUB_ROLES:
        build.joined(club, people[role], role)
    nora, silas = member("Nora"), member("Silas")
    event = table_of(club).round.event
    build.joined(club, nora)
    known = {
        "slug": club.slug,
        "key": club.invite_token,
        "player_id": nora.pk,
        "other_id": silas.pk,
        "request_id": club.requests.create(player=silas).pk,
        "rules_id": club.house_rules.create(name="Mill", rules_data=rules_to_data(CLASSIC_24)).pk,
        **season_of(club),
        "year": 2026,
        **day_of(club),
        **webhook_of(club),
        "call_id": 0,
        "listed_id": 0,
        "apart_id": 0,
        "announcement_id": announcement(club, people["director"]).pk,
        "matter_id": (matter := matter_of(club, people["member"], people["owner"])).pk,
        "source": "signs",
        "evidence": matter.pk,
        "event_id": event.pk,
        "code": event.join_code,
        "table_code": event.room_tables.create(number=1).code,
        "seat_id": 0,
        "walk_in_id": 0,
        "entry_id": (entry := build.enter(event, 1)[0]).pk,
        "here_code": check_in_codes.code_of(entry),
        "number": 1,
        "table": 1,
        "what": "entries",
        "kind": "csv",
        "format_key": "swiss",
        "pool_slug": pool_slug(Pool.objects.create(key="classic online").key),
        "user_id": nora.user_id,
        **of_office(club, silas),
        "token": FeedKey.objects.create(player=nora).token,
    }
    people["staff"].user.is_staff = True  # type: ignore[union-attr]
    people["staff"].user.save()  # type: ignore[union-attr]
    browsers = {"visitor": Client()} | {role: logged_in(who) for role, who in people.items()}
    session = browsers["invited"].session
    session[INVITED_KEY] = [club.invite_token]
    session.save()
    return House(known, browsers)


def day_of(club: Club) -> dict[str, date]:
    """The day whose deals are open on the site and in the club."""
    days.choose_hour(club, 0, timezone.now())
    days.make_ahead(timezone.now())
    found = days.open_day(club, timezone.now())
    assert found is not None
    return {"day": found.day, "month": found.day.replace(day=1)}


def season_of(club: Club) -> dict[str, int]:
    """A season with a division and a team, whose rule was changed."""
    season = club.seasons.create(
        name="Spring", first_day=date(2026, 3, 1), last_day=date(2026, 5, 31)
    )
    season.divisions.create(number=1, name="First")
    change = season.changes.create(before={}, after={"best": 8})
    team = season.teams.create(name="Wheel")
    return {"season_id": season.pk, "change_id": change.pk, "team_id": team.pk}


def table_of(club: Club) -> Pairing:
    """The first table of an event in its first round."""
    event = build.event(club, currency="EUR", entry_money=500)
    table = Table.objects.create(host=event.created_by, rules_data=event.rules_data, reserved=True)
    return Round.objects.create(event=event, number=1).pairings.create(number=1, table=table)


def webhook_of(club: Club) -> dict[str, int]:
    """A webhook that was sent a message."""
    webhook = webhooks.make(club, "https://example.org/euchre")[0]
    delivery = webhooks.send_test(webhook, NOON)
    return {"webhook_id": webhook.pk, "delivery_id": delivery.pk}


def of_office(club: Club, reporter: Player) -> dict[str, int]:
    """What stands in the office: a report on a club, and something that was done."""
    member_reports.make(reporter, club, "name", "", NOON)
    act = actions.record(None, actions.What.WARN, actions.subject_of(club), "Mind your words.")
    return {"act_id": act.pk}


def matter_of(club: Club, player: Player, by: Player) -> FairPlayMatter:
    """A matter of a player, in which nothing has been done."""
    return club.fair_play_matters.create(
        player=player, opened_by=by, kind=FairPlayMatter.Kind.CLOCK, sign="one", said="So."
    )


def announcement(club: Club, author: Player) -> Announcement:
    return Announcement.objects.create(club=club, author=author, subject="Tea", text="Cake.")


class InPlay(NamedTuple):
    """A club with one of everything whose events have games in play, and another event."""

    of: House
    other_event: Event
    search: Search


def in_play(joining: str) -> InPlay:
    club = house(joining)
    at_table = Table.objects.get(pairing__round__event=club.known["event_id"])
    for position, name in enumerate(("Clara", "Theo", "Rhea", "Saul")):
        at_table.seats.create(position=position, player=player(name))
    shuffling.prepare([at_table])
    reserved.begin(at_table.pk, 1, at_table.rules)
    event = running_event(Club.objects.get(slug=club.known["slug"]))
    public_log.chain()
    return InPlay(club, event, Search(kept(Table.objects.all())))


def running_event(of: Club) -> Event:
    """An event with a table in play, while at the others somebody is awaited."""
    event = build.event(of, name="Another", rounds=3)
    build.enter(event, 8)
    build.begin(event)
    first = Table.objects.filter(pairing__round__event=event).first()
    assert first is not None
    first.seats.update(last_seen=timezone.now())
    build.step(event, NOON)
    assert first.games.filter(ended=None).exists()
    return event


def asked(at: InPlay, roles: Iterable[str]) -> Iterator[Answer]:
    """Each address once by its roles, and the pages of the other event by those who see most."""
    for name, row in ROWS.items():
        of_other = []
        if row.method == "GET" and "event_id" in arguments(name):
            of_other.append(address(name, {**at.of.known, "event_id": at.other_event.pk}))
        if name == "event_export":
            exported = product(EXPORTS, ("csv", "json"))
            other = f"/events/{at.other_event.pk}/export"
            of_other += [f"{other}/{what}.{kind}" for what, kind in exported]
        for role in (one for one in roles if one in row.asked()):
            paths = [address(name, at.of.known), *(of_other if role in AT_OTHER_EVENT else ())]
            for path in paths:
                yield ask(at.of.browsers[role], role, row.method, name, path, data=row.data)


def of_the_club(at: InPlay, *, closed: bool) -> Check:
    """Each role is answered the status of its row; of the other event, which has other rounds and
    acts, only that strangers to a club by invitation find nothing and that nothing fails."""
    other = f"/events/{at.other_event.pk}/"

    def due(one: Answer) -> int:
        usual = ROWS[one.name].answer(one.name, one.role, closed=closed)
        if one.path.startswith(other) and one.status < 500 and usual not in (403, 404):
            return one.status
        return usual

    return status(due)


@pytest.fixture
def _tables_at_rest(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Iterator[None]:
    monkeypatch.setattr(hub, "announce", lambda _table_id: None)
    settings.HOUSE_PAUSE, settings.NEXT_DEAL_PAUSE = (3600.0, 3600.0), 3600.0
    yield
    live.forget_all()


@pytest.mark.sqlite  # the games are played in a transaction, which PostgreSQL's journal cannot see
@pytest.mark.usefixtures("_tables_at_rest")
def test_status_by_role_and_no_secret(caplog: pytest.LogCaptureFixture) -> None:
    only_for_this_test(caplog)
    at = in_play(Club.Joining.INVITATION)
    due, secret = of_the_club(at, closed=True), secrets(at.search)
    assert complaints(asked(at, ROLES), due, secret) == []
    Club.objects.update(joining=Club.Joining.OPEN)
    due = of_the_club(at, closed=False)
    assert complaints(asked(at, volume(STRANGERS, STRANGERS, ROLES)), due, secret) == []
    assert at.search.told_by(caplog.text) == []


def test_changing_views_refuse_get() -> None:
    at = house(Club.Joining.OPEN)
    answers = (
        ask(at.browsers["owner"], "owner", "GET", name, address(name, at.known))
        for name, row in ROWS.items()
        if row.method == "POST"
    )
    assert complaints(answers, status(lambda _: 405)) == []
