"""The script that checks records without anything of this project, and against the public log."""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone

from games.engine.rules import (
    BRITISH,
    CLASSIC_24,
    HEADS_UP,
    JOKER_33,
    NO_FACE,
    RULE_SETS,
    STICK_THE_DEALER,
    RuleSet,
)
from games.fairness.views import SCRIPT
from games.files.record import RESIGNED, read_record, write_record
from games.files.sealing import sealed
from games.files.strict_json import FileError
from games.files.writing import write_json
from games.models import Game
from games.records import game_files
from tests.chance import CLUB_33, random_record
from tests.factories import cast, table
from tests.games.verifying import (
    CLUB_FORGERIES,
    Altered,
    alterations,
    club_forgery,
    club_record,
    faults,
    faults_with_log,
    forgeries,
    is_folded_after_naming,
    log_of,
    originals,
    run,
    script,
)
from tests.volume import volume

# The shuffle ----------------------------------------------------------------------------------

MATCH: Final = bytes(range(16))
SECRET: Final = b"\xa5" * 32
MIXED_OF_FOUR: Final = "5d1c75a61eb6caaae81bc6b1747fc4c861e7b23ab485e05f11d55e7e375ccf2b"
MIXED_OF_TWO: Final = "efa6eb996ebf8a01465ce6f06fb886673b6568a153fb5c8cf9b2b95ba79b1f62"


class Vector(NamedTuple):
    """What the shuffle of ``MATCH`` and ``SECRET`` gives; ``north`` is North's hand, sorted."""

    rules: RuleSet
    mixed: str
    dealer: str
    cut: int
    pack: str
    turn_up: str
    north: str


VECTORS: Final = [
    Vector(
        rules=CLASSIC_24,
        mixed=MIXED_OF_FOUR,
        dealer="North",
        cut=0,
        pack="TD 9S QS AH AD 9H AS KH KS QC JC JS AC 9D QH QD TH TS JD JH TC KD 9C KC",
        turn_up="TC",
        north="JC JD JH JS QC",
    ),
    Vector(
        rules=JOKER_33,
        mixed=MIXED_OF_FOUR,
        dealer="North",
        cut=16,
        pack="7D TC AS KC 8H KD 9D 7S 8S JH Jo AD QS 9C TS QD QH AH 7H JC KS 9S AC JS JD 9H QC TD "
        "8D 8C KH 7C TH",
        turn_up="KC",
        north="9H AS QC TC TD",
    ),
    Vector(
        rules=HEADS_UP,
        mixed=MIXED_OF_TWO,
        dealer="South",
        cut=0,
        pack="AD TS JS JH KS QS KH TC JC TD KD KC AH 9C 9S AC JD QH TH 9H AS QC QD 9D",
        turn_up="KD",
        north="AD JC JS KH KS",
    ),
]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.rules.key)
def test_the_published_vectors(vector: Vector) -> None:
    rules = vector.rules
    data = json.loads(write_record(random_record(rules, "vectors", events=0)))
    commitment = script.h("EUF1.commit", MATCH, SECRET)
    numbers = [bytes([seat + 1]) * 32 for seat in range(rules.players)]
    promised = [
        script.h("EUF1.client", MATCH, commitment, bytes([seat]), number).hex()
        for seat, number in enumerate(numbers)
    ]
    assert commitment.hex() == "de7683e474b143d790a63590af8f1705251966a1a79b1884591d47eb38d17cea"
    data["game"]["id"] = "00010203-0405-0607-0809-0a0b0c0d0e0f"
    data["shuffle"].update(
        commitment=commitment.hex(), secret=SECRET.hex(), commitments=promised, flags=0,
        contributions=[number.hex() for number in numbers], mixed=vector.mixed,
        first_dealer=vector.dealer,
    )  # fmt: skip
    data["deals"][0].update(pack=vector.pack, dealer=vector.dealer)
    if rules.cut:
        cut = {"seat": "West", "by": "clock", "action": f"cut {vector.cut}"}
        data["events"] = [{"at": data["game"]["ended"], **cut}]
    assert faults(write_json(sealed(data))) == []
    (hand,) = script.hands_of(data)
    assert hand.cut == vector.cut
    hands, (turned, *_) = script.dealt(data, hand)
    assert (" ".join(sorted(hands["North"])), turned) == (vector.north, vector.turn_up)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.rules.key)
