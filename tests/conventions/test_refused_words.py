"""What a form refuses is told in this site's words, in none of the sentences Django has for it.

The site's words are a catalogue of translations from Django's English into its own.
"""

import gettext
import re
from ast import literal_eval
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any, Final, cast

import allauth
import django
import pytest
from django import forms
from django.contrib import auth
from django.contrib.auth.password_validation import validate_password
from django.core.cache import cache
from django.core.validators import BaseValidator
from django.test import Client
from django.urls import get_resolver, reverse
from django.utils import timezone

from games.form_fields import MultilineField
from tests.factories import PASSWORD, logged_in, member
from tests.tournaments import build
from tournaments.setting_up.forms import EventForm

pytestmark = pytest.mark.django_db
WORDS: Final = Path(__file__).parents[2] / "euchre_site/locale/en/LC_MESSAGES"
#: Whose forms pages show.
OURS: Final = ("euchre_site.", "games.", "tournaments.", "allauth.")
#: No limit that a form names is larger, least of all the database's own, 9223372036854775807.
LARGEST: Final = 1_000_000


def catalogue(path: Path) -> dict[Any, str]:
    """The texts of a catalogue with what stands for them."""
    with path.open("rb") as file:
        found: dict[Any, str] = vars(gettext.GNUTranslations(file))["_catalog"]
    return found


def sentences() -> Iterator[str]:
    """All that the libraries say, by the texts they have translated into another language."""
    django_parts = (Path(django.__file__).parent / "conf", Path(auth.__file__).parent)
    for package in (*django_parts, Path(allauth.__file__).parent):
        for text in catalogue(package / "locale/de/LC_MESSAGES/django.mo"):
            yield text if isinstance(text, str) else text[0]


#: What passwords are is told beside the field, before anything is refused.
TOLD_BEFORE: Final = "Your password "
#: What is put into a sentence.
GAP: Final = re.compile(r"%\(\w+\)[a-z]|%[a-z]")
#: The longest part of each sentence in which nothing is put.
DEFAULTS: Final = {
    max(GAP.split(text), key=len)
    for text in sentences()
    if text.endswith(".") and " " in text and not text.startswith(TOLD_BEFORE)
}


def of_django(text: str) -> list[str]:
    """The sentences of Django in a text."""
    return [part for part in DEFAULTS if part in text]


class Anything(dict[str, int]):
    """Whatever is put into a sentence."""

    def __missing__(self, key: str) -> int:
        return 2


def said(message: Any) -> str:
    """A message as somebody may read it."""
    return str(message % Anything())


def subclasses(of: type[Any]) -> Iterator[type[Any]]:
    one: type[Any]
    for one in of.__subclasses__():
        yield one
        yield from subclasses(one)


def form_classes() -> list[type[forms.Form]]:
    """Every form of the site but the admin's, whose modules other tests may have loaded."""
    assert get_resolver().url_patterns  # all views are loaded, and so all forms
    classes = {
        f"{one.__module__}.{one.__qualname__}": one
        for one in subclasses(forms.BaseForm)
        if one.__module__.startswith(OURS) and not one.__module__.endswith(".admin")
    }
    return [classes[name] for name in sorted(classes)]


def fields_of(form: type[forms.Form]) -> dict[str, forms.Field]:
    """The fields of a form; an event's are put in their place as it is made."""
    if issubclass(form, EventForm):
        event = build.event()
        return form(event.club, timezone.now(), instance=event).fields
    return form.base_fields


def validators_of(field: forms.Field) -> list[BaseValidator]:
    """What refuses a value of a field; each has a message, and a few a limit."""
    return cast("list[BaseValidator]", field.validators)


