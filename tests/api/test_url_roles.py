"""Every operation of the API × everybody who may ask: one row each; one without its row fails."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest
from django.db import transaction
from django.test import Client

from euchre_site.api.api import api
from games.models import Player, Scope
from tests.api.asking import Scene, scene, token_of
from tests.factories import logged_in, member
from tournaments.models import Club

pytestmark = pytest.mark.django_db

#: Nobody in particular; an account of no club; the same by a token; a member by a token that may
#: not read, by one that may only read, by a browser that is logged in, and by a whole token.
ROLES = ("visitor", "account", "token", "blind", "reader", "browser", "member")
#: To these a club by invitation does not exist.
STRANGERS = ("visitor", "account", "token", "blind")
Statuses = tuple[int, int, int, int, int, int, int]


class Row(NamedTuple):
    """An operation: how it is asked, and what each role is answered.

    Attributes:
        open: the answers at a club that everybody sees.
        closed: those at a club by invitation; None where these are the same.
        body: what is sent.
    """

    open: Statuses
    closed: Statuses | None = None
    body: Any = None


EVERYBODY = Row((200,) * 7)
#: Something of a club: strangers do not find it where the club is joined by invitation.
OF_CLUB = Row((200,) * 7, (404, 404, 404, 404, 200, 200, 200))
#: Only a program plays; at a table that is not there for them, a person is not even told so.
PROGRAM_S = Row((401, 401, 403, 403, 403, 401, 403), (401, 401, 403, 404, 403, 401, 404))
#: The same, where something is missing in what is sent.
PROGRAM_S_BODY = Row((401, 401, 403, 422, 403, 401, 422), body={})
ROWS: Mapping[str, Row] = {
    "clubs": EVERYBODY,
    "club": OF_CLUB,
    "members": OF_CLUB,
    "club_seasons": OF_CLUB,
    "season_table": OF_CLUB,
    "year_table": OF_CLUB,
    "events": EVERYBODY,
    "event": OF_CLUB,
    "entries": OF_CLUB,
    "rounds": OF_CLUB,
    "round_draw": OF_CLUB,
    "results": OF_CLUB,
    "event_corrections": OF_CLUB,
    "standings": OF_CLUB,
    "event_game": OF_CLUB,
    "enter": Row((401, 401, 200, 403, 403, 401, 200), (401, 401, 404, 403, 403, 401, 200), body={}),
    "withdraw": Row((401, 401, 409, 403, 403, 401, 409), (401, 401, 404, 403, 403, 401, 409)),
    "game": Row((200,) * 7, (404,) * 7),
    "game_stream": EVERYBODY,
    "tables": EVERYBODY,
    "table": Row((200,) * 7, (404,) * 7),
    "make_table": PROGRAM_S_BODY,
    "sit_down": PROGRAM_S._replace(body={}),
    "stand_up": PROGRAM_S,
    "ask_for_seat": PROGRAM_S._replace(body={}),
    "ask_no_more": PROGRAM_S,
    "answer_request": PROGRAM_S_BODY,
    "propose": PROGRAM_S_BODY,
    "withdraw_proposal": PROGRAM_S_BODY,
    "answer_proposal": PROGRAM_S_BODY,
    "begin_game": PROGRAM_S,
    "act": PROGRAM_S_BODY,
    "table_stream": PROGRAM_S,
    "player": EVERYBODY,
    "record": EVERYBODY,
    "player_games": EVERYBODY,
    "head_to_head": EVERYBODY,
    "rating_changes": EVERYBODY,
    "pools": EVERYBODY,
    "leaderboard": EVERYBODY,
}


class Operation(NamedTuple):
    """An operation as the document names it."""

    method: str
    path: str


def operations() -> dict[str, Operation]:
    """All operations of the document, by name."""
    return {
        operation["operationId"]: Operation(method.upper(), path)
        for path, methods in api.get_openapi_schema()["paths"].items()
        for method, operation in methods.items()
    }


class Asked(NamedTuple):
    """What is known of the scene, and how each role asks."""

    known: Mapping[str, Any]
    tokens: Mapping[str, str]
    browsers: Mapping[str, Client]


def asked(at: Scene) -> Asked:
    """The scene with a token or a browser for each role."""
    otto = member("Otto")
    otto_rights, blind = (Scope.READ, Scope.ENTER), (Scope.PLAY,)
    first = at.over.played_rounds.get(number=1).pairings.get(number=1)
    known = {
        "slug": at.club.slug,
        "season_id": at.season,
        "year": 2026,
        "event_id": at.over.pk,
        "number": 1,
        "player_id": at.maeve.pk,
        "other_id": otto.pk,
        "pool": "classic-online",
        "table_id": first.table_id,
        "seat": "North",
        "request_id": 1,
        "proposal_id": 1,
        "game_id": first.table.games.get().pk,  # type: ignore[union-attr]
    }
    tokens = {
        "token": token_of(otto, *otto_rights),
        "blind": token_of(at.maeve, *blind),
        "reader": token_of(at.maeve, Scope.READ),
        "member": token_of(at.maeve),
    }
    return Asked(known, tokens, {"account": logged_in(otto), "browser": logged_in(at.maeve)})


def status(name: str, role: str, at: Scene, of: Asked) -> int:
    """What a role is answered."""
    method, path = operations()[name]
    known = dict(of.known)
    if method != "GET":
        known["event_id"] = at.coming.pk
    token = of.tokens.get(role)
    body = ROWS[name].body
    response: Any = of.browsers.get(role, Client()).generic(
        method,
        path.format(**known),
        "" if body is None else "{}",
        content_type="application/json",
        headers={"authorization": f"Bearer {token}"} if token else {},
    )
    answered: int = response.status_code
    return answered


def test_every_operation_has_its_row() -> None:
    assert set(ROWS) == set(operations())


@pytest.mark.parametrize("joining", [Club.Joining.OPEN, Club.Joining.INVITATION])
def test_status_by_role(joining: str) -> None:
    at = scene(joining)
    of = asked(at)
    answers: dict[str, list[int]] = {}
    for name in ROWS:
        for role in ROLES:
            with transaction.atomic():
                answers.setdefault(name, []).append(status(name, role, at, of))
                transaction.set_rollback(True)
    closed = joining == Club.Joining.INVITATION
    expected = {
        name: list((row.closed or row.open) if closed else row.open) for name, row in ROWS.items()
    }
    assert answers == expected


def test_lists_omit_objects_hidden_from_the_caller() -> None:
    at = scene(Club.Joining.INVITATION)
    otto = member("Otto")
    counted: dict[str, dict[str, int]] = {}
    for who, token in (("visitor", ""), ("Otto", token_of(otto)), ("Maeve", token_of(at.maeve))):
        headers = {"authorization": f"Bearer {token}"} if token else {}
        counted[who] = {
            path: Client().get(f"/api/{path}", headers=headers).json()["count"]
            for path in ("clubs", "events")
        }
    assert counted == {
        "visitor": {"clubs": 0, "events": 0},
        "Otto": {"clubs": 0, "events": 0},
        "Maeve": {"clubs": 1, "events": 2},
    }


def test_draft_is_not_found() -> None:
    at = scene()
    at.coming.state = "draft"
    at.coming.save()
    token = token_of(at.maeve)
    headers = {"authorization": f"Bearer {token}"}
    assert Client().get(f"/api/events/{at.coming.pk}", headers=headers).status_code == 404
    listed = Client().get("/api/events", headers=headers).json()["items"]
    assert [one["id"] for one in listed] == [at.over.pk]


def test_program_cannot_enter_an_event() -> None:
    at = scene()
    program = Player.objects.create(name="Abacus", kind=Player.Kind.PROGRAM, owner=at.maeve)
    answer = Client().put(
        f"/api/events/{at.coming.pk}/entry",
        {},
        content_type="application/json",
        headers={"authorization": f"Bearer {token_of(program)}"},
    )
    assert (answer.status_code, answer.json()["code"]) == (403, "account")
