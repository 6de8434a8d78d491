"""What goes over the socket: parts in their places, and answers."""

import json
import re

from games.picture.render import draw
from games.sockets.frames import answer_frame, frame, swaps
from tests.games.picture.scenes import SOUTH, deal, gathering, view


def test_a_frame_puts_each_part_in_its_place() -> None:
    parts = draw(view(deal(), SOUTH))
    sent = json.loads(frame(swaps(parts), version="1.18"))
    assert set(sent) == {"content", "version"}
    assert sent["version"] == "1.18"
    found = re.findall(
        r'<hx-partial hx-target="#([\w-]+)" hx-swap="outerMorph">(.*?)</hx-partial>',
        sent["content"],
        re.DOTALL,
    )
    assert dict(found) == parts


def test_a_frame_of_nothing_only_tells_the_version() -> None:
    assert json.loads(frame("", version="1.18")) == {"content": "", "version": "1.18"}


def test_a_frame_carries_any_name() -> None:
    names = ('Maeve "the ace"', "Бен", "Iris\\u2028", "</hx-partial>")
    shown = gathering(SOUTH)
    parts = {
        f"plate-{seat}": f'<div id="plate-{seat}">{name}</div>' for seat, name in enumerate(names)
    }
    sent = json.loads(frame(swaps(parts), version="1.1"))
    assert all(name in sent["content"] for name in names)
    assert "</hx-partial>" not in "".join(draw(shown).values())


def test_an_answer_names_the_decision_it_answers() -> None:
    answer = json.loads(answer_frame("abc", "illegal", "You must follow spades.", "1.18"))
    assert answer == {
        "answer": {"key": "abc", "kind": "illegal", "message": "You must follow spades."},
        "version": "1.18",
    }
