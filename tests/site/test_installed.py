"""The site as an app: its manifest and icons, and what its service worker keeps."""

import json
import re
from itertools import chain
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from PIL import Image

from euchre_site.pages import installed
from tests.factories import logged_in, member

pytestmark = pytest.mark.django_db


def constant(script: str, name: str) -> Any:
    found = re.search(rf"^const {name} = (.*?);", script, re.MULTILINE)
    assert found is not None
    return json.loads(found[1])


def test_the_icons_of_the_manifest_have_the_sizes_it_says(client: Client) -> None:
    icons = client.get("/site.webmanifest").json()["icons"]
    assert {"any", "maskable"} == {one.get("purpose", "any") for one in icons}
    for one in icons:
        path = finders.find(one["src"].removeprefix("/static/"))
        assert path, one
        if one["type"] == "image/png":
            with Image.open(path) as image:
                assert f"{image.width}x{image.height}" == one["sizes"]


def test_its_shortcuts_lead_somewhere(client: Client) -> None:
    for one in client.get("/site.webmanifest").json()["shortcuts"]:
        assert client.get(one["url"]).status_code == 200


class TestWorker:
    def test_it_may_serve_the_whole_site_and_is_always_asked_for(self, client: Client) -> None:
        answer = client.get("/worker.js")
        assert answer.headers["Content-Type"].startswith("text/javascript")
        assert "no-store" in answer.headers["Cache-Control"]

    def test_it_keeps_rules_and_lessons_and_nothing_else(self, client: Client) -> None:
        script = client.get("/worker.js").text
        groups = constant(script, "GROUPS").values()
        pages = [*constant(script, "SHELL"), *chain.from_iterable(groups)]
        assert {path.split("/")[1] for path in pages} == {"offline", "rules", "learn"}
        assert len(pages) == len(set(pages))
        for path in pages:
            assert client.get(path).status_code == 200, path

    def test_kept_pages_are_complete(self, client: Client) -> None:
        script = client.get("/worker.js").text
        files = constant(script, "FILES")
        pages = [
            *constant(script, "SHELL"),
            *(group[0] for group in constant(script, "GROUPS").values()),
        ]
        for path in pages:
            sheets = re.findall(r'<link rel="stylesheet" href="([^"]+)"', client.get(path).text)
            assert set(sheets) <= set(files), path

    def test_it_is_the_same_for_everybody(self, client: Client) -> None:
        assert client.get("/worker.js").text == logged_in(member()).get("/worker.js").text

    def test_its_cache_has_another_name_once_a_page_may_have_changed(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = constant(client.get("/worker.js").text, "KEPT")
        assert before == constant(client.get("/worker.js").text, "KEPT")
        monkeypatch.setattr(installed, "_source_digest", lambda: "another")
        assert constant(client.get("/worker.js").text, "KEPT") != before


def test_every_page_offers_the_app(client: Client) -> None:
    page = client.get("/").text
    assert 'rel="manifest"' in page
    assert "js/app.js" in page
