"""Golden transcripts: whole games that must always play the same.

A transcript is a game's text with comments between its lines. ``# shows:`` names what happens in
it, each ``# deal`` the line of the score sheet, and ``# end:`` how the game ended.
"""

from pathlib import Path

import pytest

from games.engine.game_notation import game_text
from games.engine.rules import RULE_SETS
from tests.engine.texts import WANTED, deal_line, end_line, parse_game, replay_record, situations

FILES = sorted((Path(__file__).parent / "golden").glob("*.txt"))
golden = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


def comments(path: Path, start: str) -> list[str]:
    """The comments of a transcript that start with a word."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line[2:] for line in lines if line.startswith(f"# {start}")]


@golden
def test_the_text_reads_back_byte_for_byte(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    said = "".join(line for line in lines if not line.startswith("#"))
    assert game_text(parse_game("".join(lines))) == said


@golden
def test_every_deal_ends_as_stated(path: Path) -> None:
    record = parse_game(path.read_text(encoding="utf-8"))
    game = replay_record(record)
    assert [deal_line(record.rules, line) for line in game.records] == comments(path, "deal ")
    assert game.standing.over
    assert [end_line(record.rules, game.standing)] == comments(path, "end: ")


@golden
def test_a_golden_game_shows_what_its_head_lists(path: Path) -> None:
    (shows,) = comments(path, "shows: ")
    found = situations(parse_game(path.read_text(encoding="utf-8")))
    assert set(shows.removeprefix("shows: ").split("; ")) == found


def test_together_they_show_every_situation() -> None:
    found = set()
    for path in FILES:
        found |= situations(parse_game(path.read_text(encoding="utf-8")))
    assert found == WANTED


def test_every_published_rule_set_has_a_transcript() -> None:
    played = {parse_game(path.read_text(encoding="utf-8")).rules for path in FILES}
    assert played >= set(RULE_SETS.values())
