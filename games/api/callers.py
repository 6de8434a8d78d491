"""Authentication of API requests by personal token or, for reading only, by session.

Each operation uses one of `reading` and `scope_needed` as its `auth` and finds the caller as
``request.auth``. The gate (`games.api.gate`) has already looked up the token of the header
``Authorization: Bearer …``; with a token, cookies are ignored. A browser's session is enough to
read, so that links work. Changes need a token, which no other site can make a browser send.
"""

from dataclasses import dataclass
from typing import Any

from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.backends.db import SessionStore
from django.http import HttpRequest
from ninja.security.base import AuthBase

from games.api.problems import ApiProblem
from games.models import Player, Scope, Token
from games.people import two_steps
from games.people.addresses import client_address
from games.people.identity import player_of
from games.people.limits import Quota


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sent a request.

    player: None for a visitor. session: holds the invitations the visitor has followed; empty for
    a token. address: the rate-limit key of the client's address, from `addresses.client_address`.
    """

    player: Player | None
    token: Token | None
    session: SessionBase
    address: str

    @property
    def acting(self) -> Player:
        if self.player is None:
            raise _no_token()
        return self.player


class ApiRequest(HttpRequest):
    """A request that has passed the gate; `auth` is set inside an operation."""

    token: Token | None
    quota: Quota
    auth: Caller


class PersonalToken(AuthBase):
    """Requires a token with a scope; without a scope, admits any caller for reading."""

    openapi_type = "http"
    openapi_scheme = "bearer"
    openapi_description = "A personal token, made at `/you/tokens/`."

    def __init__(self, scope: Scope | None = None) -> None:
        super().__init__()
        self.scope = scope

    def __call__(self, request: Any) -> Caller:
        """Return the caller; raise Problem 401 without a token, 403 without the scope."""
        token: Token | None = request.token
        if self.scope is None:
            # A token without the scope to read sees what visitors see.
            if token is None:
                return Caller(player_of(request), None, request.session, client_address(request))
            player = token.player if Scope.READ in token.scopes else None
            return Caller(player, token, SessionStore(), client_address(request))
        if token is None:
            raise _no_token()
        if self.scope not in token.scopes:
            raise ApiProblem(
                403,
                "scope",
                f"This needs a token with the scope “{self.scope}”; this one has: "
                f"{', '.join(token.scopes) or 'none'}.",
            )
        if token.player.user is not None and two_steps.lacks(token.player.user):
            raise ApiProblem(
                403, "two steps", "This needs an account that logs in by two steps: see /you/."
            )
        return Caller(token.player, token, SessionStore(), client_address(request))


reading = PersonalToken()


def scope_needed(scope: Scope) -> PersonalToken:
    return PersonalToken(scope)


def _no_token() -> ApiProblem:
    return ApiProblem(
        401, "token needed", "This needs a personal token: send “Authorization: Bearer …”."
    )
