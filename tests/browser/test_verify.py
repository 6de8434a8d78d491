"""Verifying a match in the browser: a real game, a kept record, and what is wrong with others."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Request, expect

from games.engine.rules import CLASSIC_24
from games.files.record import write_record
from tests.browser.checks import covered, faint_in_any_scheme, fits, understandable
from tests.browser.conftest import MakePerson
from tests.browser.person import Person
from tests.browser.verifying import FITS, STEPS, choose, places, steps, verdict
from tests.chance import random_record

HOUSE = dict.fromkeys(("north", "east", "west"), "house")
NO_CRYPTO = "Object.defineProperty(globalThis.crypto, 'subtle', { value: undefined });"
#: As if East's commitment had stood there when this browser told its number.
SHOWN_ANOTHER = """key => { const kept = JSON.parse(localStorage.getItem(key));
  kept.frozen[1] = "ab".repeat(32);
  localStorage.setItem(key, JSON.stringify(kept)); }"""


#: Broken files: what is done to a record, the place that is named, and what is said of it.
BROKEN: tuple[tuple[Callable[[bytes], bytes], str, str], ...] = (
    (lambda _: b"Maeve won.", "line 1, column 1", "Expected a value here"),
    (lambda file: file[:700], "line 9, column 42, in players", "does not end"),
    (lambda file: file[:-3], "line", "not the end of the file"),
    (lambda file: file.replace(b'"version": 2', b'"version": 1'), "version", "Version 2"),
    (lambda _: b'{"fileType": "Euchre Game Notation"}', "format", "not a Bower game record"),
    (lambda _: b"[1, 2]", "format", "not a Bower game record"),
    (
        lambda file: file.replace(b"Maeve", b"Ma\xefve"),
        "line 8, column 31, in players",
        "UTF-8",
    ),
    (lambda file: file + b" " * 1_000_000, "kept.json", "at most 1,000,000 bytes"),
    (
        lambda file: file.replace(b": 4,", b":  4,", 1),
        "line 6, column 72, in rules",
        "Bower would write this differently",
    ),
    (lambda file: file.replace(b'"pack": 24', b'"pack": 23'), "rules.pack", "not 23"),
    (lambda file: b"\xef\xbb\xbf" + file, "line 1, column 1", "Expected a value here"),
    (lambda _: b"[" * 5000, "line 1, column 17", "nested too deeply"),
    (lambda _: b"", "line 1, column 1", "not the end of the file"),
)


@pytest.fixture
def record() -> bytes:
    """The record of a game that was never played on this site."""
    return write_record(random_record(CLASSIC_24, "kept"))


def test_a_game_played_here_is_verified_and_its_altered_record_is_not(
    person: MakePerson,
) -> None:
    maeve = person("Maeve")
    maeve.make_table("house-rules", seats=HOUSE, house_rules={"target": "1"})
    maeve.wait_until_live()
    while maeve.wait_for_turn() != "over":
        maeve.press(maeve.choices.first)
    page = maeve.page
    page.get_by_role("link", name="Score sheet").click()
    page.get_by_role("link", name="Verify this match").click()
    page.wait_for_url("**/games/*/verify/")
    verified = maeve.path
    assert verdict(page).startswith(FITS)
    assert steps(page) == dict.fromkeys(STEPS, "good")
    seats = page.locator('[data-step="seats"] .said')
    expect(seats).to_contain_text("Maeve contributed a number, as promised.")
    expect(seats).to_contain_text("This browser’s own number is in it: South.")
    expect(page.locator('[data-step="log"] .said')).to_contain_text("each contains the fingerprint")

    with page.expect_download() as download:
        page.get_by_role("link", name="The record", exact=True).click()
    kept = Path(download.value.path()).read_bytes()
    maeve.go("/fairness/verify/")
    choose(maeve, "kept.json", kept)
    assert verdict(page).startswith(FITS)
    assert steps(page) == dict.fromkeys(STEPS, "good")

    said = json.loads(kept)
    at = next(n for n, one in enumerate(said["events"]) if one["action"].startswith("play "))
    card = said["events"][at]["action"].encode()
    other = next(one for one in (b"play 9C", b"play AS", b"play KH") if one != card)
    before, line, after = kept.partition(b'"action": "' + card + b'"')
    choose(maeve, "altered.json", before + line.replace(card, other) + after)
    expect(page.locator("#verdict-words")).to_contain_text("Something is wrong")
    assert steps(page)["record"] == "bad"
    assert steps(page)["promise"] == "good"
    assert "events of hand 1" in places(page)

    shown_to_another_browser(person("Otto", account=False), verified)
    shown_without_scripts(person("Theo", account=False, java_script_enabled=False), verified)

    # That it is missing from the log is a fault.
    maeve.expected = ("404",)
    page.route("**/fairness/log/*.ndjson", lambda route: route.fulfill(status=404))
    maeve.go(verified)
    assert "Something is wrong" in verdict(page)
    assert places(page) == ["the log"]


def shown_to_another_browser(otto: Person, path: str) -> None:
    """A browser that has no number in the match verifies it too."""
    otto.go(path)
    assert verdict(otto.page).startswith(FITS)
    expect(otto.page.locator('[data-step="seats"]')).to_contain_text(
        "has no number stored for this match"
    )


def shown_without_scripts(theo: Person, path: str) -> None:
    """The values can be read, and it is said that only scripts can check them."""
    theo.go(path)
    page = theo.page
    without = page.locator("noscript p").filter(has_text="Scripts are switched off")
    expect(without).to_be_visible()
    expect(page.locator("#verdict")).to_be_hidden()
    page.get_by_text("The values: Every pack").click()
    expect(page.get_by_text("Pack, top first").first).to_be_visible()
    theo.go("/fairness/verify/")
    expect(without).to_be_visible()
    expect(page.get_by_label("The file")).to_be_hidden()


def test_running_game_is_verified_as_far_as_published(person: MakePerson) -> None:
    maeve = person("Maeve", account=False)
    maeve.expected = ("404",)  # the log may be a moment behind
    maeve.make_table("house-rules", seats=HOUSE, house_rules={"target": "10"})
    maeve.wait_until_live()
    maeve.wait_for_turn()
    (key,) = maeve.page.evaluate("() => Object.keys(localStorage)")
    maeve.go(f"/games/{key.split('.')[2]}/verify/")
    assert verdict(maeve.page).startswith("So far everything fits.")
    found = steps(maeve.page)
    assert [found[step] for step in ("seats", "mix", "log")] == ["good"] * 3
    assert {found[step] for step in STEPS if step not in ("seats", "mix", "log")} == {"open"}
    expect(maeve.page.locator('[data-step="seats"]')).to_contain_text("own number is in it: South")

    maeve.page.evaluate(SHOWN_ANOTHER, key)
    maeve.page.reload()
    assert "Something is wrong in one place." in verdict(maeve.page)
    assert places(maeve.page) == ["shuffle.commitments[1]"]
    assert steps(maeve.page)["seats"] == "bad"


def test_foreign_record_is_checked_without_the_log(person: MakePerson, record: bytes) -> None:
    maeve = person("Maeve", account=False)
    maeve.expected = ("404",)
    maeve.go("/fairness/verify/")
    choose(maeve, "kept.json", record)
    assert "not all of it could be compared with the public log" in verdict(maeve.page)
    found = steps(maeve.page)
    assert found.pop("log") == "open"
    assert set(found.values()) == {"good"}
    expect(maeve.page.locator('[data-step="log"]')).to_contain_text("has no entry for this match")


def test_a_broken_file_is_answered_with_its_place(person: MakePerson, record: bytes) -> None:
    maeve = person("Maeve", account=False)
    maeve.expected = ("404",)
    maeve.go("/fairness/verify/")
    for change, place, words in BROKEN:
        choose(maeve, "kept.json", change(record))
        verdict(maeve.page)
        assert maeve.page.locator("#verdict").get_attribute("data-state") == "bad"
        first = maeve.page.locator("#verdict-places li").first.inner_text()
        assert place in first
        assert words in first


def test_file_chosen_after_a_broken_one_is_checked_again(person: MakePerson, record: bytes) -> None:
    maeve = person("Maeve", account=False)
    maeve.expected = ("404",)
    maeve.go("/fairness/verify/")
    choose(maeve, "broken.json", record[:-20])
    assert "cannot be checked" in verdict(maeve.page)
    choose(maeve, "kept.json", record)
    expect(maeve.page.locator("#verdict-words")).to_contain_text("Everything in the record fits")
    assert not places(maeve.page)
    assert steps(maeve.page)["record"] == "good"


def test_chosen_file_is_not_uploaded(person: MakePerson, record: bytes) -> None:
    maeve = person("Maeve", account=False)
    maeve.expected = ("404",)
    maeve.go("/fairness/verify/")
    asked: list[Request] = []

    def note(request: Request) -> None:
        asked.append(request)

    maeve.page.on("request", note)
    choose(maeve, "kept.json", record)
    verdict(maeve.page)
    match = json.loads(record)["game"]["id"]
    assert [one.url.removeprefix(maeve.address) for one in asked if "/static/" not in one.url] == [
        f"/fairness/log/{match}.ndjson"
    ]
    assert {one.method for one in asked} == {"GET"}


def test_browser_without_web_crypto_is_told(person: MakePerson) -> None:
    maeve = person("Maeve", account=False)
    maeve.page.add_init_script(NO_CRYPTO)
    maeve.go("/fairness/verify/")
    assert "Use the script instead" in verdict(maeve.page)
    expect(maeve.page.get_by_label("The file")).to_be_disabled()


def test_unreachable_log_is_reported_without_a_fault(person: MakePerson, record: bytes) -> None:
    maeve = person("Maeve", account=False)
    maeve.expected = ("Failed to load resource",)
    maeve.page.route("**/fairness/log/**", lambda route: route.abort())
    maeve.go("/fairness/verify/")
    choose(maeve, "kept.json", record)
    assert "not all of it could be compared with the public log" in verdict(maeve.page)
    expect(maeve.page.locator('[data-step="log"]')).to_contain_text("could not be reached")


def test_contradicting_log_is_a_fault(person: MakePerson, record: bytes) -> None:
    data = json.loads(record)
    match = data["game"]["id"]
    line = {
        "place": 1, "at": "2026-01-02T03:04:05.678901Z", "kind": "revealed", "match": match,
        "state": "over",
        "secret": data["shuffle"]["secret"], "seal": "0" * 64, "previous": "0" * 64,
    }  # fmt: skip
    maeve = person("Maeve", account=False)
    maeve.page.route(
        "**/fairness/log*/**", lambda route: route.fulfill(body=json.dumps(line) + "\n")
    )
    maeve.page.route(
        "**/fairness/log.ndjson*", lambda route: route.fulfill(body=json.dumps(line) + "\n")
    )
    maeve.go("/fairness/verify/")
    choose(maeve, "kept.json", record)
    assert "Something is wrong in 3 places." in verdict(maeve.page)
    assert places(maeve.page) == ["seal in line 1 of the log", "the log", "the log"]
    assert steps(maeve.page)["log"] == "bad"


def test_the_verdict_is_spoken_once_and_the_values_open_by_key(
    person: MakePerson, record: bytes
) -> None:
    maeve = person("Maeve", account=False)
    maeve.expected = ("404",)
    maeve.go("/fairness/verify/")
    page = maeve.page
    assert page.get_by_role("status").count() == 1
    choose(maeve, "kept.json", record)
    verdict(page)
    page.get_by_text("The values: Every pack").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Pack, top first").first).to_be_visible()


def test_verify_page_is_accessible_on_a_phone(person: MakePerson, record: bytes) -> None:
    maeve = person("Maeve", account=False)
    maeve.expected = ("404",)
    maeve.go("/fairness/verify/")
    page = maeve.page
    for data in (record, record.replace(b"Maeve", b"Mavis"), record.replace(b"play", b"plai")):
        choose(maeve, "kept.json", data)
        verdict(page)
        page.evaluate("() => document.querySelectorAll('details').forEach(one => one.open = true)")
        for width in (320, 390, 1280):
            page.set_viewport_size({"width": width, "height": 844})
            assert fits(page) == covered(page) == []
        assert understandable(page) == faint_in_any_scheme(page) == []
