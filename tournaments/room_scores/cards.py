"""The score card of a match in the room, as it follows from its lines.

A card is kept hand by hand, or by the final score of each game. A signature counts until a later
line changes the score; when both sides have signed the same score, it is the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from typing import Any, Final

from games.engine.rules import RuleSet
from games.engine.scoring import results
from tournaments.models import Event, Pairing, ScoreLine
from tournaments.models.events import GAMES_TO_WIN
from tournaments.results import matches, penalties, possible
from tournaments.results.matches import TIE
from tournaments.results.possible import Points, Ruling

Kind = ScoreLine.Kind

#: What the caller's side took: no trick, too few, three or four, all five; or all passed.
NONE, FEW, MADE, MARCH, PASSED = "none", "few", "made", "march", "passed"
#: The tricks that each stands for; taking none is told apart where it counts more.
TRICKS: Final = {FEW: 1, MADE: 3, MARCH: 5, NONE: 0}
NOBODY: Final = -1


@dataclass(frozen=True, slots=True)
class RoomHand:
    """A hand as written: who called, what they took, and what it brought to which side.

    `scored` is the side that got the points, `NOBODY` for a hand thrown in. `defended`: a defender
    played alone, too.
    """

    number: int
    key: str
    caller: int
    took: str
    alone: bool
    scored: int
    points: int
    defended: bool = False

    @property
    def euchre(self) -> bool:
        return self.took in (NONE, FEW)

    @property
    def lone_march(self) -> bool:
        return self.alone and self.took == MARCH


@dataclass(frozen=True, slots=True)
class RoomGame:
    """The final score of a game, with the lone marches of each side."""

    number: int
    key: str
    points: Points
    lone: Points


@dataclass(frozen=True, slots=True)
class RoomPenalty:
    """A penalty against a side: `points` are what it gives to each side, or takes away.

    `after` is the number of hands or games that were written by then. `on_top`: given
    when the final score of a game was written; one given before is part of the final score.
    """

    key: str
    side: int
    offence: str
    points: Points
    after: int
    on_top: bool


@dataclass(frozen=True, slots=True)
class Signature:
    """A side's signature under a score, or its objection to the other's.

    `scores` is what was signed; `ended` is how the match ended (`Pairing.How`); `said` is what a
    side that disputes the score says, `hand` the number of the hand it means, or 0. `seated`: an
    account that sits on the side signed; `here`: that, or a phone that has been at this table only.
    """

    side: int
    at: datetime
    phone: str
    name: str
    scores: tuple[Points, ...] = ()
    ended: str = possible.PLAYED
    hand: int = 0
    said: str = ""
    seated: bool = False
    here: bool = True


@dataclass(slots=True)
class RoomCard:
    """A score card: hands or games by number, and who has signed or disputed it.

    `scores` has the points of each game, the last one perhaps unfinished, and `finished` those of
    the others; `complete` says that the match is over by them, `tied` that its number of hands is
    written and another has to decide. `surplus` is the first hand after its end, or 0. `lines`
    are counted since the card was last cleared, which was done `cleared` times.
    """

    hands: dict[int, RoomHand] = field(default_factory=dict)
    games: dict[int, RoomGame] = field(default_factory=dict)
    signed: dict[int, Signature] = field(default_factory=dict)
    disputed: Signature | None = None
    penalties: dict[str, RoomPenalty] = field(default_factory=dict)
    lines: int = 0
    cleared: int = 0
    scores: tuple[Points, ...] = ()
    finished: tuple[Points, ...] = ()
    games_to_win: int = 1
    complete: bool = False
    tied: bool = False
    surplus: int = 0

    @property
    def written(self) -> Mapping[int, RoomHand | RoomGame]:
        return self.games or self.hands

    @property
    def by_hand(self) -> bool:
        return not self.games

    @property
    def next(self) -> int:
        """The first that is not written: one among others if a director has it played again."""
        return next(number for number in count(1) if number not in self.written)

    @property
    def points(self) -> Points:
        return sum(one[0] for one in self.scores), sum(one[1] for one in self.scores)

    @property
    def shown(self) -> Points:
        """The score as people say it: games won, or the points of the only game."""
        if self.games_to_win > 1:
            leads = [matches.leader(*score) for score in self.finished]
            return leads.count(0), leads.count(1)
        return self.points

    @property
    def lone(self) -> Points:
        """The lone marches of each side."""
        if self.games:
            both = [game.lone for game in self.games.values()]
            return sum(one[0] for one in both), sum(one[1] for one in both)
        first, second = (
            sum(hand.lone_march and hand.caller == side for hand in self.hands.values())
            for side in (0, 1)
        )
        return first, second

    @property
    def euchres(self) -> Points:
        """How often each side has euchred the other; (0, 0) on a card without hands."""
        first, second = (
            sum(hand.euchre and hand.scored == side for hand in self.hands.values())
            for side in (0, 1)
        )
        return first, second

    @property
    def signer(self) -> Signature | None:
        """The side that waits for the other's signature."""
        return next(iter(self.signed.values()), None) if len(self.signed) == 1 else None


