"""The site's own pages, and what every page contains."""

import json
import re

import pytest
from django.template.loader import render_to_string
from django.test import Client, RequestFactory
from django.views.defaults import bad_request, permission_denied, server_error

from euchre_site.pages.look import chosen, parse
from games.models import Player
from games.people import identity
from tests.factories import logged_in, member

pytestmark = pytest.mark.django_db
PUBLIC = ["/", "/you/", "/accounts/login/", "/accounts/signup/", "/accounts/password/reset/",
          "/robots.txt", "/site.webmanifest", "/nowhere/"]  # fmt: skip


@pytest.mark.parametrize("address", PUBLIC)
def test_every_answer_carries_the_security_headers(client: Client, address: str) -> None:
    answer = client.get(address)
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    assert "data:" not in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert answer.headers["Referrer-Policy"] == "same-origin"


def test_a_page_has_landmarks_and_a_skip_link(client: Client) -> None:
    page = client.get("/you/").content.decode()
    for part in (
        '<html lang="en"',
        'class="skip" href="#main"',
        "<nav",
        '<main id="main"',
        "<footer",
    ):
        assert part in page
    assert page.count("<h1") == 1


def test_a_missing_page_is_a_404_in_the_sites_layout(client: Client) -> None:
    answer = client.get("/nowhere/")
    assert answer.status_code == 404
    assert "Page not found" in answer.content.decode()


def test_a_form_from_elsewhere_is_a_403() -> None:
    answer = Client(enforce_csrf_checks=True).post("/you/look/", {"theme": "dark"})
    assert answer.status_code == 403
    assert "That form has expired" in answer.content.decode()


def test_error_pages_need_no_session() -> None:
    request = RequestFactory().get("/broken/")
    assert b"That request made no sense" in bad_request(request, ValueError()).content
    assert b"You cannot do this" in permission_denied(request, PermissionError()).content
    assert b"Something went wrong" in server_error(request).content