def test_the_document_has_the_same_vectors(vector: Vector) -> None:
    told = Path(settings.BASE_DIR, "docs", "fairness.md").read_text()
    assert vector.mixed in told
    assert vector.pack in told


# Records --------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", RULE_SETS)
def test_a_record_that_is_right(source: str) -> None:
    for number in range(10):
        for events in (None, 3 * number):
            record = random_record(RULE_SETS[source], f"script {number}", events=events)
            assert faults(write_record(record)) == []


def test_a_record_of_club_rules_that_is_right() -> None:
    said: set[str] = set()
    for number in range(volume(60, 60, 1000)):
        written = club_record(number)
        assert faults(written) == []
        said |= {one["action"].split(" ")[0] for one in json.loads(written)["events"]}
    assert said >= {"decline", "swap", "fold", "give", "best", "defend"}


@pytest.mark.parametrize("rules", [replace(BRITISH, fold=NO_FACE), CLUB_33])
def test_a_hand_folded_after_its_joker_was_named_has_no_makers(rules: RuleSet) -> None:
    seeds = (f"folded {at}" for at in count())
    seed = next(one for one in seeds if is_folded_after_naming(rules, one))
    written = write_record(random_record(rules, seed))
    result = json.loads(written)["deals"][0]["result"]
    assert (result["outcome"], result["makers"]) == ("folded", None)
    assert faults(written) == []


@pytest.mark.parametrize("kind", CLUB_FORGERIES)
def test_a_forged_record_of_club_rules_is_refused_and_the_place_named(kind: str) -> None:
    original, forged = club_forgery(kind)
    assert faults(original) == []
    places = [place for place, _ in faults(forged)]
    assert places
    assert all(place.startswith(("events[", "deals[")) for place in places)
    with pytest.raises(FileError):
        read_record(forged)


@pytest.mark.parametrize("part", range(4))
def test_whatever_is_altered_is_found_and_named(part: int) -> None:
    for altered in alterations(250, f"script {part}"):
        found = faults(altered.data)
        assert found, altered.kind
        assert any(altered.is_named_by(*fault) for fault in found), (altered.kind, found)


#: The parts in which the shuffle or the rules tell of a change that was sealed again.
TELLING: Final = ("deals", "shuffle", "result")


def told_by_recomputing(forged: Altered) -> bool:
    """Whether a forgery is in what the shuffle gives, or in a card that was moved."""
    told, before = json.loads(forged.data), json.loads(forged.original)
    if forged.part == "deals":
        keys = ("number", "dealer", "pack", "result", "score")
        pairs = zip(told["deals"], before["deals"], strict=True)
        return any(one[key] != other[key] for one, other in pairs for key in keys)
    if forged.part == "events":
        pairs = zip(told["events"], before["events"], strict=True)
        actions = [(one["action"], two["action"]) for one, two in pairs]
        return any(one != two and "play" in one + two for one, two in actions)
    return forged.part == "shuffle"


def test_forgeries_are_found_by_recomputing_or_by_the_logged_seal() -> None:
    """Digests and seal fit again: then the shuffle tells, or only what the log said before."""
    only_by_log = 0
    for forged in forgeries(300, "forged"):
        log, found = log_of(forged.original), faults(forged.data)
        if told_by_recomputing(forged):
            assert found, forged.part
        if not found and forged.part in ("players", "table"):
            assert faults_with_log(forged.data, log) == []  # names are outside of the seal
        elif not found:
            only_by_log += 1
            assert faults_with_log(forged.data, log) != []
    assert only_by_log


