"""Every page and act of an event × everybody at a club night, while it is open and while it runs.

The roles of a club have their rows in `tests.tournaments.test_url_roles`. Here are those that an
evening adds, at a club that everybody sees: whoever may not is answered that, and not 404.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import chain
from typing import Any, NamedTuple

import pytest
from django.test import Client
from django.utils import timezone

from tests.addresses import address, arguments, patterns
from tests.crawl import Answer, ask, complaints, status
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import MINUTE
from tests.volume import volume
from tournaments.acts import table_time
from tournaments.attendance import newcomers
from tournaments.entering import check_in_codes
from tournaments.models import Event, Membership, PairingEntry
from tournaments.room_scores import codes

pytestmark = pytest.mark.django_db

#: Nobody in particular; a phone that has opened the card of a walk-in; who directs another club; a
#: member; a player of the event; who directs it and plays in it; who only directs it; the owner;
#: the site's staff.
ROLES = (
    "visitor",
    "walk-in",
    "elsewhere",
    "member",
    "player",
    "playing",
    "director",
    "owner",
    "staff",
)
NOBODY = ("visitor", "walk-in")
#: Who asks at every address: nobody in particular, who plays, and who also directs.
AT_ALL = volume(("visitor", "player", "playing"), ("visitor", "player", "playing"), ROLES)
#: The playing director leaves it to others while it runs.
OWN = {"playing": 403}


class Row(NamedTuple):
    """What each role is answered at an address, or by an act there.

    Attributes:
        done: the answer to whoever may, while the event runs.
        least: the first of the roles that may; those before are answered 403.
        but: other answers while it runs, by role.
        open: the answer to whoever may before the start; None: the same.
        but_open: other answers before the start.
        data: the fields of the form; names in braces are what is known of the evening.
        shows: whether its page shows what it will change, and is to be sent what it has shown.
    """

    done: int
    least: str = "visitor"
    but: Mapping[str, int] = {}
    open: int | None = None
    but_open: Mapping[str, int] = {}
    data: Mapping[str, str] = {}
    shows: bool = False

    def answers(self, *, running: bool) -> dict[str, int]:
        done = self.done if running or self.open is None else self.open
        least = ROLES.index(self.least)
        usual = {role: done if at >= least else 403 for at, role in enumerate(ROLES)}
        answers = {**usual, **(self.but if running else self.but_open)}
        return {role: answers[role] for role in self.asked()}

    def asked(self) -> tuple[str, ...]:
        """The roles that ask: besides `AT_ALL` those at its limit, or with another answer.

        Where somebody else is answered otherwise than all who may, a director shows what these are.
        """
        limit = ROLES.index(self.least)
        some = {*AT_ALL, *ROLES[max(limit - 1, 0) : limit + 1], *self.but, *self.but_open}
        if self.but or self.but_open:
            some.add("director")
        return tuple(role for role in ROLES if role in some)


PAGES = {
    "change_walk_in_name": Row(200, "playing"),
    "check_in_by_code": Row(302, "playing"),
    "check_in_card": Row(
        409,
        "elsewhere",
        but={"player": 200, "playing": 200},
        but_open={"player": 200, "playing": 200},
    ),
    "draw_again": Row(200, "playing", open=404),
    "edit_event": Row(200, "playing"),
    "enter_people": Row(200, "playing"),
    "entering": Row(302),
    "event": Row(200),
    "event_acts": Row(200, "member"),
    "event_bracket": Row(200),
    "event_deals": Row(404),
    "event_export": Row(200),
    "chat_texts": Row(200),
    "event_fair_play": Row(200, "playing"),
    "event_frame": Row(404),
    "event_money": Row(200, "member"),
    "event_picture": Row(200),
    "event_ratings": Row(200),
    "event_record": Row(200, "playing"),
    "event_round": Row(200, open=404),
    "event_standings": Row(200),
    "event_visit": Row(404),
    "find_partner": Row(302),
    "door": Row(200, "playing"),
    "print_door": Row(200, "playing"),
    "find_people": Row(200, "playing"),
    "here_by_code": Row(200),
    "import_entries": Row(200, "playing"),
    "join_by_code": Row(302),
    "keep_apart": Row(200, "playing"),
    "manage_event": Row(200, "playing"),
    "message_table": Row(200, "playing", open=404),
    "more_time": Row(200, "playing", open=404),
    "move_table": Row(200, "playing", open=404),
    "new_table_code": Row(200, "playing"),
    "new_walk_in_code": Row(200, "playing"),
    "penalty": Row(200, "playing", open=404),
    "print_bracket": Row(409),
    "print_check_in": Row(200, "playing"),
    "print_event": Row(200),
    "print_money": Row(409, "member"),
    "print_movement_cards": Row(409, "playing"),
    "print_pairings": Row(200, open=404),
    "print_results": Row(200, open=404),
    "print_score_cards": Row(200, "playing"),
    "print_standings": Row(409),
    "print_table_cards": Row(200, "playing"),
    "print_walk_in_cards": Row(200, "playing"),
    "projector": Row(200),
    "put_back_entry": Row(200, "playing"),
    "projector_by_code": Row(302),
    "reopen_table": Row(200, "playing", open=404),
    "report_event": Row(200, "elsewhere"),
    "room_table": Row(200, open=409),
    "seats_by_hand": Row(200, "playing", open=404),
    "enter_results": Row(200, "playing", open=404),
    "set_result": Row(200, "playing", but=OWN, open=404),
    "something_wrong": Row(200, "playing", open=409),
    "substitute": Row(422, "playing"),
    "substitute_at_table": Row(200, "playing", open=404),
    "take_back_round": Row(200, "playing", open=404),
    "undo_act": Row(200, "playing"),
    "walk_in": Row(200),
    "withdraw_entry": Row(200, "playing"),
}
ACTS = {
    "publish_event": Row(409, "playing"),
    "delete_event": Row(409, "playing"),
    "keep_template": Row(303, "playing"),
    "stop_series": Row(303, "playing"),
    "register": Row(409, "elsewhere", but={"player": 303, "playing": 303}, open=303),
    "withdraw": Row(
        409,
        "elsewhere",
        but={"player": 303, "playing": 303},
        but_open={"player": 303, "playing": 303},
    ),
    "check_in": Row(409, "elsewhere", but_open={"player": 303, "playing": 303}),
    "ask_partner": Row(409, "elsewhere", data={"partner": "Nora"}),
    "ask_seeker": Row(409, "elsewhere"),
    "seek_partner": Row(409, "elsewhere"),
    "accept_partner": Row(409, "elsewhere", but={"player": 303}, but_open={"player": 303}),
    "decline_partner": Row(409, "elsewhere"),
    "call_director": Row(403, but={"player": 303, "playing": 303}),
    "take_back_call": Row(403, but={"player": 303, "playing": 303}),
    "walk_in": Row(
        303,
        "elsewhere",
        but={"player": 409, "playing": 409},
        but_open={"player": 409, "playing": 409},
    ),
    "choose_side": Row(303, open=409, data={"round": "1", "side": "0"}),
    "call_to_room_table": Row(303, open=409, data={"call": "director"}),
    "write_score": Row(
        303,
        open=409,
        data={
            "key": "key-000001",
            "kind": "hand",
            "round": "1",
            "side": "0",
            "number": "1",
            "caller": "0",
            "took": "made",
        },
    ),
    "undo_act": Row(303, "playing", but=OWN, data={"reason": "So."}, shows=True),
    "import_entries": Row(422, "playing", data={"text": "word\nQuin"}),
    "enter_people": Row(303, "playing", data={"name": "Yul"}, shows=True),
    "substitute_at_table": Row(
        303,
        "playing",
        but=OWN,
        open=404,
        data={"seat": "{seat_id}", "name": "Zoe", "reason": "So."},
        shows=True,
    ),
    "substitute": Row(
        303, "playing", but=OWN, open=409, data={"name": "Zoe", "reason": "So."}, shows=True
    ),
    "pause_event": Row(303, "playing", but=OWN, open=409),
    "resume_event": Row(409, "playing"),
    "extend_round": Row(303, "playing", but=OWN, open=409, data={"minutes": "5"}),
    "end_round": Row(303, "playing", but=OWN, open=409),
    "next_round": Row(409, "playing"),
    "final_now": Row(409, "playing"),
    "start_event": Row(409, "playing"),
    "cancel_event": Row(303, "playing", but=OWN, data={"reason": "Rain."}),
    "tell_event": Row(303, "playing", data={"text": "Tea."}),
    "add_house_entries": Row(409, "playing", data={"count": "1"}),
    "set_result": Row(
        303,
        "playing",
        but=OWN,
        open=404,
        data={"winner": "0", "ended": "played", "points_0": "5", "points_1": "3"},
    ),
    "draw_again": Row(409, "playing", but=OWN, open=404, data={"reason": "So."}, shows=True),
    "take_back_round": Row(303, "playing", but=OWN, open=404, data={"reason": "So."}, shows=True),
    "message_table": Row(303, "playing", but=OWN, open=404, data={"reason": "So."}, shows=True),
    "more_time": Row(
        303, "playing", but=OWN, open=404, data={"minutes": "5", "reason": "So."}, shows=True
    ),
    "five_minutes": Row(303, "playing", but=OWN, open=404, data={"had": "5"}),
    "new_table_code": Row(303, "playing", data={"reason": "So."}, shows=True),
    "new_walk_in_code": Row(303, "playing", data={"reason": "So."}, shows=True),
    "change_walk_in_name": Row(303, "playing", data={"name": "Quin", "reason": "So."}, shows=True),
    "penalty": Row(
        303,
        "playing",
        but=OWN,
        open=404,
        data={"side": "0", "what": "warning", "reason": "So."},
        shows=True,
    ),
    "reopen_table": Row(409, "playing", open=404, data={"reason": "So."}, shows=True),
    "seats_by_hand": Row(
        303,
        "playing",
        but=OWN,
        open=404,
        data={
            "one": "{seat_1}",
            "other": "{seat_0}",
            "reason": "So.",
        },
        shows=True,
    ),
    # The lot alone decides in this event.
    "seeds_by_hand": Row(409, "playing", data={"order": "{entry_id}", "reason": "So."}),
    "keep_apart": Row(
        409, "playing", open=303, data={"one": "{entry_id}", "other": "{otto}", "kind": "tables"}
    ),
    "no_longer_apart": Row(409, "playing", open=303),
    "answer_call": Row(303, "playing", open=404),
    "move_table": Row(409, "playing", but=OWN, open=404, data={"to": "online"}, shows=True),
    "withdraw_entry": Row(303, "playing", but=OWN, data={"reason": "Ill."}, shows=True),
    "put_back_entry": Row(409, "playing", shows=True),
    "check_in_entry": Row(409, "playing", open=303),
    "edit_event": Row(422, "playing"),
    "report_event": Row(303, "elsewhere", data={"reason": "name"}),
}


class Evening(NamedTuple):
    """An event in the room with one table, at which the player, the playing director, a walk-in and
    somebody else sit once it runs; and a browser for each role."""

    known: dict[str, Any]
    browsers: dict[str, Client]


def evening(*, running: bool) -> Evening:
    now = timezone.now()
    club = build.club()
    people = {role: member(role.capitalize()) for role in ROLES if role not in NOBODY}
    build.joined(build.club("The Forge"), people["elsewhere"], Membership.Role.DIRECTOR)
    for role, member_as in (
        ("member", "member"), ("player", "member"), ("playing", "director"),
        ("director", "director"), ("owner", "owner"),
    ):  # fmt: skip
        build.joined(club, people[role], member_as)
    staff = people["staff"].user
    assert staff is not None
    staff.is_staff = True
    staff.save()
    starts = now + 10 * MINUTE
    event = build.event(
        club, format="progressive", place=Event.Place.MIXED, room_from=1, rounds=2,
        round_minutes=20, check_in_minutes=30, registration_opens=now - 60 * MINUTE,
        registration_closes=starts, starts=starts,
        state=Event.State.CHECK_IN, currency="EUR", entry_money=500,
    )  # fmt: skip
    build.let_in(event, [people["player"], people["playing"], member("Otto")])
    xan = newcomers.enter(event, ["Xan"], people["director"], now)
    walk_in = event.walk_ins.get()
    act = xan.acts.get()
    if running:
        build.begin(event, now)
        match = build.latest(event).pairings.get()
        table_time.give(match, 5, people["director"], reason="Tea.", now=now)
        act = event.acts.latest("pk")
    entry = event.entries.get(players__player=people["player"])
    known = {
        "event_id": event.pk,
        "code": walk_in.code,
        "join": event.join_code,
        "table_code": codes.codes_of(event, [1])[1],
        "here_code": check_in_codes.code_of(entry),
        "walk_in_id": walk_in.pk,
        "seat_id": entry.players.get().pk,
        "entry_id": entry.pk,
        "act_id": act.pk,
        "player_id": people["member"].pk,
        "apart_id": event.kept_apart.create(one=entry, other=xan, kind="tables").pk,
        "otto": event.entries.get(players__player__name="Otto").pk,
        "number": 1,
        "table": 1,
        "what": "entries",
        "kind": "csv",
    }
    drawn = PairingEntry.objects.filter(round__event=event).order_by("side", "position")
    seated = drawn.values_list("entry", flat=True)
    known |= {f"seat_{at}": one for at, one in enumerate(seated or range(4))}
    browsers = {"visitor": Client(), "walk-in": Client()}
    browsers |= {role: logged_in(who) for role, who in people.items()}
    assert browsers["walk-in"].get(f"/claim/{walk_in.code}/").status_code == 200
    return Evening(known, browsers)


#: What the addresses of an event's pages and acts have.
OF_EVENT = {"event_id", "table_code", "here_code"}
BY_CODE = {"walk_in", "join_by_code", "here_by_code", "projector_by_code"}


def test_every_address_of_an_event_has_its_row() -> None:
    names = {one.name for one in patterns() if arguments(one.name or "") & OF_EVENT}
    assert names | BY_CODE == PAGES.keys() | ACTS.keys()


def path_of(name: str, at: Evening) -> str:
    of_event = name in BY_CODE - {"walk_in"}
    return address(name, {**at.known, "code": at.known["join"]} if of_event else at.known)


def act(name: str, role: str, at: Evening) -> Answer:
    """What a role's act is answered, after a look at the page that shows what it will change."""
    row, path, browser = ACTS[name], path_of(name, at), at.browsers[role]
    fields = {key: value.format(**at.known) for key, value in row.data.items()}
    if row.shows:
        chosen = {key: value for key, value in fields.items() if key != "reason"}
        page = ask(browser, role, "GET", name, path, data=chosen).page
        seen = re.search(r'name="seen" value="(\w+)"', page)
        fields |= {"seen": seen[1]} if seen else {}
    return ask(browser, role, "POST", name, path, data=fields)


@pytest.mark.parametrize("running", [pytest.param(False, marks=pytest.mark.thorough), True])
def test_status_by_role(running: bool) -> None:
    at = evening(running=running)
    due = {
        (method, name): row.answers(running=running)
        for method, rows in (("GET", PAGES), ("POST", ACTS))
        for name, row in rows.items()
    }
    looks = (
        ask(at.browsers[role], role, "GET", name, path_of(name, at))
        for name, row in PAGES.items()
        for role in row.asked()
    )
    acts = (act(name, role, at) for name, row in ACTS.items() for role in row.asked())
    by_row = status(lambda one: due[one.method, one.name][one.role])
    assert complaints(chain(looks, acts), by_row) == []
