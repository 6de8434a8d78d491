"""What goes over a socket: parts in their places, and answers."""

import json
import re

from games.sockets.html_frames import answer_frame, changed, frame, swaps

PARTS = {"name": '<b id="name">Friday</b>', "score": '<p id="score">4\n</p>'}


def test_a_frame_puts_each_part_in_its_place() -> None:
    sent = json.loads(frame(swaps(PARTS), version="1.18"))
    assert set(sent) == {"content", "version"}
    assert sent["version"] == "1.18"
    found = re.findall(
        r'<hx-partial hx-target="#([\w-]+)" hx-swap="outerMorph">(.*?)</hx-partial>',
        sent["content"],
        re.DOTALL,
    )
    assert dict(found) == PARTS


def test_only_parts_that_have_changed_are_sent() -> None:
    after = PARTS | {"score": '<p id="score">5</p>', "mine": "<i></i>"}
    assert set(changed(PARTS, after)) == {"score", "mine"}
    assert changed(PARTS, dict(PARTS)) == {}


def table(*scores: int, name: str = "Round 1") -> dict[str, str]:
    """A part with a table whose rows have ids of their own."""
    rows = (f'<tr class="x" id="table-{n}"><td>{s}</td></tr>\n' for n, s in enumerate(scores))
    return {"pairings": f'<div id="pairings">{name}<table>{"".join(rows)}</table></div>'}


def test_only_changed_table_rows_are_sent() -> None:
    before, after = table(1, 2, 3, 4, 5), table(1, 2, 9, 4, 5)
    assert changed(before, after) == {"table-2": '<tr class="x" id="table-2"><td>9</td></tr>'}


def test_a_table_is_sent_whole_if_more_than_rows_changed() -> None:
    before = table(1, 2, 3, 4, 5)
    for after in (
        table(1, 2, 3, 4),
        table(1, 2, 3, 4, 5, 6),
        table(1, 2, 3, 4, 6, name="Round 2"),
        table(6, 7, 8, 9, 10),
    ):
        assert changed(before, after) == after


def test_an_empty_frame_has_only_the_version() -> None:
    assert json.loads(frame("", version="1.18")) == {"content": "", "version": "1.18"}


def test_a_frame_carries_any_name() -> None:
    names = ('Maeve "the ace"', "Бен", "Iris\\u2028", "</hx-partial>")
    parts = {
        f"plate-{seat}": f'<div id="plate-{seat}">{name}</div>' for seat, name in enumerate(names)
    }
    sent = json.loads(frame(swaps(parts), version="1.1"))
    assert all(name in sent["content"] for name in names)


def test_an_answer_names_the_decision_it_answers() -> None:
    answer = json.loads(answer_frame("abc", "illegal", "You must follow spades.", "1.18"))
    assert answer == {
        "answer": {"key": "abc", "kind": "illegal", "message": "You must follow spades."},
        "version": "1.18",
    }