def worth(rules: RuleSet) -> dict[str, int]:
    """Return the points of each outcome, of lone hands as "made alone" and "made defended"."""
    hands = [("", False, False), (" alone", True, False), (" defended", True, True)]
    return {PASSED: 0} | {
        f"{took}{how}": results(rules, 0, alone=alone, defended=defended)[tricks].points
        for how, alone, defended in hands[: 1 + rules.alone + rules.defend_alone]
        for took, tricks in TRICKS.items()
        if took != NONE or rules.skunk != rules.euchre
    }


def counts_passed(event: Event, match: Pairing) -> bool:
    """Return whether a hand thrown in counts among those of a match."""
    kind, _deals = matches.match_kind(event, match)
    return kind == Event.Match.DEALS and not event.rules.always_played


def hand_of(rules: RuleSet, number: int, key: str, values: Mapping[str, Any]) -> RoomHand:
    """Return a hand from the values of its line."""
    caller, took, alone = values["caller"], values["took"], values["alone"]
    if took == PASSED:
        return RoomHand(number, key, NOBODY, took, False, NOBODY, 0)
    defended = alone and values.get("defended", False)
    how = " defended" if defended else " alone" if alone else ""
    side = 1 - caller if took in (NONE, FEW) else caller
    points = worth(rules)[f"{took}{how}"]
    return RoomHand(number, key, caller, took, alone, side, points, defended)


def card_of(event: Event, match: Pairing, lines: Iterable[ScoreLine]) -> RoomCard:
    """Return the card of a match from its lines in order, with their players."""
    card = RoomCard()
    for line in lines:
        card.lines += 1
        if line.kind == Kind.SIGN:
            if len(card.signed) == 2:  # a director has opened the match again
                card.signed.clear()
            card.signed[line.side] = _signature(line)
            if card.disputed is not None and card.disputed.side == line.side:
                card.disputed = None  # nobody else takes it back
        elif line.kind == Kind.DISPUTE:
            card.disputed = _signature(line)
        else:
            card.signed.clear()
            card.disputed = None
            _change(card, line, event.rules)
    _add_up(event, match, card)
    return card


def _change(card: RoomCard, line: ScoreLine, rules: RuleSet) -> None:
    """Apply a line that changes the score."""
    if line.kind == Kind.PENALTY:
        first, second = line.values["points"]
        offence, after = line.values["offence"], len(card.written)
        card.penalties[line.key] = RoomPenalty(
            line.key, line.side, offence, (first, second), after, bool(card.games)
        )
    elif line.kind == Kind.LIFT:
        card.penalties.pop(line.values["penalty"], None)
    elif line.kind == Kind.CLEAR:
        card.hands.clear()
        card.games.clear()
        card.lines, card.cleared = 0, card.cleared + 1
    elif line.kind == Kind.TAKE_BACK:
        (card.games or card.hands).pop(line.number, None)
    elif line.kind == Kind.HAND:
        card.hands[line.number] = hand_of(rules, line.number, line.key, line.values)
    else:
        points, lone = line.values["points"], line.values["lone"]
        card.games[line.number] = RoomGame(
            line.number, line.key, (points[0], points[1]), (lone[0], lone[1])
        )


def _signature(line: ScoreLine) -> Signature:
    return Signature(
        side=line.side,
        at=line.at,
        phone=line.phone,
        name=line.player.name if line.player else "",
        scores=tuple((one[0], one[1]) for one in line.values.get("scores", ())),
        ended=line.values.get("ended", possible.PLAYED),
        hand=line.number,
        said=line.said,
        seated=line.values.get("seated", False),
        here=line.values.get("here", True),
    )


def _add_up(event: Event, match: Pairing, card: RoomCard) -> None:
    """Set the scores of a card's games, and whether they end the match."""
    kind, deals = matches.match_kind(event, match)
    card.games_to_win = needed = GAMES_TO_WIN.get(Event.Match(kind), 1)
    hands = [card.hands[number] for number in sorted(card.hands)]
    if kind == Event.Match.DEALS:
        must_be_won = matches.plays_off_ties(event, match.round)
        score = _penalized((0, 0), card, 0)
        for hand in hands:
            over = hand.number > (deals or 1) and not (must_be_won and score[0] == score[1])
            if over and not card.surplus:
                card.surplus = hand.number
            score = _penalized(_plus(score, hand), card, hand.number)
        if card.games:
            score, enough = _penalized(card.games[1].points, card, 1), True
        else:
            enough = len(hands) >= (deals or 1)
        card.scores = (score,) if card.written or card.penalties else ()
        card.tied = enough and must_be_won and score[0] == score[1]
        card.complete = enough and not card.tied
        return
    games = [
        _penalized(card.games[number].points, card, number, event.rules.target)
        for number in sorted(card.games)
    ]
    if not card.games:
        games = _games(event.rules, hands, needed, card)
    finished = [score for score in games if _over(event.rules, score)]
    won = [matches.leader(*score) for score in finished]
    card.scores, card.finished = tuple(games), tuple(finished)
    card.complete = max(won.count(0), won.count(1)) >= needed


