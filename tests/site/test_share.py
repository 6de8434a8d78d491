"""Sharing a link: its QR code and buttons."""

import re

import segno
from django.template.loader import render_to_string

from euchre_site.templatetags.look import qr

LINK = "https://bower.example.org/tables/7/join/a-word/"


def squares(svg: str) -> set[tuple[int, int]]:
    """Return column and row of a drawing's black squares, without the quiet zone of four."""
    path = re.search(r'stroke="#000" d="([^"]+)"', svg)
    assert path is not None
    found, x, y = set(), 0.0, 0.0
    for kind, numbers in re.findall(r"([Mmh])([-\d. ]+)", path[1]):
        first, *second = map(float, numbers.split())
        if kind == "h":
            found |= {(int(x) + step - 4, int(y) - 4) for step in range(int(first))}
            x += first
        else:
            at = (x, y) if kind == "m" else (0.0, 0.0)
            x, y = at[0] + first, at[1] + second[0]
    return found


def test_the_qr_code_contains_the_link() -> None:
    matrix = segno.make_qr(LINK, error="m").matrix
    dark = {(x, y) for y, row in enumerate(matrix) for x, bit in enumerate(row) if bit}
    assert squares(qr(LINK)) == dark
    assert squares(qr(f"{LINK}?")) != dark


def test_the_qr_code_is_on_white_in_dark_mode() -> None:
    assert re.search(r'<path fill="#fff" d="M0 0h\d+v\d+h-\d+z"', qr(LINK))


def test_links_are_escaped() -> None:
    html = render_to_string("_share.html", {"link": LINK, "label": "Link", "name": '"<b>'})
    assert f'value="{LINK}"' in html
    assert 'data-share="&quot;&lt;b&gt;"' in html
    assert "<b>" not in html
    assert html.count("<svg") == 4
