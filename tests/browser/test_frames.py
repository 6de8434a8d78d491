"""A club's results in a frame of its own web site, and of another."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.checks import faint_in_any_scheme, fits, understandable
from tests.browser.club_night import found_club
from tests.browser.conftest import MakePerson


def test_only_the_named_site_may_show_it(person: MakePerson) -> None:
    maeve = person("Maeve")
    club = found_club(maeve)
    page = maeve.page
    maeve.go(f"{club}settings/")
    page.get_by_label("Web sites that may show").fill("https://mill.example/results")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".notes")).to_contain_text("The settings have been saved")
    maeve.go(f"{club}settings/")
    code = page.get_by_label("Code for your web site").input_value()
    assert f'src="{maeve.address}{club}frame/"' in code

    visitor = person("Nobody", account=False)
    visitor.expected = ("frame-ancestors", "ERR_BLOCKED_BY_RESPONSE", "violates the following")
    visitor.context.grant_permissions(["local-network-access"])  # the server has a local address
    outside = visitor.context.new_page()
    outside.route(
        "https://*.example/", lambda route: route.fulfill(body=code, content_type="text/html")
    )
    outside.goto("https://mill.example/")
    frame = outside.frame_locator("iframe")
    expect(frame.get_by_role("heading", name="Next events")).to_be_visible()
    with visitor.context.expect_page() as opened:
        frame.get_by_role("link", name="More at Bower").click()
    expect(opened.value).to_have_url(f"{maeve.address}{club}")
    outside.goto("https://thief.example/")
    expect(frame.get_by_role("heading", name="Next events")).to_have_count(0)

    visitor.go(f"{club}frame/")
    assert understandable(visitor.page) == []
    assert faint_in_any_scheme(visitor.page) == []
    visitor.page.set_viewport_size({"width": 320, "height": 700})
    assert fits(visitor.page) == []