def test_every_form_field_has_the_sites_own_messages() -> None:
    found: list[str] = []
    limits: list[tuple[str, int]] = []
    for form in form_classes():
        for name, field in fields_of(form).items():
            where = f"{form.__qualname__}.{name}"
            messages = [
                *field.error_messages.values(),
                *(
                    validator.message
                    for validator in validators_of(field)
                    if validator.code not in field.error_messages
                ),
            ]
            found += [f"{where}: {said(one)}" for one in messages if of_django(said(one))]
            given = (getattr(validator, "limit_value", None) for validator in field.validators)
            limits += [(where, limit) for limit in given if isinstance(limit, int)]
    assert found == []
    assert len(limits) > 20
    assert [(where, limit) for where, limit in limits if abs(limit) > LARGEST] == []


@pytest.mark.parametrize("password", ["x", "password", "maeve@example.com"])
def test_password_refusals_use_the_sites_own_messages(password: str) -> None:
    with pytest.raises(forms.ValidationError) as refused:
        validate_password(password, member().user)
    assert [words for words in refused.value.messages if of_django(words)] == []


@pytest.mark.parametrize("whose", ["nobody", "member"])
@pytest.mark.parametrize(
    "page",
    [
        "account_signup",
        "account_login",
        "account_reset_password",
        "account_change_password",
        "account_email",
        "account_reauthenticate",
        "mfa_activate_totp",
        "mfa_add_webauthn",
        "mfa_login_webauthn",
        "socialaccount_connections",
    ],
)
def test_no_account_page_shows_django_messages(page: str, whose: str) -> None:
    cache.clear()
    browser = logged_in(member()) if whose == "member" else Client()
    names = ("name", "email", "login", "oldpassword", "password", "password1", "password2", "code")
    for value in ("", "x", "x" * 500, "\0", "password", "maeve@example.com"):
        data = dict.fromkeys(names, value) | {"action_add": ""}
        answer = unescape(browser.post(reverse(page), data | {"oldpassword": PASSWORD}).text)
        assert of_django(answer) == []


def test_a_line_ends_with_one_character_as_in_the_browser() -> None:
    typed = "\n".join(["x" * 58] * 5) + "y" * 6
    assert len(typed) == 300
    sent = typed.replace("\n", "\r\n")
    assert MultilineField(max_length=300).clean(sent) == typed
    with pytest.raises(forms.ValidationError) as refused:
        MultilineField(max_length=300).clean(sent + "y")
    assert refused.value.messages == ["At most 300 characters; these are 301."]


def test_every_multiline_text_counts_line_ends_once() -> None:
    several = [
        (form, name, type(field))
        for form in form_classes()
        for name, field in fields_of(form).items()
        if isinstance(field.widget, forms.Textarea)
    ]
    assert len(several) >= 4
    assert [one for one in several if one[2] is not MultilineField] == []


def written() -> dict[Any, str]:
    """The catalogue as it is written, each text on a line of its own."""
    found: dict[Any, str] = {}
    text = ""
    for line in (WORDS / "django.po").read_text(encoding="utf-8").splitlines():
        match = re.fullmatch(r'(msgid|msgstr)(?:\[(\d)\])? (".+")', line)
        if match and match[1] == "msgid":
            text = literal_eval(match[3])
        elif match and text:
            found[(text, int(match[2])) if match[2] else text] = literal_eval(match[3])
    return found


def test_compiled_catalogue_matches_its_source() -> None:
    compiled = {text: words for text, words in catalogue(WORDS / "django.mo").items() if text}
    assert compiled == written(), "django-admin compilemessages, in euchre_site"


def test_every_catalogue_message_exists_in_django() -> None:
    known = {*sentences()}
    texts = {text if isinstance(text, str) else text[0] for text in written()}
    assert len(texts) > 10
    assert texts - known == set()


@pytest.mark.parametrize(
    "words",
    [
        "This field is required.",
        "Ensure this value has at most 300 characters (it has 304).",
        "Ensure this value is greater than or equal to 3.",
        "Select a valid choice. poker is not one of the available choices.",
        "Enter a valid URL.",
        "This password is too short. It must contain at least 8 characters.",
    ],
)
def test_django_message_is_recognised(words: str) -> None:
    assert of_django(f"<li>{words}</li>") != []
