"""Every address × everybody who may ask: one row each; an address without its row fails.

Those of clubs and events have other roles, and their rows in `tests.tournaments.test_url_roles`;
those of the JSON API are in `tests.api.test_url_roles`.
The addresses of allauth are not rows: who may do what there is allauth's own matter.
"""

from collections.abc import Iterator
from typing import NamedTuple

import pytest
from django.test import Client
from django.utils import timezone

from games.access import INVITED_KEY
from games.engine.rules import CLASSIC_24, HEADS_UP
from games.live import state
from games.models import Game, Player, Table
from games.programs import programs
from games.seats import seating
from games.shuffle import public_log
from games.sockets import hub
from tests.addresses import address, patterns
from tests.crawl import ask, complaints, status
from tests.factories import finish, logged_in, member, player
from tests.tournaments.test_url_roles import ROWS as OF_CLUBS

pytestmark = pytest.mark.django_db

#: Nobody in particular, another account, a visitor who holds the link, a guest who sits, the host.
ROLES = ("visitor", "other account", "invited", "seated", "host")
Statuses = tuple[int, int, int, int, int]


class Row(NamedTuple):
    """An address: how it is asked, and what each role is answered.

    Attributes:
        method: GET or POST.
        closed: the answers at a table by invitation, or where there is no table at all.
        open: the answers at an open table.
        data: the fields of the form.
    """

    method: str
    closed: Statuses
    open: Statuses | None = None
    data: dict[str, str] = {}  # noqa: RUF012


def everybody(status: int) -> Statuses:
    """The same answer for all roles."""
    return (status,) * 5


