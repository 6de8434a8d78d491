"""The word about oneself: its checks, who may write it, and where it is seen."""

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from games.models.people import ABOUT_LENGTH
from games.people import about
from tests.factories import logged_in, member, player


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("", ""),
        ("  Loves  a lone hand.\n", "Loves a lone hand."),
        ("Euchre since 1987, mostly in Ohio", "Euchre since 1987, mostly in Ohio"),
        ("10 points. Then tea!", "10 points. Then tea!"),
    ],
)
def test_what_can_be_written(text: str, kept: str) -> None:
    assert about.checked(text) == kept


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("x" * (ABOUT_LENGTH + 1), "length"),
        ("a\u200bb", "invisible"),
        ("a\u202eb", "invisible"),
        ("p\u0430ypal", "mixed"),
        ("see http://example.org", "link"),
        ("see www.example", "link"),
        ("see example.org", "link"),
        ("see example\uff0eorg", "link"),
        ("me@example", "link"),
    ],
)
def test_texts_too_long_unseen_mixed_or_with_links_are_refused(text: str, code: str) -> None:
    with pytest.raises(ValidationError) as error:
        about.checked(text)
    assert error.value.code == code


@given(st.text(max_size=60))
def test_what_is_kept_stays_as_it_is(text: str) -> None:
    try:
        kept = about.checked(text)
    except ValidationError:
        return
    assert about.checked(kept) == kept
    assert len(kept) <= ABOUT_LENGTH


@pytest.mark.django_db
def test_written_on_the_settings_page_and_read_on_the_profile() -> None:
    maeve = member("Maeve")
    browser = logged_in(maeve)
    fields = {"name": "Maeve", "country": "", "about": "I lead <b>trump</b>."}
    assert browser.post("/you/name/", fields).status_code == 302
    page = browser.get(f"/players/{maeve.pk}/").text
    assert "I lead &lt;b&gt;trump&lt;/b&gt;." in page
    answer = browser.post("/you/name/", {**fields, "about": "see example.org"})
    assert answer.status_code == 422
    assert "Links and addresses cannot be shown here." in answer.text
    maeve.refresh_from_db()
    assert maeve.about == "I lead <b>trump</b>."


@pytest.mark.django_db
def test_guests_have_no_word_about_themselves() -> None:
    otto = player("Otto")
    browser = logged_in(otto)
    assert "A few words about you" not in browser.get("/you/name/").text
    browser.post("/you/name/", {"name": "Otto", "country": "", "about": "Hello"})
    otto.refresh_from_db()
    assert otto.about == ""
