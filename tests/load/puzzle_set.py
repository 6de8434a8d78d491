"""The set of puzzles: found in hands of strong house players, checked in fresh worlds.

    python -m tests.load.puzzle_set find FOUND.jsonl --deals 0 860
    python -m tests.load.puzzle_set choose FOUND.jsonl > games/puzzles/puzzles.json
    python -m tests.load.puzzle_set check games/puzzles/puzzles.json

`find` deals hands and lets strong house players play them. It keeps decisions with one clear answer
that is easily missed: the steady house player chooses otherwise, or (of calls and discards) another
option seems as good in a few worlds. The same number of a deal always yields the same lines.

`choose` takes as many of each theme as `QUOTAS` says, few with the same reason, and none of
`DROPPED`. `check` judges each of them in worlds that had no part in finding it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Sequence
from math import sqrt
from multiprocessing import Pool
from pathlib import Path
from random import Random
from typing import Any, Final

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from games.bots.levels import STEADY, STRONG, choose
from games.bots.worlds import worlds
from games.engine.actions import PASS, Action, action_text
from games.engine.cards import SUIT_MASK, SUIT_NAMES, card_text, cards_in, left_bower
from games.engine.deal import Deal
from games.engine.observation import (
    DISCARDING,
    FIRST_ROUND,
    PLAYING,
    SECOND_ROUND,
    Observation,
    Standing,
)
from games.engine.rules import STICK_THE_DEALER as RULES
from games.engine.seats import COMPASS
from games.puzzles.collection import CAST, THEMES, SetPuzzle
from games.review import wording
from games.review.reasons import ReviewCase, reason
from games.review.values import values_in

SEED: Final = "puzzles"
#: Guesses of the strong players who play the hands, and worlds of each step of the judging.
GUESSES, SCREENED, WORLDS = 24, 40, 600
#: Points between the best option and the second.
MIN_GAP: Final = 0.4
#: Trumps from which passing is a question.
MIN_TEMPTING: Final = 3
#: Puzzles of each theme in the set, and how many of them may have the same reason.
QUOTAS: Final = {
    "first round": 10, "second round": 8, "alone": 9, "discard": 8,
    "lead": 5, "play": 6, "defence": 8, "left bower": 6,
}  # fmt: skip
ALIKE: Final = dict.fromkeys(QUOTAS, 1) | {"lead": 3, "play": 2, "defence": 3, "discard": 3}
#: Points that a check asks for, and from which a puzzle that the house misses is not hard.
CLEAR, HARD = 0.3, 0.6
#: Left out when they were read and checked, by deal and step.
DROPPED: Final = frozenset({"19.6", "262.4", "368.1", "695.3", "706.16", "818.4"})
#: The seat of whoever solves a puzzle.
SOUTH: Final = 2


def values(seen: Observation, rng: Random, count: int) -> tuple[dict[Action, float], float, Action]:
    """Return the mean points of each option, best first, and the standard error of the gap."""
    known: dict[Any, dict[Action, int]] = {}
    rows = []
    for world in worlds(seen, rng, count):
        if world not in known:
            known[world] = values_in(seen, world, seen.legal)
        rows.append(known[world])
    means = {option: sum(row[option] for row in rows) / count for option in seen.legal}
    order = sorted(means, key=lambda option: -means[option])
    best, second = order[:2]
    gap = means[best] - means[second]
    spread = sum((row[best] - row[second] - gap) ** 2 for row in rows) / (count - 1)
    return {option: means[option] for option in order}, sqrt(spread / count), second


def gap(means: dict[Action, float]) -> float:
    best, second = [*means.values()][:2]
    return best - second


def find(number: int) -> list[dict[str, Any]]:
    """Return the puzzles in one deal."""
    rng = Random(f"{SEED}/{number}")
    cards = list(RULES.pack_in_order())
    rng.shuffle(cards)
    score = (rng.randrange(6), rng.randrange(6))
    standing = Standing(score)
    dealer = rng.randrange(4)
    hands = [cards[seat * 5 : seat * 5 + 5] for seat in range(4)]
    deal = Deal.from_cards(RULES, dealer, hands, cards[20], score=score)
    found = []
    while deal.result is None:
        seen = deal.observe(deal.turn, standing)
        if len(seen.legal) > 1 and not (seen.phase == PLAYING and len(seen.tricks) > 3):
            one = _puzzle(deal, seen, number, rng)
            if one is not None:
                found.append(one)
        deal.push(choose(STRONG, seen, rng, GUESSES))
    return found


def _puzzle(deal: Deal, seen: Observation, number: int, rng: Random) -> dict[str, Any] | None:
    step = len(deal.actions)
    mine = Random(f"{SEED}/{number}/{step}")
    usual = choose(STEADY, seen, Random(0))
    screened, _, second = values(seen, mine, SCREENED)
    best = next(iter(screened))
    if gap(screened) < MIN_GAP / 2 or (
        best == usual and (seen.phase == PLAYING or _is_plain_pass(seen, best))
    ):
        return None
    means, error, second = values(seen, mine, WORLDS)
    best = next(iter(means))
    if gap(means) < MIN_GAP or gap(means) - 2 * error < MIN_GAP - 0.1:
        return None
    missed = usual != best
    if not missed and (seen.phase == PLAYING or _is_plain_pass(seen, best)):
        return None
    taken = usual if missed else second
    turn = (SOUTH - seen.turn) % 4
    start, turn_up = deal.start
    rotated = [start[(seat - turn) % 4] for seat in range(4)]
    score = seen.standing.score
    return {
        "deal": number,
        "step": step,
        "theme": theme(seen, best, taken),
        "dealer": COMPASS[4][(seen.dealer + turn) % 4],
        "hands": [" ".join(card_text(card) for card in cards_in(hand)) for hand in rotated],
        "turn_up": card_text(turn_up),
        "score": [*(reversed(score) if turn % 2 else score)],
        "moves": ", ".join(action_text(action) for action in deal.actions),
        "tempting": action_text(taken),
        "missed": missed,
        "values": {action_text(option): round(value, 3) for option, value in means.items()},
        "error": round(error, 3),
    }


def _is_plain_pass(seen: Observation, best: Action) -> bool:
    """Return True if a hand has too few trumps for anybody to think of ordering it up."""
    trumps = seen.hand & SUIT_MASK[seen.turned_suit][seen.turned_suit]
    return best.kind == PASS and trumps.bit_count() < MIN_TEMPTING


def theme(seen: Observation, best: Action, taken: Action) -> str:
    """Return what a puzzle is about."""
    if seen.phase == DISCARDING:
        return "discard"
    if seen.phase != PLAYING:
        if best.alone or taken.alone:
            return "alone"
        return {FIRST_ROUND: "first round", SECOND_ROUND: "second round"}[seen.phase]
    left = left_bower(seen.trump)
    if left in (best.value, taken.value) or left in [card for _, card in seen.plays]:
        return "left bower"
    if seen.rules.side_of(seen.maker) != seen.rules.side_of(seen.turn):
        return "defence"
    return "play" if seen.plays else "lead"


def choose_set(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the puzzles of the set: what the house misses first, then neither close nor plain."""
    found = sorted(found, key=lambda one: (not one["missed"], abs(_gap(one) - HARD), one["deal"]))
    chosen: list[dict[str, Any]] = []
    for name in THEMES:
        alike: Counter[str] = Counter()
        answers: Counter[str] = Counter()
        number = 0
        for one in found:
            if one["theme"] != name or number == QUOTAS[name] or _label(one) in DROPPED:
                continue
            kind, answer = _kind(one), _answer(one)
            if not kind or alike[kind] == ALIKE[name] or answers[answer] * 2 >= QUOTAS[name] + 2:
                continue
            if any(one["deal"] == other["deal"] for other in chosen):
                continue
            alike[kind] += 1
            answers[answer] += 1
            number += 1
            chosen.append(one)
        if number < QUOTAS[name]:
            print(f"{name}: {number} of {QUOTAS[name]}", file=sys.stderr)
    return [
        {"number": number, "strength": _strength(one), "rules": RULES.key, **one}
        for number, one in enumerate(chosen, start=1)
    ]