@pytest.mark.parametrize("winner", [0, 1, None])
@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=list(RULE_SETS))
def test_a_winner_that_contradicts_the_score_is_found(rules: RuleSet, winner: int | None) -> None:
    for events in (None, 3):
        data = json.loads(write_record(random_record(rules, "won", events=events)))
        right = data["result"]["winner"]
        assert (right is None) == (events is not None)
        data["result"]["winner"] = winner
        found = [place for place, _ in faults(write_json(sealed(data)))]
        assert found == ([] if winner == right else ["result.winner"])


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=list(RULE_SETS))
def test_a_game_that_was_resigned_is_won_by_the_other_side(rules: RuleSet) -> None:
    begun = random_record(rules, "resigned", events=3)
    written = write_record(begun._replace(state=RESIGNED, resigned=1))
    assert faults(written) == []
    data = json.loads(written)
    data["result"]["winner"] = None
    assert [place for place, _ in faults(write_json(sealed(data)))] == ["result.winner"]
    data = json.loads(write_record(random_record(rules, "won")))
    data["game"]["state"] = RESIGNED
    assert [place for place, _ in faults(write_json(sealed(data)))] == ["result.winner"]


def swap_cards(deal: dict[str, Any]) -> None:
    """Let the two cards on top of the pack change places."""
    one, other, *rest = deal["pack"].split()
    deal["pack"] = " ".join([other, one, *rest])


def play_another(data: dict[str, Any]) -> None:
    """Let a card be played that its player was not dealt: the one that another plays next."""
    at = next(at for at, one in enumerate(data["events"]) if one["action"].startswith("play"))
    data["events"][at]["action"] = data["events"][at + 1]["action"]


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda data: swap_cards(data["deals"][1]), "deals[1].pack"),
        (lambda data: data["shuffle"].update(first_dealer="Nobody"), "shuffle.first_dealer"),
        (play_another, "events["),
        (lambda data: data["deals"][0].update(score=[3, 0]), "deals[0].score"),
    ],
    ids=["pack", "first dealer", "card played", "score"],
)
def test_forged_consequences_are_found_in_a_resealed_record(
    change: Callable[[dict[str, Any]], object], place: str
) -> None:
    data = json.loads(write_record(random_record(CLASSIC_24, "a game")))
    change(data)
    found = [where for where, _ in faults(write_json(sealed(data)))]
    assert any(where.startswith(place) for where in found)
    assert "seal" not in found


def test_only_the_log_reveals_a_new_seal() -> None:
    original = write_record(random_record(CLASSIC_24, "a game"))
    data = json.loads(original)
    data["game"]["started"] = "2026-11-18T20:23:00.000000Z"
    forged = write_json(sealed(data))
    assert faults(forged) == []
    assert faults_with_log(original, log_of(original)) == []
    assert faults_with_log(forged, log_of(original)) == ["seal in line 3 of the log"]


@pytest.mark.django_db
def test_a_game_given_up_is_checked_too() -> None:
    at = table(*cast())
    Game.objects.update(state=Game.State.ABANDONED, ended=timezone.now())
    assert faults(game_files.record_file(at.games.get())) == []


# The command ----------------------------------------------------------------------------------


def test_the_command_says_what_is_right_and_what_it_cannot_prove(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_bytes(originals()[0])
    done = run(path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "WRONG" not in done.stdout
    assert "ok     The server’s secret is the one it promised" in done.stdout
    assert "North (Maeve) contributed" in done.stdout
    assert "What cannot be proven: that nobody who runs the server looked" in done.stdout
    log = tmp_path / "log.ndjson"
    log.write_bytes(log_of(originals()[0]))
    assert run(path, "--log", log).returncode == 0


def test_the_command_names_what_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_bytes(originals()[0].replace(b"Maeve", b"Mavis"))
    done = run(path)
    assert (done.returncode, done.stderr) == (1, "")
    assert "WRONG  Every part matches its digest" in done.stdout
    assert "       players or digests.players: One of these was altered." in done.stdout
    log = tmp_path / "log.ndjson"
    log.write_bytes(log_of(originals()[0]))
    path.write_bytes(originals()[1])
    done = run(path, "--log", log)
    assert done.returncode == 1
    assert "WRONG  The log agrees with the record" in done.stdout


def test_a_value_that_cannot_be_is_shown() -> None:
    data = json.loads(originals()[0])
    data["shuffle"]["flags"], data["events"][3]["action"] = "none", "sing"
    assert faults(write_json(data)) == [
        ("shuffle.flags", '"none" is not allowed here.'),
        ("events[3].action", '"sing" is not allowed here.'),
    ]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda _record: b"", "line 1, column 1: This is not JSON"),
        (lambda _record: b"\xff", "byte 0: This is not UTF-8 text."),
        (lambda _record: b"[]", "the file: A record is a JSON object."),
        (lambda _record: b"{}", "format: Only a Bower game record of version 2 can be read."),
        (lambda _record: b"[" * 100_000, "the file: This JSON cannot be read."),
        (lambda _record: b"9" * 5000, "the file: "),
        (
            lambda record: record.replace(b'"version": 2', b'"version": 1'),
            "version: Only a Bower game",
        ),
        (lambda record: record[:-3], "line "),
    ],
    ids=["empty", "not UTF-8", "list", "other", "deep", "number", "version 1", "cut off"],
)
def test_the_command_says_what_it_cannot_read(
    change: Callable[[bytes], bytes], words: str, tmp_path: Path
) -> None:
    path = tmp_path / "record.json"
    path.write_bytes(change(originals()[0]))
    done = run(path)
    assert (done.returncode, done.stderr) == (2, "")
    assert done.stdout.startswith(f"Cannot be read. {words}")


