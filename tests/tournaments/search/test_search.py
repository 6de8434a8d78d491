"""Search finds by word beginnings, and never what a viewer may not see."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.db.models import Value
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from games.models import Player
from tests.factories import logged_in, member, player
from tests.tournaments import build
from tests.tournaments.build import club, joined
from tournaments.access import INVITED_KEY
from tournaments.models import Club, Event
from tournaments.search import views
from tournaments.search.folding import Folded, fold
from tournaments.search.searching import SEARCHES, Searcher, words_of

pytestmark = [pytest.mark.django_db, pytest.mark.db]


def found(kind: str, text: str, who: Player | None = None, *keys: str) -> list[str]:
    session = SessionStore()
    session[INVITED_KEY] = list(keys)
    rows = SEARCHES[kind](Searcher(who, session), words_of(text))
    return [one.name for one in rows]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Zoë Müller", "zoe"),
        ("Zoë Müller", "ZOË mul"),
        ("Zoë Müller", "müller zoe"),
        ("Straße", "strass"),
        ("Øyvind", "oyv"),
        ("Anne-Marie", "marie"),
        ("Sean O’Brien", "brien"),
        ("Ελένη", "ελενη"),
        ("Łukasz", "luk"),
        ("100%", "100"),
        ("李", "李"),
        ("Ｋit", "kit"),
    ],
)
def test_case_accents_and_word_beginnings(name: str, text: str) -> None:
    club(name)
    member("Nobody Else")
    Player.objects.filter(name="Nobody Else").update(name=name)
    assert found("clubs", text) == [name]
    assert found("people", text) == [name]


@pytest.mark.parametrize("text", ["oe", "mulx", "zoe anna", "%%", "zoe %"])
def test_the_middle_of_a_word_and_signs_of_patterns_find_nothing(text: str) -> None:
    club("Zoë Müller")
    assert found("clubs", text) == []
    assert words_of(text)


@pytest.mark.parametrize("text", ["", " ", "z", "-", "\0", "z."])
def test_too_short_a_search(text: str) -> None:
    club("Zoë")
    assert words_of(text) == []
    page = Client().get("/search/", {"q": text})
    assert page.status_code == 200
    assert "Zoë" not in page.text


def test_clubs_by_invitation_and_closed_ones_are_found_by_theirs_alone() -> None:
    mill = club("Mill", joining=Club.Joining.INVITATION)
    shut = club("Mill of yore", closed=build.NOON)
    inside, outside = member("Ben"), member("Otto")
    for one in (mill, shut):
        joined(one, inside)
        build.event(one, name=f"Night of {one}")
    assert found("clubs", "mill") == found("clubs", "mill", outside) == []
    assert found("events", "night") == found("events", "night", outside) == []
    assert found("clubs", "mill", inside) == ["Mill"]
    assert found("clubs", "mill", None, mill.invite_token) == ["Mill"]
    assert found("events", "night", inside) == ["Night of Mill"]


def test_drafts_are_not_found() -> None:
    mill = club("Mill")
    build.event(mill, name="Secret night", state=Event.State.DRAFT)
    assert found("events", "secret", build.director(mill)) == []


def test_events_by_their_club_and_those_to_come_first() -> None:
    mill = club("Mill")
    for days, (name, state) in enumerate(
        [
            ("Past", Event.State.FINISHED),
            ("Called off", Event.State.CANCELLED),
            ("Next", Event.State.REGISTRATION),
        ]
    ):
        build.event(mill, name=name, state=state, starts=build.NOON + timedelta(days=days))
    assert found("events", "mill") == ["Next", "Past", "Called off"]
    assert found("events", "mill ne") == ["Next"]


def test_private_people_are_found_by_themselves_and_their_clubs() -> None:
    maeve, ben, otto = member("Maeve"), member("Ben"), member("Otto")
    Player.objects.filter(pk=maeve.pk).update(private=True)
    mill = club()
    for one in (maeve, ben):
        joined(mill, one)
    assert found("people", "maeve") == found("people", "maeve", otto) == []
    assert found("people", "maeve", ben) == found("people", "maeve", maeve) == ["Maeve"]
    Club.objects.update(closed=build.NOON)
    assert found("people", "maeve", ben) == []


def test_guests_house_players_former_and_closed_accounts_are_not_found() -> None:
    player("Kit Guest")
    Player.objects.create(name="Kit House", kind=Player.Kind.HOUSE)
    Player.objects.create(name="Kit Former", former=True)
    banned = member("Kit Banned")
    assert banned.user is not None
    banned.user.is_active = False
    banned.user.save()
    Player.objects.create(name="Kit Bot", kind=Player.Kind.PROGRAM, owner=member("Kit"))
    assert found("people", "kit") == ["Kit", "Kit Bot"]


def test_the_best_match_is_first() -> None:
    friend, viewer = member("Anna Ben"), member("Otto")
    for name in ("Ben Adams", "Ben", "Zara Ben"):
        member(name.replace(" ", ""))
        Player.objects.filter(name=name.replace(" ", "")).update(name=name)
    assert found("people", "ben") == ["Ben", "Ben Adams", "Anna Ben", "Zara Ben"]
    Player.objects.filter(pk=friend.pk).update(name="Zoe Ben")
    mill = club()
    joined(mill, friend)
    joined(mill, viewer)
    assert found("people", "ben", viewer) == ["Ben", "Ben Adams", "Zoe Ben", "Zara Ben"]


def test_the_page_with_and_without_scripts() -> None:
    mill = club("Mill")
    for number in range(25):
        club(f"Mill {number:02}")
    build.event(mill)
    browser = Client()
    page = browser.get("/search/", {"q": "mill"})
    assert "All 26 clubs" in page.text
    assert page.text.count('href="/clubs/mill') == 5
    part = browser.get("/search/", {"q": "mill"}, headers={"HX-Request": "true"})
    assert "<html" not in part.text
    assert 'id="found"' in part.text
    clubs = browser.get("/search/", {"q": "mill", "what": "clubs", "page": "2"})
    assert "Mill 24" in clubs.text
    assert "what=clubs&amp;page=1" in clubs.text or "page=1" in clubs.text
    nothing = browser.get("/search/", {"q": "<b>xyz", "what": "cats"})
    assert "Nothing is called “&lt;b&gt;xyz”" in nothing.text
    assert 'action="/search/"' in browser.get("/").text


def test_too_many_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "OF_PLAYER", 2)
    browser = logged_in(member())
    answers = [browser.get("/search/", {"q": "mill"}).status_code for _ in range(3)]
    assert answers == [200, 200, 429]
    by_script = browser.get("/search/", {"q": "mill"}, headers={"HX-Request": "true"})
    assert by_script.status_code == 429
    assert "Wait a little" in by_script.text
    assert logged_in(member("Ben")).get("/search/", {"q": "mill"}).status_code == 200


def test_a_search_takes_few_queries(django_assert_max_num_queries: Any) -> None:
    for number in range(20):
        build.event(club(f"Mill {number}"))
    browser = Client()
    browser.get("/")
    with django_assert_max_num_queries(8):
        browser.get("/search/", {"q": "mill"})


#: Latin, Greek and Cyrillic letters with their marks, and signs.
LETTERS = st.one_of(
    st.characters(min_codepoint=0x20, max_codepoint=0x17F, exclude_categories=["Cc"]),
    st.characters(min_codepoint=0x300, max_codepoint=0x36F),
    st.characters(min_codepoint=0x386, max_codepoint=0x3CE, categories=["L"]),
    st.characters(min_codepoint=0x400, max_codepoint=0x45F, categories=["L"]),
    st.sampled_from("’‘–Ｋ％ﬁẞ"),
)


class TestFolding(TestCase):
    @given(st.text(LETTERS, min_size=1, max_size=20))
    def test_the_database_folds_as_python_does(self, text: str) -> None:
        club("Any")
        row = Club.objects.annotate(folded=Folded(Value(text))).get()
        assert row.folded == fold(text)