ROWS = {
    "home": Row("GET", everybody(200)),
    "rules": Row("GET", everybody(200)),
    "rule_set": Row("GET", everybody(200)),
    "rule_example": Row("GET", everybody(200)),
    "lessons": Row("GET", everybody(200)),
    "lesson": Row("GET", everybody(302)),
    "lesson_step": Row("GET", everybody(200)),
    "lobby": Row("GET", everybody(200)),
    "play_now": Row("POST", everybody(303), data={"rules": "heads-up"}),
    "quick_seat": Row("GET", everybody(302)),
    "quick_start": Row("POST", everybody(303)),
    "quick_friendly": Row("POST", everybody(303)),
    "quick_leave": Row("POST", everybody(303)),
    "avoid": Row("POST", (403, 404, 403, 404, 404), data={"player": "0"}),
    "meet_again": Row("POST", (403, 303, 403, 303, 303), data={"player": "0"}),
    "worker": Row("GET", everybody(200)),
    "offline": Row("GET", everybody(200)),
    "notifications": Row("GET", (302, 200, 302, 200, 200)),
    "unsubscribe": Row("GET", everybody(404)),
    "choose_notifications": Row("POST", (302, 303, 302, 303, 303), data={"ways": "1"}),
    "choose_quiet_hours": Row(
        "POST", (302, 303, 302, 303, 303), data={"starts": "22:00", "ends": "7:00"}
    ),
    "add_device": Row("POST", everybody(403)),
    "remove_device": Row("POST", (302, 303, 302, 303, 303)),
    "test_push": Row("POST", (302, 404, 302, 404, 404), data={"device": "0"}),
    "kept_apart": Row("GET", (302, 200, 302, 200, 200)),
    "friends": Row("GET", (302, 200, 302, 200, 200)),
    "seen_by": Row("POST", (403, 303, 403, 403, 303), data={"seen_by": "nobody"}),
    "invite": Row("POST", (403, 404, 403, 403, 404), data={"player": "0"}),
    "friends_online": Row("GET", everybody(200)),
    "invitations": Row("GET", everybody(200)),
    "decline_invitation": Row("POST", everybody(303), data={"invitation": "1"}),
    "company": Row("GET", (404, 404, 404, 200, 200)),
    "again_with": Row("POST", (404, 404, 403, 303, 303), (403, 403, 403, 303, 303)),
    "ask_friend": Row("POST", (403, 404, 403, 403, 404), data={"player": "0"}),
    "accept_friend": Row("POST", (403, 404, 403, 403, 404), data={"player": "0"}),
    "decline_friend": Row("POST", (403, 404, 403, 403, 404), data={"player": "0"}),
    "withdraw_friend": Row("POST", (403, 404, 403, 403, 404), data={"player": "0"}),
    "end_friend": Row("POST", (403, 404, 403, 403, 404), data={"player": "0"}),
    "new_table": Row("GET", everybody(200)),
    "practise": Row("POST", everybody(303)),
    "table": Row("GET", (404, 404, 200, 200, 200), everybody(200)),
    "act": Row("POST", (404, 404, 403, 403, 403), everybody(403), {"action": "pass"}),
    "sit": Row("POST", (404, 404, 303, 303, 303), everybody(303), {"seat": "2"}),
    "ask": Row("POST", (404, 404, 409, 409, 409), everybody(409)),
    "ask_no_more": Row("POST", (404, 404, 403, 303, 303), (403, 303, 403, 303, 303)),
    "answer": Row("POST", (404, 404, 403, 409, 409), (403, 403, 403, 409, 409), {"refuse": "1"}),
    "stand": Row("POST", (404, 404, 403, 303, 303), (403, 403, 403, 303, 303)),
    "leave_game": Row("POST", (404, 404, 403, 409, 409), (403, 403, 403, 409, 409), {"game": "1"}),
    "resign": Row("POST", (404, 404, 403, 409, 409), (403, 403, 403, 409, 409), {"game": "1"}),
    "claim": Row("POST", (404, 404, 403, 409, 409), (403, 403, 403, 409, 409), {"game": "1"}),
    "undo": Row("POST", (404, 404, 403, 409, 409), (403, 403, 403, 409, 409), {"version": "1.0"}),
    "hint": Row("POST", (404, 404, 403, 409, 409), (403, 403, 403, 409, 409), {"version": "1.0"}),
    "consent": Row("POST", (404, 404, 403, 409, 409), (403, 403, 403, 409, 409), {"agree": "1"}),
    "withdraw_proposal": Row(
        "POST", (404, 404, 403, 409, 409), (403, 403, 403, 409, 409), {"game": "1"}
    ),
    "start": Row("POST", (404, 404, 403, 303, 303), (403, 403, 403, 303, 303)),
    "stand_in": Row("POST", (404, 404, 403, 409, 409), (403, 403, 403, 409, 409)),
    "watching": Row("POST", (404, 404, 403, 403, 303), (403, 403, 403, 403, 303), {"open": "no"}),
    "take_back": Row("POST", (404, 404, 403, 303, 303), (403, 403, 403, 303, 303)),
    "again": Row("POST", (404, 404, 403, 409, 409), (403, 403, 403, 409, 409)),
    "say": Row("POST", (404, 404, 403, 303, 303), (403, 303, 403, 303, 303), {"phrase": "0"}),
    "mute": Row("POST", (404, 404, 403, 404, 404), (403, 404, 403, 404, 404), {"line": "0"}),
    "unmute": Row("POST", (404, 404, 403, 303, 303), (403, 303, 403, 303, 303), {"player": "0"}),
    "person_menu": Row("GET", (404, 404, 403, 200, 200), (403, 200, 403, 200, 200)),
    "befriend_at_table": Row("POST", (404, 404, 403, 403, 404), (403, 404, 403, 403, 404)),
    "avoid_at_table": Row("POST", (404, 404, 403, 404, 404), (403, 404, 403, 404, 404)),
    "report_line": Row("POST", (404, 404, 403, 404, 404), (403, 404, 403, 404, 404)),
    "join": Row("GET", everybody(302), everybody(302)),
    "game": Row("GET", (404, 404, 200, 200, 200), everybody(200)),
    "game_ratings": Row("GET", (404, 404, 200, 200, 200), everybody(200)),
    "game_picture": Row("GET", everybody(404), everybody(200)),
    "game_record": Row("GET", (404, 404, 200, 200, 200), everybody(200)),
    "game_egn": Row("GET", (404, 404, 200, 200, 200), everybody(200)),
    "game_ptn": Row("GET", (404, 404, 200, 200, 200), everybody(200)),
    "replay": Row("GET", (404, 404, 200, 200, 200), everybody(200)),
    "review": Row("GET", (404, 404, 403, 200, 200), everybody(200)),
    "review_progress": Row("GET", (404, 404, 403, 200, 200), everybody(200)),
    "analysis_board": Row("GET", everybody(422)),
    "analysis_worth": Row("GET", everybody(422)),
    "analysis_ask": Row("POST", everybody(422)),
    "analysis_stop": Row("POST", everybody(422)),
    "analysis_play": Row("POST", everybody(422)),
    "analysis_open_line": Row("GET", everybody(422)),
    "analysis": Row("GET", everybody(200)),
    "analysis_paste": Row("GET", everybody(200)),
    "analyse_game": Row("GET", everybody(404)),
    "analyse_file": Row("GET", everybody(302)),
    "puzzles": Row("GET", everybody(200)),
    "next_puzzle": Row("GET", everybody(302)),
    "set_puzzle": Row("GET", everybody(200)),
    "next_own": Row("GET", everybody(200)),
    "puzzle": Row("GET", everybody(404)),
    "rush": Row("GET", everybody(200)),
    "start_rush": Row("POST", everybody(303)),
    "puzzle_feed": Row("GET", everybody(200)),
    "verify": Row("GET", (404, 404, 200, 200, 200), everybody(200)),
    "verify_file": Row("GET", everybody(200)),
    "verify_script": Row("GET", everybody(200)),
    "fairness_log": Row("GET", everybody(200)),
    "log_lines": Row("GET", everybody(200)),
    "match_log": Row("GET", everybody(200)),
    "replay_file": Row("GET", everybody(200)),
    "replayed_file": Row("GET", everybody(302)),
    "replayed_game": Row("GET", everybody(302)),
    "replayed_ptn": Row("GET", everybody(302)),
    "programs": Row("GET", (403, 200, 403, 403, 200)),
    "renew_program": Row("POST", (403, 404, 403, 403, 201)),
    "rename_program": Row("POST", (403, 404, 403, 403, 303), data={"name": "Robo"}),
    "retire_program": Row("POST", (403, 404, 403, 403, 303)),
    "api": Row("GET", everybody(302)),
    "tokens": Row("GET", (403, 200, 403, 403, 200)),
    "revoke_token": Row("POST", (302, 303, 302, 303, 303)),
    "you": Row("GET", everybody(200)),
    "look": Row("GET", everybody(200)),
    "name": Row("GET", (302, 200, 302, 200, 200)),
    "at_the_table": Row("GET", everybody(200)),
    "record": Row("GET", (302, 200, 302, 200, 200)),
    "own_data": Row("GET", everybody(200)),
    "take_data": Row("POST", (303, 302, 303, 303, 302)),
    "data_file": Row("GET", (404, 302, 404, 404, 302)),
    "deletion": Row("GET", everybody(200)),
    "ask_deletion": Row("POST", (303, 422, 303, 422, 422)),
    "keep_account": Row("POST", everybody(303)),
    "robots": Row("GET", everybody(200)),
    "manifest": Row("GET", everybody(200)),
    "favicon": Row("GET", everybody(302)),
    "well_known_change_password": Row("GET", everybody(302)),
}