def _label(one: dict[str, Any]) -> str:
    return f"{one['deal']}.{one['step']}"


def _gap(one: dict[str, Any]) -> float:
    best, second = [*one["values"].values()][:2]
    return float(best - second)


def _strength(one: dict[str, Any]) -> int:
    """Return 1 to 3: harder where the house errs, and where less is lost by it."""
    return 1 + bool(one["missed"]) + (_gap(one) < HARD)


def _kind(one: dict[str, Any]) -> str:
    """Return a puzzle's reason without cards, suits and numbers; empty if no rule gives one."""
    puzzle = SetPuzzle({"number": 0, "strength": 1, "rules": RULES.key, **one})
    seen, judged = puzzle.decision.seen, puzzle.judged
    case = ReviewCase(seen, judged.taken, judged.judgement.best, judged.judgement.loss, CAST)
    words = wording.plain(reason(case), lambda _card: "*")
    return re.sub(rf"[\d.]+|{'|'.join(SUIT_NAMES)}", "", words)


def _answer(one: dict[str, Any]) -> str:
    """Return how the best option differs from the others of a theme, where it is a call."""
    best = next(iter(one["values"]))
    if one["theme"] in {"alone", "first round"}:
        return "alone" if best.endswith("alone") else best.split()[0]
    return _label(one)


def check(one: dict[str, Any], seed: str) -> tuple[bool, float]:
    """Return whether the best option is best in fresh worlds, and its lead there."""
    seen = SetPuzzle(one).decision.seen
    means, _, _ = values(seen, Random(f"{seed}/{one['number']}"), WORLDS)
    texts = {action_text(option): value for option, value in means.items()}
    best = next(iter(one["values"]))
    others = [value for text, value in texts.items() if text != best]
    return texts[best] > max(others), texts[best] - max(others)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("verb", choices=["find", "choose", "check"])
    parser.add_argument("path", type=Path)
    parser.add_argument("--deals", nargs=2, type=int, default=(0, 860))
    parser.add_argument("--seeds", nargs="+", default=["fresh", "other"])
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args(arguments)
    if options.verb == "find":
        with Pool(options.processes) as pool, options.path.open("w", encoding="utf-8") as file:
            for found in pool.imap(find, range(*options.deals)):
                file.writelines(f"{json.dumps(one)}\n" for one in found)
                file.flush()
        return
    text = options.path.read_text(encoding="utf-8")
    if options.verb == "choose":
        chosen = choose_set([json.loads(line) for line in text.splitlines()])
        print("[", ",\n".join(json.dumps(one) for one in chosen), "]", sep="\n")
        return
    puzzles = json.loads(text)
    with Pool(options.processes) as pool:
        for seed in options.seeds:
            results = pool.starmap(check, [(one, seed) for one in puzzles])
            clear = sum(best and lead > CLEAR for best, lead in results)
            least = min(lead for _, lead in results)
            print(f"{seed}: {clear} of {len(puzzles)} lead by {CLEAR}; the least by {least:.2f}")
            for one, (_, lead) in zip(puzzles, results, strict=True):
                if lead <= CLEAR:
                    print(f"  puzzle {one['number']}, deal {_label(one)}: {lead:.2f}")


if __name__ == "__main__":
    main()
