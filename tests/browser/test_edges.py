"""Edges that stand in line: breadcrumbs, the rule above the foot, columns of panels."""

import pytest
from django.test import Client
from playwright.sync_api import Browser, Page

from tests.browser.test_times import opened
from tests.factories import logged_in
from tests.tournaments import build

pytestmark = pytest.mark.django_db

#: The gaps between the words of links and marks of a row.
GAPS = """row => {
  const boxes = [...document.querySelector(row).children].map((one) => {
    const range = document.createRange();
    range.selectNodeContents(one);
    return range.getBoundingClientRect();
  });
  return boxes.slice(1).map((box, at) => Math.round(box.left - boxes[at].right));
}"""
#: The left and right edges of an element, and of the widest panel.
SPANS = """() => [".foot", "main > .cols"].map((what) => {
  const { left, right } = document.querySelector(what).getBoundingClientRect();
  return [Math.round(left), Math.round(right)];
})"""
#: By how much one column of a page is longer than the other, as a share of the longer.
UNEVEN = """() => {
  const ends = [...document.querySelectorAll(".cols > *")].map(
    (one) => one.lastElementChild.getBoundingClientRect().bottom - one.getBoundingClientRect().top);
  return 1 - Math.min(...ends) / Math.max(...ends);
}"""


def shown(browser: Browser, html: str, width: int) -> Page:
    mark = '<span class="zone" data-shown hidden></span></body>'
    page = opened(browser, html.replace("</body>", mark), "UTC", "en-IE")
    page.set_viewport_size({"width": width, "height": 800})
    return page


@pytest.mark.parametrize("width", [390, 1280, 1900])
def test_breadcrumbs_are_even_and_the_foot_is_as_wide_as_the_page(
    browser: Browser, width: int
) -> None:
    club = build.club()
    page = shown(browser, Client().get(f"/clubs/{club.slug}/").text, width)
    assert set(page.evaluate(GAPS, ".crumbs")) == {8}
    foot, columns = page.evaluate(SPANS)
    assert foot == columns


def test_first_lines_of_the_first_page_are_level(browser: Browser) -> None:
    page = shown(browser, Client().get("/").text, 1280)
    tops = [
        page.locator(f"#{heading}").evaluate("one => one.getBoundingClientRect().top")
        for heading in ("next-events", "live")
    ]
    assert abs(tops[0] - tops[1]) <= 1


def test_the_columns_of_a_small_evening_end_near_one_another(browser: Browser) -> None:
    club = build.club(about="We play on Thursdays.")
    ada = build.director(club)
    for fields in ({"format": "single_elimination", "minimum": 2}, {"format": "rotation"}):
        event = build.event(club, **fields)
        build.enter(event, 8)
        build.begin(event)
    for path in (f"/clubs/{club.slug}/", f"/events/{event.pk}/manage/"):
        page = shown(browser, logged_in(ada).get(path).text, 1280)
        assert page.evaluate(UNEVEN) < 0.4, path
