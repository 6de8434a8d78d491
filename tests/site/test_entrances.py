"""Logging in, confirming an address and choosing a password, as people really do it: twice."""

import re

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from games.models import User
from tests.factories import PASSWORD, confirmed, logged_in, member

pytestmark = pytest.mark.django_db
SIGN_UP = {"name": "Maeve", "email": "maeve@example.org", "password1": PASSWORD}
LOGIN = {"login": "maeve@example.com", "password": PASSWORD}


def link_in(letter: mail.EmailMessage) -> str:
    (path,) = re.findall(r"https?://[^/]+(/accounts/\S+)", str(letter.body))
    return str(path)


def signed_up(browser: Client) -> str:
    """The link by which the address is confirmed."""
    browser.post("/accounts/signup/", SIGN_UP)
    return link_in(mail.outbox[-1])


def test_a_confirmation_link_says_the_same_a_second_time() -> None:
    browser = Client()
    link = signed_up(browser)
    pages = [browser.post(link, follow=True) for _ in range(2)]
    pages.append(browser.get(link, follow=True))
    for page in pages:
        assert page.status_code == 200
        assert "maeve@example.org is confirmed." in page.text
    assert pages[-1].redirect_chain == [(reverse("account_email"), 302)]
    elsewhere = Client().get(link, follow=True)
    assert elsewhere.redirect_chain == [(reverse("account_login"), 302)]
    assert "maeve@example.org is confirmed." in elsewhere.text


def test_a_link_that_is_wrong_or_old_says_what_to_do() -> None:
    browser = Client()
    link = signed_up(browser)
    wrong = browser.get(f"{link[:-3]}x/")
    assert "This link has been used, or is older than three days." in wrong.text
    EmailAddress.objects.all().delete()
    assert "This link has been used" in browser.get(link).text


def test_the_second_of_two_log_in_pages_goes_on_to_where_it_wanted() -> None:
    confirmed(member("Maeve"))
    browser = Client(enforce_csrf_checks=True)
    tokens = []
    for place in ("/clubs/", "/events/"):
        page = browser.get("/accounts/login/", {"next": place})
        tokens.append(re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text)[0])
    for place, token in zip(("/clubs/", "/events/"), tokens, strict=True):
        sent = browser.post(
            "/accounts/login/", LOGIN | {"next": place, "csrfmiddlewaretoken": token}
        )
        assert (sent.status_code, sent["Location"]) == (302, place)
    assert browser.get("/accounts/login/", {"next": "/play/"})["Location"] == "/play/"


def test_a_form_that_has_expired_leads_nowhere_else() -> None:
    browser = Client(enforce_csrf_checks=True)
    assert browser.post("/accounts/login/", LOGIN).status_code == 403
    member("Maeve")
    browser.force_login(User.objects.get())
    away = browser.post("/accounts/login/", {"next": "https://evil.example/"})
    assert away["Location"] == "/"
    assert browser.post("/accounts/logout/").status_code == 403


def test_well_known_addresses_lead_to_what_they_name() -> None:
    browser = logged_in(member("Maeve"))
    changing = browser.get("/.well-known/change-password", follow=True)
    assert changing.redirect_chain[0] == (reverse("account_change_password"), 302)
    icon = Client().get("/favicon.ico")
    assert icon.status_code == 302
    assert icon["Location"].endswith(".png")


#: The library's words, for which the site has its own.
OF_THE_LIBRARY = re.compile(
    r"\bemail\b|sign(?:ed)? (?:in|out)|two-factor|reauthenticate|verif|token|successfully",
    re.IGNORECASE,
)


def words_of(page: str) -> str:
    """What a reader sees of a page, without tags, and of a letter without links."""
    body = re.sub(r"(?s)<(script|style|head)\b.*?</\1>", " ", page)
    return re.sub(r"<[^>]+>|https?://\S+|/accounts/\S+", " ", body)


def assert_own_words(text: str) -> None:
    assert OF_THE_LIBRARY.findall(words_of(text)) == []


@pytest.mark.parametrize("verification", ["mandatory", "optional"])
def test_letters_of_accounts_are_in_the_sites_words(settings: Settings, verification: str) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = verification
    browser = Client()
    confirmed(member("Ben"))
    signed_up(browser)
    Client().post("/accounts/signup/", SIGN_UP | {"email": "ben@example.com", "name": "Otto"})
    for address in ("ben@example.com", "nobody@example.com"):
        Client().post("/accounts/password/reset/", {"email": address})
    assert len(mail.outbox) >= 3
    for letter in mail.outbox:
        assert_own_words(f"{letter.subject}\n{letter.body}")
        assert "Maeve" not in letter.body, "nobody writes words to a stranger"


def test_pages_of_accounts_are_in_the_sites_words() -> None:
    confirmed(member("Ben"))
    visitor, ben = Client(), Client()
    ben.post("/accounts/login/", LOGIN | {"login": "ben@example.com"})
    Client().post("/accounts/password/reset/", {"email": "ben@example.com"})
    link = link_in(mail.outbox[-1])
    for browser, path in (
        (visitor, "/accounts/login/"),
        (visitor, "/accounts/signup/"),
        (visitor, "/accounts/password/reset/"),
        (visitor, "/accounts/confirm-email/"),
        (visitor, "/accounts/confirm-email/x/"),
        (visitor, "/accounts/inactive/"),
        (visitor, link),
        (visitor, "/accounts/password/reset/key/1-x-y/"),
        (ben, "/accounts/email/"),
        (ben, "/accounts/password/change/"),
        (ben, "/accounts/reauthenticate/"),
        (ben, "/accounts/2fa/"),
        (ben, "/accounts/logout/"),
    ):
        page = browser.get(path, follow=True)
        assert page.status_code == 200, path
        assert_own_words(page.text)


def test_messages_of_accounts_are_in_the_sites_words() -> None:
    browser = Client()
    link = signed_up(browser)
    assert_own_words(browser.get(link).text)
    assert_own_words(browser.post(link, follow=True).text)
    logged_out = browser.post("/accounts/logout/", follow=True).text
    assert "You are logged out." in logged_out
    assert_own_words(logged_out)
    again = browser.post("/accounts/login/", LOGIN | {"login": SIGN_UP["email"]}, follow=True).text
    assert "You are logged in as Maeve." in again
    assert_own_words(again)
    wrong = Client().post("/accounts/login/", LOGIN | {"password": "x"}).text
    assert "No account has this address and this password." in wrong
