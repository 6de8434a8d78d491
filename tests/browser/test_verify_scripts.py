"""The browser's own implementation of the shuffle, and what it finds in altered records."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Browser

from games.engine import shuffle
from games.engine.cards import card_text, cards_in
from games.engine.deal import Deal
from games.engine.game_notation import cards_text
from games.engine.rules import CLASSIC_24, PACKS, RULE_SETS, RuleSet
from games.files.record import RESIGNED, write_record
from games.files.sealing import sealed
from games.files.writing import write_json
from tests.browser.person import Person
from tests.chance import random_record
from tests.engine.test_shuffle import COMMITMENT, MATCH, MIXED, SECRET, VECTORS, contributed
from tests.games.verifying import (
    CLUB_FORGERIES,
    Altered,
    alterations,
    club_forgery,
    club_record,
    forgeries,
    originals,
)
from tests.served import HOST, Server
from tests.volume import scaled, volume

#: Packs of each rule set, and how many of them share a secret.
PACK_COUNT, OF_ONE_SECRET = volume(1000, 1000, 10_000), 250
ALTERED = volume(500, 500, 5000)
FORGED = volume(80, 80, 1000)
AT_ONCE = 100  # files sent to the page

PACKS_OF = """async ({ cards, cuts, benny, secret, mixed, count }) => {
  const { bytesOf } = await import("/static/js/digests.js");
  const { shuffled } = await import("/static/js/euf1.js");
  const deals = Array.from({ length: count }, (_, deal) =>
    shuffled({ pack: cards, cut: cuts, benny }, bytesOf(secret), bytesOf(mixed), deal));
  return (await Promise.all(deals)).map(({ pack, cut }) => `${pack.join(" ")} ${cut}`);
}"""

VECTORS_OF = """async ({ match, secret, numbers, cards, cuts, packets }) => {
  const euf1 = await import("/static/js/euf1.js");
  const { bytesOf, commitSeat, hex } = await import("/static/js/digests.js");
  const [mid, m, own] = [bytesOf(match), bytesOf(secret), numbers.map(bytesOf)];
  const commitment = await euf1.commit(mid, m);
  const promised = await Promise.all(
    own.map((number, seat) => commitSeat(mid, commitment, seat, number)));
  const mixed = await euf1.mix(mid, commitment, promised, own);
  const dealer = await euf1.firstDealer(m, mixed, own.length);
  const { pack, cut } = await euf1.shuffled({ pack: cards, cut: cuts }, m, mixed, 0);
  const { hands, turnUp } = euf1.dealt(pack, cut, packets, dealer, own.length);
  return {
    commitment: hex(commitment), mixed: hex(mixed), dealer, pack: pack.join(" "), cut,
    hands: hands.map((hand) => [...hand].sort()), turnUp,
    flags: await euf1.flagsOf(mid, commitment, promised, own.toSpliced(1, 1, euf1.NOTHING)),
  };
}"""

FAULTS_OF = """async (files) => {
  const { checkRecord } = await import("/static/js/check-record.js");
  const { matchFaults } = await import("/static/js/check-log.js");
  const found = [];
  for (const { file, lines } of files) {
    const bytes = Uint8Array.from(atob(file), (byte) => byte.charCodeAt());
    const { data, steps } = await checkRecord(bytes);
    const faults = steps.flatMap((step) => step.faults);
    const told = data && { shuffle: data.shuffle, state: data.game.state, seal: data.seal };
    const logged = data ? matchFaults(lines, lines[0].match, told) : [];
    found.push({ faults, logged });
  }
  return found;
}"""

LOG_FAULTS_OF = """async ([lines, match, shuffle]) => {
  const { matchFaults } = await import("/static/js/check-log.js");
  return matchFaults(lines, match, { shuffle }).map(({ place }) => place);
}"""

CHAIN_FAULTS_OF = """async (ndjson) => {
  const { chainFaults, readLines } = await import("/static/js/check-log.js");
  return chainFaults(readLines(ndjson));
}"""


@pytest.fixture(scope="module")
def page(browser: Browser, server: Server) -> Iterator[Any]:
    """A page of the site, in which its scripts can be called."""
    visitor = Person("A visitor", browser.new_context(), f"http://{HOST}:{server.port}")
    visitor.go("/rules/")
    yield visitor.page
    visitor.context.close()
    assert not visitor.complaints


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector[0].key)
def test_the_published_vectors(page: Any, vector: tuple[RuleSet, str, int, str, str]) -> None:
    rules, pack, cut, turn_up, hand = vector
    numbers = [number.hex() for number in contributed(rules.players)[1]]
    asked = {
        "match": MATCH.hex(), "secret": SECRET.hex(), "numbers": numbers,
        "cards": rules.pack, "cuts": rules.cut, "packets": list(rules.packets),
    }  # fmt: skip
    found = page.evaluate(VECTORS_OF, asked)
    hands = found.pop("hands")
    assert found == {
        "commitment": COMMITMENT.hex(), "mixed": MIXED[rules.players].hex(),
        "dealer": 0 if rules.players == 4 else 1,
        "pack": pack, "cut": cut, "turnUp": turn_up, "flags": 0b10,
    }  # fmt: skip
    assert hands[0] == sorted(hand.split())


def packs_in_the_page(page: Any, rules: RuleSet, count: int) -> Iterator[tuple[bytes, bytes, Any]]:
    """So many packs as the page shuffles them, by secret and mix."""
    chance = Random(rules.key)
    for _ in range(max(1, count // OF_ONE_SECRET)):
        secret, mixed = chance.randbytes(32), chance.randbytes(32)
        asked = {
            "cards": rules.pack, "cuts": rules.cut, "benny": rules.benny, "secret": secret.hex(),
            "mixed": mixed.hex(), "count": min(count, OF_ONE_SECRET),
        }  # fmt: skip
        yield secret, mixed, page.evaluate(PACKS_OF, asked)


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=list(RULE_SETS))
def test_thousands_of_packs_are_the_same(page: Any, rules: RuleSet) -> None:
    compared = 0
    for secret, mixed, found in packs_in_the_page(page, rules, PACK_COUNT):
        for deal, told in enumerate(found):
            pack, cut = shuffle.shuffled(rules, secret, mixed, deal)
            assert told == f"{cards_text(pack)} {cut}"
            compared += 1
    assert compared == PACK_COUNT


@pytest.mark.parametrize("size", PACKS)
@pytest.mark.parametrize("cut", [True, False])
def test_packs_of_house_rules_are_the_same(page: Any, size: int, cut: bool) -> None:
    benny = cut and size in (25, 33)
    rules = RuleSet(key=f"house-{size}", name="House", pack=size, cut=cut, benny=benny)
    for secret, mixed, found in packs_in_the_page(page, rules, 100):
        expected = [shuffle.shuffled(rules, secret, mixed, deal) for deal in range(100)]
        assert found == [f"{cards_text(pack)} {lifted}" for pack, lifted in expected]


@pytest.mark.parametrize(
    "rules",
    [*RULE_SETS.values(), RuleSet(key="ones", name="Ones", packets=(1, 3, 1), cut=True)],
    ids=lambda rules: rules.key,
)
def test_hands_are_dealt_the_same(page: Any, rules: RuleSet) -> None:
    chance = Random(rules.key)
    for dealer in range(rules.players):
        pack = list(rules.pack_in_order())
        chance.shuffle(pack)
        cut = chance.randint(4, len(pack) - 4) if rules.cut else 0
        deal = Deal.from_pack(rules, dealer, pack[cut:] + pack[:cut])
        if rules.cut:
            deal = Deal.from_pack(rules, dealer, pack)
            deal.push(deal.legal_actions()[cut - 4])
        found = page.evaluate(
            """async ([pack, cut, packets, dealer, seats]) => {
              const { dealt } = await import("/static/js/euf1.js");
              return dealt(pack.split(" "), cut, packets, dealer, seats);
            }""",
            [cards_text(pack), cut, list(rules.packets), dealer, rules.players],
        )
        assert [set(hand) for hand in found["hands"]] == [
            {card_text(card) for card in cards_in(hand)} for hand in deal.start[0]
        ]
        assert found["turnUp"] == card_text(deal.turn_up)


# Records --------------------------------------------------------------------------------------


def lines_of(original: bytes) -> list[dict[str, Any]]:
    """What the public log tells of a record."""
    data = json.loads(original)
    proof, match = data["shuffle"], data["game"]["id"]
    told = {key: proof[key] for key in ("commitments", "contributions", "flags", "mixed")}
    end = {"state": data["game"]["state"], "secret": proof["secret"], "seal": data["seal"]}
    return [
        {"place": 3, "kind": "created", "match": match, "commitment": proof["commitment"]},
        {"place": 4, "kind": "started", "match": match, **told},
        {"place": 9, "kind": "revealed", "match": match, **end},
    ]


def checked(page: Any, files: Sequence[tuple[bytes, bytes]]) -> Iterator[dict[str, Any]]:
    """What the page finds in files, each together with the record whose lines the log has."""
    for start in range(0, len(files), AT_ONCE):
        sent = [
            {"file": base64.b64encode(data).decode(), "lines": lines_of(original)}
            for data, original in files[start : start + AT_ONCE]
        ]
        yield from page.evaluate(FAULTS_OF, sent)


def test_genuine_records_have_no_faults(page: Any) -> None:
    whole = [(data, data) for data in originals()]
    assert list(checked(page, whole)) == [{"faults": [], "logged": []}] * len(whole)


def test_genuine_records_of_club_rules_have_no_faults(page: Any) -> None:
    whole = [(data, data) for data in map(club_record, range(scaled(60)))]
    assert [found["faults"] for found in checked(page, whole)] == [[]] * len(whole)


def test_forged_records_of_club_rules_are_refused_and_the_place_named(page: Any) -> None:
    files = [club_forgery(kind)[::-1] for kind in CLUB_FORGERIES]
    for kind, found in zip(CLUB_FORGERIES, checked(page, files), strict=True):
        places = [fault["place"] for fault in found["faults"]]
        assert places, kind
        assert all(place.startswith(("events[", "deals[")) for place in places), (kind, places)


@pytest.mark.parametrize(
    "written", ['  "version": 2,\n', '  "versian": 2,\n', '  "version": 3,\n', ""]
)
def test_unknown_record_version_is_refused(page: Any, written: str) -> None:
    data = next(iter(originals()))
    other = data.replace(b'  "version": 2,\n', written.encode())
    (found,) = checked(page, [(other, data)])
    assert [fault["place"] for fault in found["faults"]] == ["version"] * (other != data)


def named(altered: Altered, faults: Sequence[dict[str, str]]) -> bool:
    """Whether one of the faults leads to where a file was altered."""
    return any(altered.is_named_by(fault["place"], fault["words"]) for fault in faults)


def test_altered_record_is_detected_and_the_place_named(page: Any) -> None:
    tried = list(alterations(ALTERED, "page"))
    files = [(one.data, one.original) for one in tried]
    missed = [
        (one.kind, one.part, one.entry, one.line, found["faults"][:3])
        for one, found in zip(tried, checked(page, files), strict=True)
        if not named(one, found["faults"])
    ]
    assert len(tried) == ALTERED
    assert missed == []


def test_players_in_the_wrong_seats_are_found(page: Any) -> None:
    original = write_record(random_record(CLASSIC_24, "kept"))
    data = original.replace(b'"seat": "North", "name"', b'"seat": "None", "name"')
    data = data.replace(b'"seat": "East", "name"', b'"seat": "North", "name"')
    data = data.replace(b'"seat": "None", "name"', b'"seat": "East", "name"')
    (found,) = checked(page, [(data, original)])
    assert [fault["place"] for fault in found["faults"]] == ["players[0].seat", "players[1].seat"]


def test_resealed_record_is_detected_by_the_shuffle_or_the_log(page: Any) -> None:
    tried = list(forgeries(FORGED, "page"))
    files = [(one.data, one.original) for one in tried]
    by_shuffle = by_log = 0
    for one, found in zip(tried, checked(page, files), strict=True):
        # Names and the table's title may change later: they are outside of the seal.
        assert found["faults"] or found["logged"] or one.part in ("players", "table"), one.part
        by_shuffle += bool(found["faults"])
        by_log += bool(not found["faults"] and found["logged"])
    assert len(tried) == FORGED
    assert by_shuffle
    assert by_log


# The log --------------------------------------------------------------------------------------


def chain(count: int, times: Sequence[str] = ()) -> list[str]:
    """The first lines of a log; without `times` all are of one moment."""
    lines: list[str] = []
    previous = "0" * 64
    for place in range(1, count + 1):
        at = times[place - 1] if times else "2026-11-19T20:23:05.000000Z"
        data = {
            "place": place,
            "at": at,
            "kind": "created",
            "match": str(place),
            "previous": previous,
        }
        lines.append(json.dumps(data, separators=(",", ":")))
        previous = hashlib.sha256(b"EUF1.log" + lines[-1].encode()).hexdigest()
    return lines


def test_consistent_log_has_no_faults(page: Any) -> None:
    lines = chain(40)
    assert page.evaluate(CHAIN_FAULTS_OF, "\n".join(lines) + "\n") == []
    assert page.evaluate(CHAIN_FAULTS_OF, "\n".join(lines[20:])) == []


def test_log_line_is_hashed_as_sent(page: Any) -> None:
    lines = chain(3)
    lines[1] = json.dumps({**json.loads(lines[1]), "line": lines[1]}, separators=(",", ":"))
    faults = page.evaluate(CHAIN_FAULTS_OF, "\n".join(lines))
    assert [fault["place"] for fault in faults] == ["line 3 of the log"]


def test_missing_or_doubled_match_line_is_detected(page: Any) -> None:
    original = write_record(random_record(CLASSIC_24, "kept"))
    match, told = json.loads(original)["game"]["id"], json.loads(original)["shuffle"]
    created, started, revealed = lines_of(original)
    twice = [created, {**created, "place": 4}, {**started, "place": 5}, revealed]
    for lines, faults in (
        ([created, started, revealed], 0),
        ([created, started], 0),
        ([started, revealed], 1),
        ([revealed], 2),
        (twice, 1),
    ):
        assert page.evaluate(LOG_FAULTS_OF, [lines, match, told]) == ["the log"] * faults
    old = {**told, "commitments": ["0" * 64] * 4}
    assert page.evaluate(LOG_FAULTS_OF, [[revealed], match, old]) == []


def test_backward_or_invalid_times_are_detected(page: Any) -> None:
    times = ["05.000000Z", "05.000000Z", "04.999999Z", "05.000001Z", "60.000000Z", "06Z", ""]
    lines = chain(len(times), [f"2026-11-19T20:23:{time}" for time in times])
    places = [fault["place"] for fault in page.evaluate(CHAIN_FAULTS_OF, "\n".join(lines))]
    assert places == [f"at in line {place} of the log" for place in (3, 5, 6, 7)]


def test_winner_contradicting_the_score_is_detected(page: Any) -> None:
    data = json.loads(write_record(random_record(CLASSIC_24, "won")))
    data["result"]["winner"] = 1 - data["result"]["winner"]
    forged = write_json(sealed(data))
    (found,) = checked(page, [(forged, forged)])
    assert [fault["place"] for fault in found["faults"]] == ["result.winner"]


def test_resigned_game_is_won_by_the_other_side(page: Any) -> None:
    begun = random_record(CLASSIC_24, "resigned", events=3)
    kept = write_record(begun._replace(state=RESIGNED, resigned=1))
    data = json.loads(kept)
    data["result"]["winner"] = None
    forged = write_json(sealed(data))
    good, bad = checked(page, [(kept, kept), (forged, forged)])
    assert good["faults"] == []
    assert [fault["place"] for fault in bad["faults"]] == ["result.winner"]


@pytest.mark.parametrize("change", ["altered", "dropped", "swapped", "not JSON"])
def test_altered_or_dropped_line_is_detected_at_the_next_one(page: Any, change: str) -> None:
    lines = chain(12)
    if change == "altered":
        lines[5] = lines[5].replace('"match":"6"', '"match":"7"')
    elif change == "dropped":
        del lines[5]
    elif change == "swapped":
        lines[5], lines[6] = lines[6], lines[5]
    else:
        lines[5] = lines[5][:-1]
    places = [fault["place"] for fault in page.evaluate(CHAIN_FAULTS_OF, "\n".join(lines))]
    assert places
    assert {"line 6 of the log", "line 7 of the log", "line ? of the log"} & set(places)
