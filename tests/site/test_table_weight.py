"""How much of our own a browser fetches for a table: style sheets and scripts, compressed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import brotli  # type: ignore[import-untyped]
import pytest
from django.conf import settings

from euchre_site.static_files.static_files import own_files

#: Bytes as transferred; what is added to a table has to be worth its weight, or load on demand.
LIMITS: Final = {"bundles/table.css": 15_200, "bundles/table.js": 15_000}
_PARTS: Final = re.compile(r'import "\.\./(\w+/[\w-]+\.\w+)";')


def weight(content: bytes) -> int:
    return len(brotli.compress(content))


@pytest.mark.parametrize("bundle", LIMITS)
def test_the_scripts_and_styles_of_a_table_stay_light(bundle: str) -> None:
    files = dict(own_files())
    over = weight(files[bundle]) - LIMITS[bundle]
    source = (Path(settings.STATICFILES_DIRS[0]) / bundle).read_text()
    parts = {name: weight(files[name]) for name in _PARTS.findall(source)}
    assert over <= 0, f"{bundle} is {over} bytes heavier than it may be; its parts alone: {parts}"
