"""Rule sets, deals, games, records and files by chance, each from its seed."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, Final

from hypothesis import strategies as st

from games.engine import shuffle
from games.engine.actions import CUT, Action
from games.engine.deal import Deal
from games.engine.errors import RuleSetError
from games.engine.game import Game
from games.engine.rules import (
    CLASSIC_24,
    DEALER_MAKES,
    DEALER_NAMES,
    DEALERS_LEFT,
    HAND,
    HEADS_UP,
    JOKER_33,
    MAKER,
    MAKERS_LEFT,
    NEVER,
    NO_FACE,
    NO_FACE_OR_SUIT,
    NO_TRUMP_HIGH_OR_LOW,
    NO_TRUMPS,
    ORDER_UP,
    PACKS,
    PICK_UP,
    RULE_SETS,
    STICK_THE_DEALER,
    RuleSet,
)
from games.files.egn import egn_of
from games.files.played import PlayedDeal, PlayedGame, standings
from games.files.record import ABANDONED, CLOCK, OVER, RecordedEvent, RecordedGame, RecordedSitter
from tests.volume import scaled, volume

NAMES: Final = ("Maeve", "Ben", "Iris", "Jonah", "Otto")


def random_rules(rng: Random) -> RuleSet:
    """A house rule set within the bounds, every field by chance."""
    four = rng.random() < 0.7
    pack = rng.choice(list(PACKS))
    by_target = rng.random() < 0.7
    made, alone_made, euchre = (rng.randint(1, 5) for _ in range(3))
    rules = RuleSet(
        key=f"house-{rng.randrange(1000)}",
        name=rng.choice(["House", "Club – Löwen", 'The "Nine"', "# 1"]),
        players=4 if four else 2,
        pack=pack,
        cut=rng.random() < 0.5,
        packets=_packets(rng),
        stick_the_dealer=rng.random() < 0.4,
        alone=four and rng.random() < 0.8,
        dealer_stays=rng.random() < 0.5,
        joker_turned_up=rng.choice([DEALER_NAMES, DEALER_MAKES])
        if PACKS[pack][1]
        else DEALER_NAMES,
        lay_down=rng.random() < 0.5,
        made=made,
        march=rng.randint(made, 10),
        alone_made=alone_made,
        alone_march=rng.randint(alone_made, 10),
        euchre=euchre,
        skunk=rng.choice([euchre, rng.randint(euchre, 10)]),
        target=rng.randint(1, 20) if by_target else None,
        deals=None if by_target else rng.randint(1, 8),
        calls=rng.choice([ORDER_UP, PICK_UP]),
    )
    if rules.deals is not None:
        rules = replace(rules, thrown_in_counts=rng.random() < 0.3)
    rules = replace(rules, stuck_after=rng.choice([0, 2, 3]) if rules.deal_stays else 0)
    if rules.packets == rules.packets[::-1]:
        return rules
    reversed_by = rng.choice([0, rng.randrange(2**rules.players)])
    return replace(rules, packets_by_dealer=True, reversed_by=reversed_by)


def _packets(rng: Random) -> tuple[int, ...]:
    sizes: list[int] = []
    while sum(sizes) < HAND:
        sizes.append(rng.randint(1, HAND - sum(sizes)))
    return tuple(sizes)


def random_club_rules(rng: Random) -> RuleSet:
    """A house rule set with the rules that only some clubs play by, those that make sense."""
    rules = random_rules(rng)
    for field, values in CLUB_RULES.items():
        with suppress(RuleSetError):
            rules = replace(rules, **{field: rng.choice(values)})
    return rules


#: The fields that are off in most rule sets, with the values that may make sense.
CLUB_RULES: Final[dict[str, Sequence[Any]]] = {
    "alone_made": (0, 1),
    "no_trump": list(NO_TRUMPS),
    "defend_alone": (False, True),
    "alone_euchre": (None, 3, 5),
    "lone_defence": (4, 10),
    "partners_best": (False, True),
    "dealers_partner_alone": (False, True),
    "own_trump": (False, True),
    "no_lone_near_end": (False, True),
    "lone_lead": (DEALERS_LEFT, MAKERS_LEFT, MAKER),
    "farmers_hand": (False, True, True),
    "fold": (NEVER, NO_FACE, NO_FACE_OR_SUIT),
    "benny": (False, True),
}


def each_club_rule(base: RuleSet) -> Iterator[RuleSet]:
    """A rule set with each rule of clubs by itself, those that make sense there."""
    for field, values in CLUB_RULES.items():
        for value in dict.fromkeys(values):
            try:
                rules = replace(base, **{field: value})
            except RuleSetError:
                continue
            yield rules


#: All rules of clubs that go together.
CLUB_24: Final = RuleSet(
    key="club-24",
    name="Rules of clubs",
    alone_made=0,
    no_trump=NO_TRUMP_HIGH_OR_LOW,
    defend_alone=True,
    alone_euchre=3,
    partners_best=True,
    dealers_partner_alone=True,
    own_trump=True,
    no_lone_near_end=True,
    lone_lead=MAKERS_LEFT,
    farmers_hand=True,
    fold=NO_FACE,
)
#: Those of a larger pack, in which more hands are folded.
CLUB_33: Final = RuleSet(
    key="club-33",
    name="Rules of clubs, 33 cards",
    pack=33,
    joker_turned_up=DEALER_MAKES,
    defend_alone=True,
    partners_best=True,
    lone_lead=MAKER,
    fold=NO_FACE,
    benny=True,
)

CLUB_RULE_SETS: Final = {rules.key: rules for rules in (CLUB_24, CLUB_33)}

#: The rule sets of the sources, which have no rules of clubs.
PLAIN: Final = {rules.key: rules for rules in (CLASSIC_24, STICK_THE_DEALER, JOKER_33, HEADS_UP)}
#: What tests go through of that which holds under any rules: the published sets of clubs have
#: single fields of the last. The oracles and the forms go through each of them.
TYPICAL: Final = {
    rules.key: rules
    for rules in volume(
        (JOKER_33, HEADS_UP, CLUB_24), (JOKER_33, HEADS_UP, CLUB_24), (*PLAIN.values(), CLUB_24)
    )
}
#: What tests go through of the published sets where those of clubs add nothing.
PUBLISHED: Final = volume(PLAIN, PLAIN, RULE_SETS)

#: Rule sets for hypothesis, which finds a simple one that fails.
rule_sets = st.randoms(use_true_random=False).map(random_rules)

#: A rule set for each seed: those of the sources by name, or another house rule set each time.
SOURCES = [*PLAIN, "house rules"]
#: The same and rules that only some clubs play by.
ALL_SOURCES = [*SOURCES, "club rules"]


def rules_of(source: str, rng: Random) -> RuleSet:
    """The published rule set of that key, or one by chance."""
    if source == "club rules":
        return random_club_rules(rng)
    return RULE_SETS[source] if source in RULE_SETS else random_rules(rng)


def shuffled_pack(rules: RuleSet, rng: Random) -> tuple[int, ...]:
    """A pack in random order; a joker is turned up more often than by chance."""
    pack = list(rules.pack_in_order())
    rng.shuffle(pack)
    if rules.joker and not rules.cut and rng.random() < 0.2:
        top = rules.players * HAND
        joker = pack.index(rules.pack_in_order()[-1])
        pack[top], pack[joker] = pack[joker], pack[top]
    return tuple(pack)


def random_deal(rules: RuleSet, rng: Random) -> Deal:
    """A deal from a random pack, nothing done yet."""
    return Deal.from_pack(rules, rng.randrange(rules.players), shuffled_pack(rules, rng))


def random_game(rules: RuleSet, seed: str) -> Game:
    """A game whose packs follow from a seed, nothing done yet."""
    first_dealer = Random(seed).randrange(rules.players)
    return Game(
        rules, first_dealer, lambda number: shuffled_pack(rules, Random(f"{seed} {number}"))
    )


def random_action(state: Deal | Game, rng: Random) -> Action:
    """A legal action by chance; a pass half the time, or few deals would see a second round."""
    legal = state.legal_actions()
    return legal[0] if rng.random() < 0.5 else rng.choice(legal)


def seeded(source: str, games: int) -> Iterator[tuple[RuleSet, str]]:
    """Rule sets with a seed each, so many in CI; house rule sets differ from one to the next."""
    for number in range(scaled(games)):
        seed = f"{source} {number}"
        yield rules_of(source, Random(seed)), seed


def random_record(rules: RuleSet, seed: str, *, events: int | None = None) -> RecordedGame:
    """A game played by chance to its end, or given up after so many events."""
    chance = Random(seed)
    game_id, secret = uuid.UUID(int=chance.getrandbits(128)), chance.randbytes(32)
    shared, match, seats = None, game_id, rules.players
    if rules.thrown_in_counts and seats == 4:  # of a duplicate round
        match, tables = uuid.UUID(int=chance.getrandbits(128)), chance.randint(1, 5)
        shared, seats = (match, chance.randint(1, tables)), seats * tables
    commitment = shuffle.commit(match.bytes, secret)
    commitments, contributions = _thrown_in(match.bytes, commitment, seats, chance)
    at = datetime(2026, 11, 19, 20, 23, tzinfo=UTC)
    record = RecordedGame(
        game_id=game_id,
        title=chance.choice(["", "Thursday at the Old Mill, table 4", "“Löwen”"]),
        number=chance.randint(1, 9),
        state=OVER,
        started=at,
        ended=at,
        rules=rules,
        sitters=tuple(
            RecordedSitter(name, chance.choice(["person", "house", "program"]))
            for name in NAMES[: rules.players]
        ),
        commitment=commitment,
        commitments=commitments,
        contributions=contributions,
        mixed=shuffle.mix(match.bytes, commitment, commitments, contributions),
        secret=secret,
        events=(),
        shared=shared,
    )
    game = Game(rules, record.first_dealer, record.pack)
    done: list[RecordedEvent] = []
    while game.legal_actions() and (events is None or len(done) < events):
        action, seat = random_action(game, chance), game.turn
        by = chance.choice(("person", "house")) if seat >= 0 else CLOCK
        if action.kind == CUT and chance.random() < 0.5:
            action, by = Action(CUT, record.cut(game.standing.deal_number - 1)), CLOCK
        game.push(action)
        at += timedelta(microseconds=chance.randrange(9_000_000))
        done.append(RecordedEvent(seat, by, action, at))
    state = OVER if game.standing.over else ABANDONED
    return record._replace(events=tuple(done), ended=at, state=state)


def _thrown_in(
    match: bytes, commitment: bytes, seats: int, chance: Random
) -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
    """Commitments and numbers of the seats; some sent none, some did not tell their number."""
    commitments, numbers = [], []
    for seat in range(seats):
        number, kept = chance.randbytes(32), chance.random()
        promised = shuffle.commit_seat(match, commitment, seat, number)
        commitments.append(promised if kept < 0.8 else shuffle.NOTHING)
        numbers.append(number if kept < 0.7 else shuffle.NOTHING)
    return tuple(commitments), tuple(numbers)


def random_played(rules: RuleSet, seed: str, *, events: int | None = None) -> PlayedGame:
    """The same kind of game as files are written from, without a shuffle behind it."""
    chance, game = Random(seed), random_game(rules, seed)
    deals = [game.deal]
    while game.legal_actions() and (events is None or game.version < events):
        game.push(random_action(game, chance))
        if game.deal is not deals[-1]:
            deals.append(game.deal)
    stood = standings(rules, deals)
    return PlayedGame(
        rules,
        NAMES[: rules.players],
        tuple(PlayedDeal(deal, *both) for deal, both in zip(deals, stood, strict=True)),
        title="Thursday",
    )


def match_data(games: int = 2) -> dict[str, Any]:
    """A match of several games as one file: five people, each sits elsewhere in each game."""
    listed = []
    for index in range(games):
        game = _match_game(index)
        del game["metadata"]["players"]
        seats = [f"p{(index + seat) % len(NAMES)}" for seat in range(4)]
        listed.append({"gameIndex": index, "players": seats, "gameData": game})
    return {
        "fileType": "Euchre Match Notation",
        "version": "1.0",
        "metadata": {
            "matchId": "thursday",
            "title": "Thursday",
            "players": [
                {"id": f"p{at}", "name": name, "playerIds": [{"id": f"{at}", "source": "club"}]}
                for at, name in enumerate(NAMES)
            ],
            "matchFormat": {"type": "FIXED_GAMES", "target": games},
            "result": {"status": "COMPLETED", "winner": ["p0"], "scores": {"p0": 2}},
        },
        "games": listed,
    }


def _match_game(index: int) -> dict[str, Any]:
    """A game of the match, with a title of its own."""
    rules = replace(CLASSIC_24, target=3)
    data = egn_of(random_played(rules, f"match {index}"))
    data["metadata"]["title"] = f"Game {index + 1} of the evening"
    return data
