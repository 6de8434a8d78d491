"""Bower's own record of a game: it reads back the same, and whatever is changed in it is found."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from games.engine.rules import CLASSIC_24, HEADS_UP, JOKER_33
from games.files.problems import FileError
from games.files.reading import load
from games.files.record import ABANDONED, Record, play, write_record
from games.files.record_reading import read_record
from tests.games.recorded import GAMES, random_record
from tests.property.volume import SOURCES, rules_of


def again(data: Any) -> Record:
    """Read a record from JSON data."""
    return read_record(load(json.dumps(data).encode()))


def changed(change: Callable[[dict[str, Any]], object]) -> str:
    """What a record of a classic game is refused with after a change."""
    data = json.loads(write_record(random_record(CLASSIC_24, "a game")))
    change(data)
    with pytest.raises(FileError) as refused:
        again(data)
    return str(refused.value)


@pytest.mark.parametrize("source", SOURCES)
def test_a_record_reads_back_the_same(source: str) -> None:
    for number in range(GAMES):
        seed = f"{source} {number}"
        record = random_record(rules_of(source, Random(seed)), seed)
        written = write_record(record)
        read = read_record(load(written))
        assert read == record
        assert write_record(read) == written


@pytest.mark.parametrize("source", SOURCES)
def test_a_game_given_up_at_any_moment_reads_back_the_same(source: str) -> None:
    for number in range(40):
        seed = f"{source} {number}"
        record = random_record(rules_of(source, Random(seed)), seed, events=number)
        assert record.state == ABANDONED or len(record.events) < number
        assert read_record(load(write_record(record))) == record


def test_what_is_replayed_is_what_was_played() -> None:
    record = random_record(JOKER_33, "a game")
    game = play(record)
    data = json.loads(write_record(record))
    assert [list(one.after.score) for one in game.deals] == [one["score"] for one in data["deals"]]
    assert game.standing.over
    assert max(game.standing.score) >= 7
    done = [action for one in game.deals for action in one.deal.actions]
    assert done == [event.action for event in record.events if str(event.action) != "next"]


def test_a_record_tells_of_every_event_who_did_it_and_when() -> None:
    record = random_record(CLASSIC_24, "a game")
    told = json.loads(write_record(record))["events"]
    assert [one["action"] for one in told] == [str(event.action) for event in record.events]
    assert told[0]["seat"] in ("North", "East", "South", "West")
    assert told[0]["at"].startswith("2026-11-19T20:23:")


CHANGES: list[tuple[Callable[[dict[str, Any]], object], str]] = [
    (lambda d: d.update(version=2), "version: This must be 1, not 2."),
    (lambda d: d.update(extra=1), 'the file: There is no key "extra" here'),
    (lambda d: d.pop("events"), "the file: The key events is missing."),
    (lambda d: d["game"].update(id="x"), "game.id: This must be a game’s id"),
    (
        lambda d: d["game"].update(state="abandoned"),
        "game.state: After its events the game is over",
    ),
    (lambda d: d["game"].update(started="yesterday"), "game.started: This must be a time"),
    (lambda d: d["rules"].update(target=0), 'rules: "target" a game needs 1 to 50 points'),
    (lambda d: d["rules"].pop("made"), "rules: The key made is missing."),
    (lambda d: d["players"][1].update(seat="West"), "players[1].seat: This must be one of East"),
    (lambda d: d["players"].pop(), "players: This list must have 4 entries, not 3."),
    (lambda d: d["shuffle"].update(secret="00" * 32), "shuffle.commitment: The secret is not the"),
    (lambda d: d["shuffle"].update(secret="zz"), "shuffle.secret: This must be 64 digits"),
    (lambda d: d["deals"][0].update(dealer="Nobody"), "deals[0].dealer: Playing the events again"),
    (lambda d: d["deals"][0]["result"].update(points=9), "deals[0].result.points: Playing the"),
    (lambda d: d["deals"].pop(), "deals: This list must have"),
    (lambda d: d["events"][0].update(action="play AS"), "events[0]: You cannot play AS now"),
    (lambda d: d["events"][0].update(action="sing"), "events[0].action: 'sing' is not an action"),
    (lambda d: d["events"][0].update(at="2026-11-19 20:23"), "events[0].at: This must be a time"),
    (lambda d: d["events"][0].update(by="a ghost"), "events[0].by: This must be one of person"),
    (lambda d: d["events"][0].update(seat=None), "events[0].seat: Only the next hand is dealt"),
    (lambda d: d["events"].pop(), "game.state: After its events the game is not over."),
    (lambda d: d["result"].update(winner=None), "result.winner: Playing the events again makes"),
]


@pytest.mark.parametrize(("change", "refusal"), CHANGES)
def test_whatever_cannot_be_so_is_refused_with_its_place(
    change: Callable[[dict[str, Any]], object], refusal: str
) -> None:
    assert refusal in changed(change)


def test_an_event_by_another_seat_is_found() -> None:
    def swap(data: dict[str, Any]) -> None:
        seat = data["events"][0]["seat"]
        data["events"][0]["seat"] = "North" if seat != "North" else "South"

    assert "events[0]: It is " in changed(swap)


def test_a_pack_that_was_changed_is_found() -> None:
    def swap(data: dict[str, Any]) -> None:
        cards = data["deals"][0]["pack"].split()
        data["deals"][0]["pack"] = " ".join([cards[1], cards[0], *cards[2:]])

    assert "deals[0].pack: Playing the events again makes this" in changed(swap)


def test_changes_of_single_bytes_are_refused_or_change_nothing_that_can_be_checked() -> None:
    chance, written = Random(5), write_record(random_record(HEADS_UP, "a game"))
    free = ("at", "by", "name", "kind", "title", "number", "started", "ended")
    for _ in range(300):
        at = chance.randrange(len(written))
        other = written[:at] + bytes([chance.randrange(32, 127)]) + written[at + 1 :]
        try:
            record = read_record(load(other))
        except FileError:
            continue
        told, before = json.loads(write_record(record)), json.loads(written)
        assert told["deals"] == before["deals"]
        line = written[written.rfind(b"\n", 0, at) + 1 : written.find(b"\n", at)].decode()
        assert told == before or any(f'"{key}"' in line for key in free) or '"rules"' in line