class Room(NamedTuple):
    """A table that gathers, a finished game at another like it, the host's program, and a browser
    for each role."""

    table: Table
    game: Game
    program: Player
    browsers: dict[str, Client]

    def address(self, name: str) -> str:
        """The address of this room behind a name."""
        known = {
            "table_id": self.table.pk,
            "game_id": self.game.pk,
            "match": self.game.pk,
            "token": self.table.invite_token,
            "player_id": self.program.pk,
            "token_id": 1,
            "puzzle_id": 1,
            "number": 1,
            "name": "joker-33",
            "slug": "bowers",
            "example": "joker",
            "seat": 0,
            "reason": "rude",
        }
        return address(name, known)


def room(*, open_to_all: bool) -> Room:
    """A room with Maeve as the host and Ben as a guest who sits."""
    maeve, ben, otto = member("Maeve"), player("Ben"), member("Otto")
    table = seating.make_table(maeve, CLASSIC_24, open=open_to_all, seat=0)
    seating.sit(table, ben, 1)
    other = seating.make_table(maeve, HEADS_UP, open=open_to_all, seat=0)
    seating.sit(other, ben, 1)
    invited = Client()
    session = invited.session
    session[INVITED_KEY] = [table.pk, other.pk]
    session.save()
    browsers = (Client(), logged_in(otto), invited, logged_in(ben), logged_in(maeve))
    public_log.chain()
    program, _token = programs.make(maeve, "Robo", timezone.now())
    return Room(table, finish(other), program, dict(zip(ROLES, browsers, strict=True)))


@pytest.fixture(autouse=True)
def _no_live_tables(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(hub, "announce", lambda _table_id: None)
    yield
    state.forget_all()


def test_every_address_has_its_row() -> None:
    assert {pattern.name for pattern in patterns()} == ROWS.keys() | OF_CLUBS.keys()
    assert not ROWS.keys() & OF_CLUBS.keys()


@pytest.mark.parametrize("open_to_all", [False, True], ids=["by invitation", "open"])
def test_status_by_role(open_to_all: bool) -> None:
    at = room(open_to_all=open_to_all)
    rows = {
        name: row._replace(closed=row.open) if open_to_all and row.open else row
        for name, row in ROWS.items()
        if row.open or not open_to_all
    }
    answers = (
        ask(at.browsers[role], role, row.method, name, at.address(name), data=row.data)
        for name, row in rows.items()
        for role in ROLES
    )
    due = status(lambda one: rows[one.name].closed[ROLES.index(one.role)])
    assert complaints(answers, due) == []


def test_changing_views_refuse_get() -> None:
    at = room(open_to_all=True)
    answers = (
        ask(at.browsers["host"], "host", "GET", name, at.address(name))
        for name, row in ROWS.items()
        if row.method == "POST"
    )
    assert complaints(answers, status(lambda _: 405)) == []