def test_the_command_says_which_file_is_missing(tmp_path: Path) -> None:
    done = run(tmp_path / "none.json")
    assert (done.returncode, done.stderr) == (2, "")
    assert "none.json" in done.stdout
    path, log = tmp_path / "record.json", tmp_path / "log.ndjson"
    path.write_bytes(originals()[0])
    log.write_bytes(b'{"place": 1}\n')
    done = run(path, "--log", log)
    assert done.returncode == 2
    assert "line 1 of the log’s file: This is not a line of the log." in done.stdout


def test_what_a_record_says_does_not_reach_the_terminal_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_bytes(originals()[0].replace(b"Maeve", b"\\u001b[2J\\ud800"))
    done = run(path)
    assert (done.returncode, done.stderr) == (1, "")
    assert "North (?[2J?)" in done.stdout


def test_the_script_needs_nothing_but_an_old_python() -> None:
    tree = ast.parse(SCRIPT.read_text(), feature_version=(3, 9))
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert imported <= sys.stdlib_module_names


def test_the_script_is_sent_to_be_kept() -> None:
    response = Client().get("/fairness/bower_verify.py")
    assert response["Content-Disposition"] == 'attachment; filename="bower_verify.py"'
    assert response["Content-Type"] == "text/x-python; charset=utf-8"
    assert response.content == SCRIPT.read_bytes()


# How seats deal -------------------------------------------------------------------------------


def test_a_game_whose_dealers_reverse_their_packets_is_right() -> None:
    rules = replace(STICK_THE_DEALER, reversed_by=5)
    data = json.loads(write_record(random_record(rules, "reversed")))
    assert data["rules"]["reversed_by"] == 5
    assert list(script.check_cards(data)) == []
    assert list(script.check_shape(data, script.SHAPE)) == []
    del data["rules"]["reversed_by"]
    assert list(script.check_cards(data)) != []


def test_a_seat_that_may_not_reverse_its_packets_is_named() -> None:
    data = json.loads(write_record(random_record(CLASSIC_24, "reversed")))
    data["rules"]["reversed_by"] = 1
    assert [fault.place for fault in script.check_sizes(data)] == ["rules.reversed_by"]


@pytest.mark.parametrize(
    ("data", "missing"),
    [
        ({"games": ["own", "other"]}, False),
        ({"games": ["other"]}, True),
        ({"games": ["other"], "tables": 2}, True),
        ({"tables": 7}, True),
        ({"games": ["other"] * 63}, True),
        ({"games": ["other"] * 63, "tables": 63}, True),
        ({"games": ["other"] * 63, "tables": 2000}, False),
    ],
)
def test_shared_deals_were_opened_for_the_game(data: dict[str, Any], missing: bool) -> None:
    line = script.LogLine(b"", {"kind": "opened", "match": "shared", "place": 7, **data})
    record = {"game": {"id": "own"}, "shuffle": {"match": "shared"}}
    found = [one.place for one in script.check_shared_lines([line], record)]
    assert found == ["games in line 7 of the log"] * missing