def test_a_failing_view_is_a_500_in_the_sites_layout(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(*_args: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(identity, "player_of", break_down)
    monkeypatch.setattr("euchre_site.pages.views.identity.player_of", break_down)
    client.raise_request_exception = False
    answer = client.get("/you/name/")
    assert answer.status_code == 500
    assert "Something went wrong" in answer.content.decode()


def test_the_look_is_stored_and_applied(client: Client) -> None:
    fields = {"theme": "dark", "suits": "four"}
    page = client.post("/you/look/", fields, follow=True).content.decode()
    for attribute in ('data-theme="dark"', 'data-suits="four"'):
        assert attribute in page
    assert "Saved." in page
    assert client.cookies["bower_look"]["httponly"]
    page = client.post("/you/table/", {"letters": "off"}, follow=True).content.decode()
    for attribute in ('data-theme="dark"', 'data-suits="four"', 'data-letters="off"'):
        assert attribute in page


def test_a_members_look_is_stored_with_the_account() -> None:
    maeve = member()
    one, other = logged_in(maeve), logged_in(maeve)
    other.cookies["bower_look"] = "dark"
    assert 'data-theme="dark"' in other.get("/").text, "the browser's, as long as none is kept"
    at_table = {"HX-Request": "true"}
    one.post("/you/look/", {"cloth": "wine", "confirm": "two"}, headers=at_table)
    one.post("/you/table/", {"speed": "fast"})
    for path in ("/", "/you/look/"):
        page = other.get(path).text
        for attribute in ('data-cloth="wine"', 'data-confirm="two"', 'data-speed="fast"'):
            assert attribute in page
        assert "data-theme" not in page
    assert 'data-cloth="wine"' not in Client().get("/").text
    assert 'data-cloth="wine"' not in logged_in(member("Ben")).get("/").text


def test_a_guests_look_is_kept_at_sign_up(client: Client) -> None:
    client.post("/you/look/", {"cloth": "wine"})
    fields = {"name": "Maeve", "email": "maeve@example.com", "password1": "a quiet bower"}
    client.post("/accounts/signup/", fields)
    elsewhere = logged_in(Player.objects.get(name="Maeve"))
    assert 'data-cloth="wine"' in elsewhere.get("/").text


def test_each_page_of_settings_has_one_form_with_one_button() -> None:
    browser = logged_in(member())
    hub = browser.get("/you/").text
    for path in ("/you/name/", "/you/record/", "/you/table/", "/you/look/"):
        assert f'href="{path}"' in hub
        main = browser.get(path).text.partition("<main")[2]
        assert main.count("<form") == main.count('type="submit"') == 1
        assert main.count('<fieldset class="choices">') <= 9


def test_the_country_is_on_the_page_of_the_name() -> None:
    maeve = member()
    logged_in(maeve).post("/you/name/", {"name": maeve.name, "country": "NZ"})
    maeve.refresh_from_db()
    assert maeve.country == "NZ"


def test_the_default_look_follows_the_device(client: Client) -> None:
    page = client.get("/you/").content.decode()
    assert "data-theme" not in page
    assert "data-suits" not in page


def test_an_unknown_look_is_refused(client: Client) -> None:
    fields = {"theme": "plaid", "suits": "four", "letters": "off"}
    assert client.post("/you/look/", fields).status_code == 422
    assert "bower_look" not in client.cookies


@pytest.mark.parametrize(
    ("text", "chosen_then"),
    [
        ("", {}),
        ("dark", {"theme": "dark"}),
        ("dark.four", {"theme": "dark", "suits": "four"}),
        ("plaid.four.on", {"suits": "four"}),
        ("dark.six.on", {"theme": "dark"}),
        ("a.b.c.d", {}),
        (".".join("x" * 40), {}),
    ],
)
def test_invalid_values_in_the_cookie_count_as_unset(
    text: str, chosen_then: dict[str, str]
) -> None:
    assert chosen(parse(text)) == chosen_then


def test_a_choice_at_the_table_changes_only_itself(client: Client) -> None:
    client.post("/you/look/", {"theme": "dark", "suits": "four", "letters": "off"})
    answer = client.post(
        "/you/look/", {"speed": "fast", "cloth": "wine"}, headers={"HX-Request": "true"}
    )
    assert answer.status_code == 204
    page = client.get("/you/").content.decode()
    for attribute in ('data-theme="dark"', 'data-letters="off"', 'data-speed="fast"',
                      'data-cloth="wine"'):  # fmt: skip
        assert attribute in page
    refused = client.post("/you/look/", {"speed": "warp"}, headers={"HX-Request": "true"})
    assert refused.status_code == 422
    assert "Choose one of those listed." in refused.content.decode()
    assert 'data-speed="fast"' in client.get("/you/").content.decode()


def as_guest(client: Client) -> Player:
    session = client.session
    guest = identity.make_guest(session)
    session.save()
    client.cookies["bower_session"] = str(session.session_key)
    return guest


def test_a_guest_can_change_the_name(client: Client) -> None:
    guest = as_guest(client)
    page = client.post("/you/name/", {"name": " Maeve "}, follow=True).content.decode()
    guest.refresh_from_db()
    assert guest.name == "Maeve"
    assert "You are Maeve." in page


def test_an_invalid_name_shows_an_error(client: Client) -> None:
    guest = as_guest(client)
    answer = client.post("/you/name/", {"name": "x" * 31})
    assert answer.status_code == 422
    assert 'id="id_name_error"' in answer.content.decode()
    guest.refresh_from_db()
    assert guest.name != "x" * 31


def test_a_name_is_escaped(client: Client) -> None:
    as_guest(client)
    page = client.post("/you/name/", {"name": "<b>Maeve</b>"}, follow=True).content.decode()
    assert "<b>Maeve" not in page
    assert "&lt;b&gt;Maeve" in page


def test_a_visitor_has_no_name(client: Client) -> None:
    assert client.post("/you/name/", {"name": "Maeve"}).headers["Location"] == "/you/"
    assert not Player.objects.exists()


def test_robots_and_manifest(client: Client) -> None:
    assert "Disallow: /accounts/" in client.get("/robots.txt").content.decode()
    manifest = json.loads(client.get("/site.webmanifest").content)
    assert manifest["name"] == "Bower"
    assert manifest["icons"][0]["src"].endswith(".svg")


def test_htmx_adds_no_inline_style_or_script() -> None:
    part = render_to_string("_htmx.html")
    assert '"includeIndicatorCSS": false' in part
    scripts = re.findall(r"<script ([^>]*)>(.*?)</script>", part, re.DOTALL)
    assert len(scripts) == part.count("<script") == 3
    assert all("src=" in attributes and not inside for attributes, inside in scripts)


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/", "/robots.txt", "/api/clubs", "/tables/1/"])
def test_an_unknown_host_gets_a_400(path: str) -> None:
    answer = Client(headers={"Host": "elsewhere.example"}).get(path)
    assert answer.status_code == 400