def _games(rules: RuleSet, hands: Sequence[RoomHand], needed: int, card: RoomCard) -> list[Points]:
    """Return the scores of the games that hands make up, the last one perhaps unfinished."""
    games: list[Points] = []
    won = [0, 0]
    if card.penalties:
        games.append(_penalized((0, 0), card, 0))
        if _over(rules, games[-1]):
            won[matches.leader(*games[-1])] += 1
    for hand in hands:
        if max(won) >= needed:
            card.surplus = card.surplus or hand.number
        if not games or _over(rules, games[-1]):
            games.append((0, 0))
        games[-1] = _plus(games[-1], hand)
        over = _over(rules, games[-1])
        won[matches.leader(*games[-1])] += over
        if over and max(won) < needed and _given_after(card, hand.number):
            games.append((0, 0))  # a penalty between two games counts for the next
            over = False
        games[-1] = _penalized(games[-1], card, hand.number, rules.target if over else None)
        if not over and _over(rules, games[-1]):
            won[matches.leader(*games[-1])] += 1
    return games


def _given_after(card: RoomCard, number: int) -> list[RoomPenalty]:
    """Return the penalties that count after so many hands, or for the game with that number."""
    if card.games:
        return [one for one in card.penalties.values() if one.on_top and one.after == number]
    last = len(card.hands)
    return [one for one in card.penalties.values() if min(one.after, last) == number]


def _penalized(score: Points, card: RoomCard, number: int, target: int | None = None) -> Points:
    for one in _given_after(card, number):
        score = penalties.applied(score, one.points, target)
    return score


def _over(rules: RuleSet, score: Points) -> bool:
    return max(score) >= (rules.target or 0)


def _plus(score: Points, hand: RoomHand) -> Points:
    if hand.scored == NOBODY:
        return score
    return score[0] + hand.points * (hand.scored == 0), score[1] + hand.points * (hand.scored == 1)


def ruling_of(event: Event, match: Pairing, card: RoomCard, ended: str) -> Ruling:
    """Return the result of a card, at its end or, with `ended` "time", as it is now.

    Prefetch `entries__entry` of the match.
    """
    scores = card.scores or ((0, 0),)
    if card.games_to_win > 1:
        leads = [matches.leader(*score) for score in card.finished]
        winner = matches.leader(leads.count(0), leads.count(1))
        if winner == TIE and len(scores) > len(card.finished):
            winner = matches.leader(*scores[-1])
    else:
        winner = matches.leader(*scores[0])
    if winner == TIE and ended == possible.TIME and matches.needs_winner(event, match.round):
        winner = matches.by_lot(match)
    return Ruling(winner, ended, scores, card.lone)


def ending(event: Event, match: Pairing, card: RoomCard, at: datetime) -> tuple[str, str]:
    """Return how a match has ended by its card, and why the score cannot be signed.

    The first is `possible.PLAYED`, `possible.TIME` once the table's time is up, or empty while it
    goes on. `at`: now, or when the event was paused. Prefetch `entries__entry` of the match.
    """
    if not card.written:
        return "", ""
    if card.surplus:
        return "", f"The match is over before hand {card.surplus}: take the last hand back."
    if goes_on_tied(event, match, card, at):
        return "", f"It is tied at {card.shown[0]}–{card.shown[1]}. Play one more hand."
    ways = [possible.PLAYED] if card.complete else []
    if _time_is_up(match, at):
        ways.append(possible.TIME)
    why = ""
    for ended in ways:
        found = dict(possible.errors(event, match, ruling_of(event, match, card, ended)))
        if not found:
            return ended, ""
        why = why or " ".join(found.values())
    return "", why


def goes_on_tied(event: Event, match: Pairing, card: RoomCard, at: datetime) -> bool:
    """Return whether the score is tied when it would count, and another hand decides it.

    In a knock-out the lot decides once time is up. `at`: as for `ending`.
    """
    time_up = _time_is_up(match, at)
    if time_up and matches.needs_winner(event, match.round):
        return False
    if not time_up or not matches.plays_off_ties(event, match.round):
        return card.tied
    return ruling_of(event, match, card, possible.PLAYED).winner == TIE


def _time_is_up(match: Pairing, at: datetime) -> bool:
    return match.ends is not None and at >= match.ends
