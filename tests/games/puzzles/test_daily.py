"""The puzzle of the day: whose day it is, on which pages, and what its feed says."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
from django.test import Client

from games.puzzles import daily, feed, questions, views
from games.puzzles.collection import CAST, collection
from games.review import wording
from tests.factories import logged_in, member

ATOM = "{http://www.w3.org/2005/Atom}"
NOON = datetime(2026, 11, 29, 12, tzinfo=UTC)
pytestmark = pytest.mark.django_db


@pytest.fixture
def _noon(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (feed, views):
        monkeypatch.setattr(module, "timezone", SimpleNamespace(now=lambda: NOON))


def entries() -> list[dict[str, str]]:
    answer = Client().get("/puzzles/feed/")
    assert answer["Content-Type"].startswith("application/atom+xml")
    # Ours, not a stranger's.
    root = ElementTree.fromstring(answer.content)  # noqa: S314
    return [
        {one.tag.removeprefix(ATOM): one.text or "" for one in entry}
        for entry in root.iter(f"{ATOM}entry")
    ]


def test_each_has_its_day_before_the_first_comes_again() -> None:
    first = date(2026, 11, 29)
    numbers = [daily.puzzle_of(first + timedelta(days=day)).number for day in range(60)]
    assert sorted(numbers) == [*collection()]
    assert daily.puzzle_of(first + timedelta(days=60)).number == numbers[0]


def test_neighbouring_days_have_other_themes() -> None:
    first = date(2026, 11, 29)
    themes = [daily.puzzle_of(first + timedelta(days=day)).theme for day in range(60)]
    assert all(one != following for one, following in pairwise(themes))


def test_it_changes_at_midnight_utc() -> None:
    midnight = datetime(2026, 11, 30, tzinfo=UTC)
    before, after = daily.today(midnight - timedelta(seconds=1)), daily.today(midnight)
    assert (before, after) == (date(2026, 11, 29), date(2026, 11, 30))
    assert daily.puzzle_of(before) != daily.puzzle_of(after)


@pytest.mark.usefixtures("_noon")
def test_it_is_the_same_for_all_on_the_first_page() -> None:
    puzzle = daily.puzzle_of(NOON.date())
    asked, _more = questions.in_words(puzzle.decision.seen, CAST)
    for browser in (Client(), logged_in(member("Maeve"))):
        page = browser.get("/").text
        assert asked in page
        assert f"/puzzles/set/{puzzle.number}/" in page
        assert "Solve it" in page
        browser.post(f"/puzzles/set/{puzzle.number}/", {"show": "yes"})
        assert "See the answer" in browser.get("/").text


@pytest.mark.usefixtures("_noon")
def test_the_feed_has_no_answer_of_today_and_those_of_the_days_before() -> None:
    first, *older = entries()
    assert first["title"] == "Puzzle for Sunday 29 November"
    puzzle = daily.puzzle_of(NOON.date())
    asked, _more = questions.in_words(puzzle.decision.seen, CAST)
    why = wording.plain(questions.why(CAST, puzzle.decision, puzzle.judged))
    assert asked in first["summary"]
    assert "Best" not in first["summary"]
    assert why not in str(entries())
    assert len(older) == feed.DAYS - 1
    for back, entry in enumerate(older, start=1):
        puzzle = daily.puzzle_of(NOON.date() - timedelta(days=back))
        best = wording.in_words(puzzle.decision.seen, puzzle.judged.judgement.best)
        assert f"Best: {best}." in entry["summary"]


@pytest.mark.usefixtures("_noon")
def test_an_entry_is_new_once_a_day_and_changes_once() -> None:
    found = entries()
    assert len({one["id"] for one in found}) == feed.DAYS
    assert found[0]["published"] == found[0]["updated"] == "2026-11-29T00:00:00+00:00"
    assert found[1]["published"] == "2026-11-28T00:00:00+00:00"
    assert found[1]["updated"] == "2026-11-29T00:00:00+00:00"
