"""Personal tokens: made once, kept as a digest, and good for no longer than they should be."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from games.models import Player, Scope, Token
from games.programs import tokens
from tests.api.asking import ask, token_of
from tests.factories import logged_in, member, player
from tests.tournaments.build import NOON

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


def made(owner: Player, *scopes: Scope) -> tuple[Token, str]:
    return tokens.make(owner, "Sheet", scopes, NOON + DAY, NOON)


def test_only_a_digest_is_kept() -> None:
    token, secret = made(member())
    stored = Token.objects.values().get(pk=token.pk)
    assert secret not in str(stored)
    assert secret.startswith(stored["hint"])
    assert len(secret) > len(stored["hint"]) + 30


def test_tokens_are_never_the_same() -> None:
    maeve = member()
    assert len({made(maeve)[1] for _ in range(10)}) == 10


def test_a_token_lets_its_player_in_until_it_expires() -> None:
    maeve = member()
    token, secret = made(maeve)
    found = tokens.find(secret, NOON + DAY - timedelta(seconds=1))
    assert found is not None
    assert (found.pk, found.player) == (token.pk, maeve)
    assert tokens.find(secret, NOON + DAY) is None


@pytest.mark.parametrize("secret", ["", "bower_", "bower_wrong"])
def test_unknown_token_is_not_accepted(secret: str) -> None:
    made(member())
    assert tokens.find(secret, NOON) is None


def test_revoked_token_is_not_accepted() -> None:
    maeve = member()
    token, secret = made(maeve)
    tokens.revoke(maeve, token.pk)
    assert tokens.find(secret, NOON) is None


def test_token_of_another_player_cannot_be_revoked() -> None:
    token, secret = made(member())
    tokens.revoke(member("Ben"), token.pk)
    assert tokens.find(secret, NOON) is not None


def test_token_ends_with_the_account() -> None:
    maeve = member()
    _token, secret = made(maeve)
    assert maeve.user is not None
    maeve.user.is_active = False
    maeve.user.save()
    assert tokens.find(secret, NOON) is None
    maeve.user.delete()
    assert tokens.find(secret, NOON) is None


def test_a_programs_token_ends_with_its_owners_account() -> None:
    maeve = member()
    program = Player.objects.create(name="Abacus", kind=Player.Kind.PROGRAM, owner=maeve)
    _token, secret = made(program, Scope.PLAY)
    assert tokens.find(secret, NOON) is not None
    assert maeve.user is not None
    maeve.user.delete()
    assert tokens.find(secret, NOON) is None


def test_token_use_is_recorded_once_a_minute() -> None:
    token, secret = made(member())
    second = timedelta(seconds=1)
    for at in (NOON, NOON + 59 * second, NOON + 60 * second):
        tokens.find(secret, at)
        token.refresh_from_db()
        assert token.used == (NOON if at < NOON + 60 * second else NOON + 60 * second)


def test_number_of_tokens_is_limited() -> None:
    maeve = member()
    for _ in range(tokens.MAX_TOKENS):
        made(maeve)
    with pytest.raises(tokens.TooManyTokensError, match="revoke one first"):
        made(maeve)
    made(member("Ben"))


# By the API -----------------------------------------------------------------------------------


def test_invalid_token_is_refused_on_public_operations() -> None:
    answer = ask("/clubs", "bower_wrong")
    assert (answer.status_code, answer.json()["code"]) == (401, "token unknown")
    assert answer["WWW-Authenticate"].startswith("Bearer")


def test_an_expired_token_is_refused() -> None:
    now = timezone.now()
    secret = token_of(member(), expires=now - DAY, now=now - 2 * DAY)
    assert ask("/clubs", secret).status_code == 401


def test_other_authorization_schemes_are_ignored() -> None:
    secret = token_of(member())
    answer = Client().get("/api/clubs", headers={"authorization": f"Basic {secret}"})
    assert answer.status_code == 401


def test_a_missing_scope_is_named() -> None:
    answer = ask("/events/1/entry", token_of(member(), Scope.READ), method="DELETE")
    assert (answer.status_code, answer.json()["code"]) == (403, "scope")
    assert "“enter”; this one has: read." in answer.json()["detail"]


def test_token_takes_precedence_over_cookie() -> None:
    maeve, ben = member(), member("Ben")
    ben.private = True
    ben.save()
    browser = logged_in(ben)
    headers = {"authorization": f"Bearer {token_of(maeve)}"}
    assert browser.get(f"/api/players/{ben.pk}/record").status_code == 200
    assert browser.get(f"/api/players/{ben.pk}/record", headers=headers).status_code == 403


def test_a_cookie_changes_nothing() -> None:
    answer = logged_in(member()).delete("/api/events/1/entry")
    assert (answer.status_code, answer.json()["code"]) == (401, "token needed")


# The page -------------------------------------------------------------------------------------


def test_the_page_shows_a_new_token_once() -> None:
    browser = logged_in(member())
    form = {"name": "Sheet", "scopes": ["read", "enter"], "days": "30"}
    page = browser.post("/you/tokens/", form)
    secret = page.context["secret"]
    assert secret in page.text
    assert page["Cache-Control"].startswith("max-age=0")
    assert ask("/clubs", secret).status_code == 200
    token = Token.objects.get()
    assert token.scopes == ["enter", "read"]
    assert token.expires is not None
    assert token.expires - token.created == 30 * DAY
    again = browser.get("/you/tokens/").text
    assert secret not in again
    assert token.hint in again


def test_token_without_expiry_or_scopes_can_be_created() -> None:
    logged_in(member()).post("/you/tokens/", {"name": "Sheet", "days": ""})
    token = Token.objects.get()
    assert (token.scopes, token.expires) == ([], None)


@pytest.mark.parametrize(
    ("form", "wrong"),
    [
        ({"name": "", "days": "30"}, "name"),
        ({"name": "x" * 61, "days": "30"}, "name"),
        ({"name": "Sheet", "days": "3"}, "days"),
        ({"name": "Sheet", "days": "30", "scopes": ["play"]}, "scopes"),
    ],
)
def test_page_refuses_an_invalid_token_form(form: dict[str, str], wrong: str) -> None:
    page = logged_in(member()).post("/you/tokens/", form)
    assert page.status_code == 422
    assert list(page.context["form"].errors) == [wrong]
    assert not Token.objects.exists()


def test_page_states_the_token_limit() -> None:
    maeve = member()
    for _ in range(tokens.MAX_TOKENS):
        made(maeve)
    page = logged_in(maeve).post("/you/tokens/", {"name": "One more", "days": "30"})
    assert page.status_code == 409
    assert "revoke one first" in page.text


def test_a_token_is_revoked_on_its_page() -> None:
    maeve = member()
    secret = token_of(maeve)
    answer = logged_in(maeve).post(f"/you/tokens/{Token.objects.get().pk}/revoke")
    assert answer.status_code == 303
    assert ask("/clubs", secret).status_code == 401


def test_guest_is_asked_to_sign_up() -> None:
    page = logged_in(player("Otto")).get("/you/tokens/")
    assert page.status_code == 403
    assert "Sign up" in page.text
