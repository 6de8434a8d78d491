"""Logging in by passkey, and at another site, under the site's content security policy."""

import logging
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from oidc_provider_mock import User, run_server_in_thread
from playwright.sync_api import expect

from tests.browser.conftest import MakePerson
from tests.browser.person import Person
from tests.browser.test_axe import Axe
from tests.factories import PASSWORD
from tests.served import Server

pytestmark = pytest.mark.filterwarnings("ignore:get_jwt_config:DeprecationWarning")  # its own
#: A phone that has asked for a finger, which is given.
PHONE = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture(scope="module")
def at_localhost(start_server: Callable[..., Server]) -> Iterator[Server]:
    """A server beside a provider called Mill, at the name at which passkeys work without TLS."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    claims = {"email": "wren@example.org", "email_verified": True}
    with run_server_in_thread(user_claims=[User(sub="wren", claims=claims)]) as provider:
        provider_at = f"http://localhost:{provider.server_port}"
        yield start_server(LOGIN_OPENID=f"{provider_at} bower a-secret The Mill")


def visitor(person: MakePerson, name: str, server: Server) -> Person:
    one = person(name, server=server, account=False)
    one.address = f"http://localhost:{server.port}"
    return one


def log_out(one: Person) -> None:
    one.go("/accounts/logout/")
    one.page.locator("main").get_by_role("button", name="Log out").click()


def test_a_passkey_is_added_and_lets_in(person: MakePerson, at_localhost: Server) -> None:
    rhea = visitor(person, "Rhea", at_localhost)
    phone = rhea.context.new_cdp_session(rhea.page)
    phone.send("WebAuthn.enable")
    key = phone.send("WebAuthn.addVirtualAuthenticator", {"options": PHONE})["authenticatorId"]
    rhea.sign_up()
    rhea.go("/accounts/2fa/webauthn/")
    rhea.page.get_by_role("link", name="Add a passkey").click()
    if rhea.page.get_by_label("Password").count():
        rhea.page.get_by_label("Password").fill(PASSWORD)
        rhea.page.locator("main").get_by_role("button").first.click()
    rhea.page.get_by_label("Name").fill("My phone")
    rhea.page.get_by_role("button", name="Add").click()
    expect(rhea.page.get_by_role("link", name="My phone", exact=True)).to_be_visible()
    log_out(rhea)
    rhea.go("/accounts/login/?next=/clubs/")
    rhea.page.get_by_role("button", name="Log in with a passkey").click()
    rhea.page.wait_for_url(re.compile(r"\d/clubs/$"))
    rhea.go("/you/")
    expect(rhea.page.get_by_text("Logged in as")).to_be_visible()
    log_out(rhea)
    phone.send("WebAuthn.setUserVerified", {"authenticatorId": key, "isUserVerified": False})
    rhea.go("/accounts/login/")
    rhea.page.get_by_role("button", name="Log in with a passkey").click()
    expect(rhea.page.get_by_role("alert")).to_contain_text("another way in")


def go_by_mill(one: Person) -> None:
    """Log in at the provider, whose page loads a style sheet from elsewhere."""
    one.expected = ("net::ERR_NAME_NOT_RESOLVED",)
    one.go("/accounts/login/")
    one.page.get_by_role("button", name="Go on with The Mill").click()
    one.page.wait_for_url("**/oauth2/authorize?*")
    one.page.get_by_role("button", name="wren").first.click()


def test_somebody_signs_up_and_in_at_another_site(person: MakePerson, at_localhost: Server) -> None:
    wren = visitor(person, "Wren", at_localhost)
    go_by_mill(wren)
    wren.page.get_by_label("Name at the table").fill("Wren")
    wren.page.get_by_role("button", name="Sign up").click()
    wren.go("/you/")
    expect(wren.page.get_by_text("Logged in as")).to_contain_text("wren@example.org")
    plain = person("Again", server=at_localhost, account=False, java_script_enabled=False)
    plain.address = wren.address
    go_by_mill(plain)
    expect(plain.page.get_by_role("heading", name="Hello, Wren")).to_be_visible()
    log_out(plain)
    plain.go("/accounts/login/")
    expect(plain.page.get_by_role("button", name="Log in with a passkey")).to_be_hidden()


def test_axe_finds_nothing(person: MakePerson, at_localhost: Server, axe_path: str) -> None:
    axe, iris = Axe(Path(axe_path).read_text()), person("Iris", server=at_localhost)
    for path in ("2fa/webauthn/", "2fa/webauthn/add/", "3rdparty/", "oidc/openid/login/"):
        iris.go(f"/accounts/{path}")
        axe(path, iris)
    log_out(iris)
    for path in ("login/", "3rdparty/login/cancelled/", "3rdparty/login/error/"):
        iris.expected = ("401",)
        iris.go(f"/accounts/{path}")
        axe(path, iris)
    assert axe.found == {}
