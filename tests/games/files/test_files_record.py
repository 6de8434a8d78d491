"""Bower's own record of a game: it reads back the same, and whatever is changed in it is found."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from random import Random
from typing import Any, Final, TypeAlias

import pytest

from games.engine.rules import CLASSIC_24, HEADS_UP, JOKER_33, STICK_THE_DEALER, RuleSet
from games.files.egn import write_egn
from games.files.played import PlayedGame
from games.files.ptn import write_ptn
from games.files.record import ABANDONED, RESIGNED, RecordedSitter, play, read_record, write_record
from games.files.sealing import sealed
from games.files.strict_json import FileError, UnsupportedGameError
from games.files.writing import write_json
from tests.chance import ALL_SOURCES, random_played, random_record, rules_of
from tests.loops import looped
from tests.volume import scaled


def changed(
    change: Callable[[dict[str, Any]], object],
    *,
    sealed_again: bool = False,
    rules: RuleSet = CLASSIC_24,
) -> str:
    """What a record is refused with after a change, its digests and seal repaired or not."""
    data = json.loads(write_record(random_record(rules, "a game")))
    change(data)
    with pytest.raises(FileError) as refused:
        read_record(write_json(sealed(data) if sealed_again else data))
    return str(refused.value)


@pytest.mark.parametrize("source", ALL_SOURCES)
def test_a_record_reads_back_the_same(source: str) -> None:
    for number in range(scaled(40)):
        seed = f"{source} {number}"
        record = random_record(rules_of(source, Random(seed)), seed)
        written = write_record(record)
        read = read_record(written)
        assert read == record
        assert write_record(read) == written


@pytest.mark.parametrize("source", ALL_SOURCES)
def test_a_game_given_up_at_any_moment_reads_back_the_same(source: str) -> None:
    for number in range(40):
        seed = f"{source} {number}"
        record = random_record(rules_of(source, Random(seed)), seed, events=number)
        assert record.state == ABANDONED or len(record.events) < number
        assert read_record(write_record(record)) == record


#: Hashes of records, EGN and PTN of one game each, or the reason that it cannot be written, made
#: before there were rules of clubs.
BEFORE: Final = {
    CLASSIC_24: ("ff9775571e11f9f1", "5940c51199d9191b", "f4d5c4beddcf7d54"),
    STICK_THE_DEALER: ("0f65be2f35d8af91", "88eb6097a8fde09f", "a50125fc86e9e6be"),
    JOKER_33: ("6a0d5b606afd9252", "2752f635452ad4c1", "49a1a855b0a4bcfd"),
    HEADS_UP: ("3ef5893b19b42b7a", "7c89cd187ab3636f", "d1e05523477a7850"),
}
#: The same of records of twenty house rule sets.
HOUSE_BEFORE: Final = "4936f33b179d9d12"


@pytest.mark.parametrize("rules", BEFORE, ids=lambda rules: rules.key)
def test_files_of_the_rules_before_are_the_same_to_the_byte(rules: RuleSet) -> None:
    def written(write: Callable[[PlayedGame], bytes]) -> bytes:
        try:
            return write(random_played(rules, "before"))
        except UnsupportedGameError as why:
            return str(why).encode()

    records = b"".join(write_record(random_record(rules, f"before {n}")) for n in range(3))
    found = [records, written(write_egn), written(write_ptn)]
    assert tuple(hashlib.sha256(one).hexdigest()[:16] for one in found) == BEFORE[rules]


def test_records_of_house_rules_before_are_the_same_to_the_byte() -> None:
    found = hashlib.sha256()
    for seed in (f"before {number}" for number in range(20)):
        found.update(write_record(random_record(rules_of("house rules", Random(seed)), seed)))
    assert found.hexdigest()[:16] == HOUSE_BEFORE


def test_a_side_that_resigned_has_lost() -> None:
    record = random_record(CLASSIC_24, "a game", events=9)._replace(state=RESIGNED, resigned=0)
    written = write_record(record)
    assert json.loads(written)["result"]["winner"] == 1
    assert read_record(written) == record
    assert play(record).resigned == 0


def test_what_is_replayed_is_what_was_played() -> None:
    record = random_record(JOKER_33, "a game")
    game = play(record)
    data = json.loads(write_record(record))
    assert [list(one.after.score) for one in game.deals] == [one["score"] for one in data["deals"]]
    assert game.standing.over
    assert max(game.standing.score) >= 7
    done = [action for one in game.deals for action in one.deal.actions]
    assert done == [event.action for event in record.events if str(event.action) != "next"]


def test_a_record_has_the_actor_and_time_of_every_event() -> None:
    record = random_record(CLASSIC_24, "a game")
    told = json.loads(write_record(record))["events"]
    assert [one["action"] for one in told] == [str(event.action) for event in record.events]
    assert told[0]["seat"] in ("North", "East", "South", "West")
    assert told[0]["at"].startswith("2026-11-19T20:23:")


Change: TypeAlias = Callable[[dict[str, Any]], object]


def other_seat(event: dict[str, Any]) -> None:
    """Let another seat do it."""
    event["seat"] = "North" if event["seat"] != "North" else "South"


def swap_cards(deal: dict[str, Any]) -> None:
    """Let the two cards on top of the pack change places."""
    one, other, *rest = deal["pack"].split()
    deal["pack"] = " ".join([other, one, *rest])


#: What has not the form of a record.
MALFORMED: Final[list[tuple[Change, str]]] = [
    (lambda d: d.update(version=1), "version: This must be 2, not 1."),
    (lambda d: d.update(extra=1), 'the file: Unknown key "extra"'),
    (lambda d: d.pop("events"), "the file: The key events is missing."),
    (lambda d: d.update(game=d.pop("game")), "the file: The keys here must be in the order"),
    (lambda d: d["game"].update(id="x"), "game.id: This must be a game’s id"),
    (lambda d: d["game"].update(started="yesterday"), "game.started: This must be a time"),
    (lambda d: d["rules"].update(target=0), 'rules: "target" a game needs 1 to 50 points'),
    (lambda d: d["rules"].pop("made"), "rules: The key made is missing."),
    (lambda d: d["players"][1].update(seat="West"), "players[1].seat: This must be one of East"),
    (lambda d: d["players"].pop(), "players: This list must have 4 entries, not 3."),
    (lambda d: d["shuffle"].update(secret="zz"), "shuffle.secret: This must be 64 digits"),
    (lambda d: d["shuffle"]["commitments"].pop(), "shuffle.commitments: This list must have 4"),
    (lambda d: d["shuffle"].update(flags=16), "shuffle.flags: This must be a whole number from 0"),
    (lambda d: d["deals"][0].update(dealer="Nobody"), "deals[0].dealer: This must be one of"),
    (lambda d: d["deals"][0].update(score=[1]), "deals[0].score: This list must have 2 entries"),
    (lambda d: d["events"][0].update(action="sing"), "events[0].action: 'sing' is not an action"),
    (lambda d: d["events"][0].update(at="2026-11-19 20:23"), "events[0].at: This must be a time"),
    (lambda d: d["events"][0].update(by="a ghost"), "events[0].by: This must be one of person"),
    (lambda d: d["events"][0].update(seat=None), "events[0].seat: Only the action next"),
    (lambda d: d["result"].update(winner=2), "result.winner: This must be a whole number"),
    (lambda d: d["digests"].update(game="00"), "digests.game: This must be 64 digits"),
    (lambda d: d.update(seal=None), "seal: This must be a text, not null."),
]

#: What has been altered and can be told by the digests and the seal.
ALTERED: Final[list[tuple[Change, str]]] = [
    (lambda d: d["game"].update(number=77), "game: This was altered: its digest, which is sealed"),
    (lambda d: d["game"].update(ended="2026-11-20T20:23:05.000000Z"), "game: This was altered"),
    (lambda d: d["table"].update(title="x"), "table or digests.table: One of these was altered"),
    (lambda d: d["players"][0].update(name="x"), "players or digests.players: One of these was"),
    (lambda d: d["rules"].update(name="x"), "rules: This was altered"),
    (lambda d: d["shuffle"].update(flags=15), "shuffle: This was altered"),
    (lambda d: d["deals"][2].update(dealer=d["deals"][1]["dealer"]), "deals[2]: This was altered"),
    (lambda d: d["events"][0].update(by="clock"), "events of hand 1: This was altered"),
    (lambda d: d["events"][-1].update(at=d["events"][0]["at"]), "events of hand"),
    (lambda d: d["result"].update(winner=None), "result: This was altered"),
    (lambda d: d["digests"].update(game="0" * 64), "digests.game: This digest was altered"),
    (lambda d: d["digests"]["deals"].reverse(), "digests.deals[0]: This digest was altered"),
    (lambda d: d.update(seal="0" * 64), "seal: This is not the seal over the digests."),
    (lambda d: d["deals"].pop(), "deals: There are"),
    (lambda d: d["digests"]["events"].pop(), "digests.events: There are"),
]

#: What contradicts the rest, though digests and seal are made to fit it.
FORGED: Final[list[tuple[Change, str]]] = [
    (lambda d: d["game"].update(state="abandoned"), "game.state: After its events the game is"),
    (lambda d: d["game"].update(state="resigned"), "game.state: After its events the game is"),
    (lambda d: d["shuffle"].update(secret="0" * 64), "shuffle.commitment: The secret is not the"),
    (lambda d: d["shuffle"].update(flags=15), "shuffle.flags: The numbers contributed give"),
    (lambda d: d["shuffle"].update(mixed="0" * 64), "shuffle.mixed: The numbers contributed give"),
    (
        lambda d: d["shuffle"].update(contributions=["1" * 64] * 4),
        "shuffle.contributions[0]: This is not the number this seat committed to.",
    ),
    (lambda d: swap_cards(d["deals"][0]), "deals[0].pack: Playing the events again makes this"),
    (lambda d: d["deals"][0].update(number=9), "deals[0].number: Playing the events again makes"),
    (lambda d: d["deals"][0]["result"].update(points=9), "deals[0].result.points: Playing the"),
    (lambda d: d["events"][0].update(action="play AS"), "events[0]: You cannot play AS now"),
    (lambda d: other_seat(d["events"][0]), "events[0]: It is "),
    (lambda d: d["events"][0].update(by="clock"), "events[0]: The table itself only cuts"),
    (lambda d: d["events"].pop(), "game.state: After its events the game is not over."),
    (lambda d: d["result"].update(winner=None), "result.winner: Playing the events again makes"),
]


@looped("change, refusal", MALFORMED + ALTERED)
def test_whatever_was_altered_is_refused_with_its_place(change: Change, refusal: str) -> None:
    assert refusal in changed(change)


@looped("change, refusal", FORGED)
def test_an_impossible_record_is_refused_though_it_was_sealed_again(
    change: Change, refusal: str
) -> None:
    assert refusal in changed(change, sealed_again=True)


def test_a_first_dealer_who_does_not_follow_is_found() -> None:
    def turn(data: dict[str, Any]) -> None:
        told = data["shuffle"]
        told["first_dealer"] = "South" if told["first_dealer"] != "South" else "East"

    assert "shuffle.first_dealer: The numbers" in changed(turn, sealed_again=True)


def test_a_cut_of_the_table_that_is_not_the_shuffle_s_is_found() -> None:
    def cut(data: dict[str, Any]) -> None:
        event = data["events"][0]
        other = 4 if event["action"] != "cut 4" else 5
        event.update(action=f"cut {other}", by="clock")

    refusal = changed(cut, sealed_again=True, rules=JOKER_33)
    assert "events[0]: The table’s own cut of this hand is" in refusal


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("{\n", "{\r\n", "line 1, column 2"),
        ('"version": 2', '"version":  2', "line 3, column 12"),
        ('"format"', '"f\\u006frmat"', "line 2, column 3"),
        ("{\n", "\ufeff{\n", "line 1, column 1"),
        ("{\n", "\n{\n", "line 1, column 1"),
    ],
)
def test_a_record_that_is_written_otherwise_is_refused(old: str, new: str, place: str) -> None:
    written = write_record(random_record(CLASSIC_24, "a game")).decode()
    assert old in written
    with pytest.raises(FileError, match=f"^{place}: Records are not written like this"):
        read_record(written.replace(old, new, 1).encode())


def test_a_record_without_its_last_line_break_is_refused() -> None:
    written = write_record(random_record(CLASSIC_24, "a game"))
    lines = written.count(b"\n")
    with pytest.raises(FileError, match="Records are not written like this") as refused:
        read_record(written[:-1])
    assert refused.value.place == f"line {lines}, column 2"


def test_the_seal_leaves_the_names_out() -> None:
    record = random_record(CLASSIC_24, "a game")
    other = record._replace(title="Other", sitters=(RecordedSitter("Otto", "person"),) * 4)
    one, two = (json.loads(write_record(each)) for each in (record, other))
    assert one["seal"] == two["seal"]
    assert one["digests"]["players"] != two["digests"]["players"]
    later = record._replace(number=record.number + 1)
    assert json.loads(write_record(later))["seal"] != one["seal"]


def test_a_digest_is_that_of_the_part_as_compact_json() -> None:
    """So that another program finds the same: the bytes hashed are written out here."""
    record = random_record(CLASSIC_24, "a game")._replace(title="“Löwen”")
    data = json.loads(write_record(record))
    hashed = 'EUF1.record.table{"title":"“Löwen”"}'.encode()
    assert data["digests"]["table"] == hashlib.sha256(hashed).hexdigest()
    of = data["digests"]
    parts = [of["game"], of["rules"], of["shuffle"], *of["deals"], *of["events"], of["result"]]
    whole = b"EUF1.record" + b"".join(map(bytes.fromhex, parts))
    assert data["seal"] == hashlib.sha256(whole).hexdigest()


def test_every_byte_counts() -> None:
    chance, written = Random(5), write_record(random_record(HEADS_UP, "a game"))
    for _ in range(300):
        at = chance.randrange(len(written))
        other = written[:at] + bytes([chance.randrange(32, 127)]) + written[at + 1 :]
        if other != written:
            with pytest.raises(FileError):
                read_record(other)
