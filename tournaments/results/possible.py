"""Whether a result is possible under the rules of a match, with errors by form field.

A game's possible scores are those that hands can add up to, one after another, until a side reaches
the target or the hands are over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from games.engine.rules import NEVER, RuleSet
from games.engine.scoring import points_possible
from tournaments.models import Event, Pairing
from tournaments.models.events import GAMES_TO_WIN
from tournaments.results import matches
from tournaments.results.matches import TIE

#: The most points that a side can be given in a match; no rules allow more.
MAX_POINTS: Final = 999
PLAYED, TIME, FORFEIT = Pairing.How.PLAYED, Pairing.How.TIME, Pairing.How.FORFEIT

Points = tuple[int, int]
#: An error: the field of the form, and a sentence.
FieldError = tuple[str, str]


class Ruling(NamedTuple):
    """A result set by hand; `winner` is -1 for a tie, or a forfeit by both.

    A match of one game, or of a number of hands, has one score, a forfeit none. `lone`: the lone
    marches of each side of a match in the room, where no log counts them; None: as before.
    """

    winner: int
    ended: str
    scores: tuple[Points, ...]
    lone: Points | None = None

    @property
    def points(self) -> Points:
        return sum(one[0] for one in self.scores), sum(one[1] for one in self.scores)

    @property
    def games(self) -> Points:
        """The games won by each side; a match of one game counts as that game."""
        if len(self.scores) > 1:
            leads = [matches.leader(*score) for score in self.scores]
            return leads.count(0), leads.count(1)
        return int(self.winner == 0), int(self.winner == 1)


def most_games(event: Event, match: Pairing) -> int:
    """Return how many games a match can have; 1 for one game or a number of hands."""
    kind, _deals = matches.match_kind(event, match)
    return 2 * GAMES_TO_WIN.get(Event.Match(kind), 1) - 1


def field(event: Event, match: Pairing, game: int, side: int) -> str:
    return f"points_{side}" if most_games(event, match) == 1 else f"game_{game + 1}_{side}"


def limited(match: Pairing) -> bool:
    return match.round.ends is not None


def errors(event: Event, match: Pairing, ruling: Ruling) -> Iterator[FieldError]:
    """Yield the reasons why a result is impossible for a match, as field and sentence."""
    if ruling.winner not in {TIE, 0, 1}:
        yield "winner", "The winner is a side, or nobody."
    elif (
        ruling.winner == TIE
        and ruling.ended != FORFEIT
        and matches.needs_winner(event, match.round)
    ):
        yield "winner", "A knock-out match has a winner, unless both sides forfeit it."
    elif _is_played_off(event, match, ruling):
        first = "" if limited(match) else "end the round’s time, then "
        words = "A tied match is not over here: the table plays one more hand. If it cannot,"
        yield "winner", f"{words} {first}choose “On time”."
    elif ruling.ended == FORFEIT:
        yield from (
            (field(event, match, game, side), "A forfeit has no points: leave it empty.")
            for game, score in enumerate(ruling.scores)
            for side in (0, 1)
            if score[side]
        )
    elif ruling.ended == TIME and not limited(match):
        yield "ended", "This round has no time limit: its matches are played to the end."
    elif ruling.ended not in {PLAYED, TIME}:
        yield "ended", "Choose played, on time or forfeit."
    elif most_games(event, match) > 1:
        yield from _several(event, match, ruling)
    elif len(ruling.scores) != 1:
        yield field(event, match, 0, 0), "This match has one score."
    else:
        yield from _one(event, match, ruling)
    yield from _lone(event, match, ruling)


def _is_played_off(event: Event, match: Pairing, ruling: Ruling) -> bool:
    """Return whether a tie cannot be the end of a match that was played to its end.

    It can be on time, where the tied table could not go on, and by a penalty given afterwards.
    """
    tied = ruling.winner == TIE and ruling.ended == PLAYED
    return tied and event.ties == Event.Ties.HAND and not any(match.penalties)


def _lone(event: Event, match: Pairing, ruling: Ruling) -> Iterator[FieldError]:
    worth = event.rules.alone_march
    played = [
        max(0, one - given) for one, given in zip(ruling.points, match.penalties, strict=True)
    ]
    for side, count in enumerate(ruling.lone or ()):
        if count and (not event.rules.alone or count * worth > played[side]):
            points = played[side]
            words = f"{count} lone marches bring {count * worth} points; this side has {points}."
            yield f"lone_{side}", words


def _one(event: Event, match: Pairing, ruling: Ruling) -> Iterator[FieldError]:
    kind, deals = matches.match_kind(event, match)
    (score,) = ruling.scores
    if any(match.penalties):
        found = _with_penalties(event, match, ruling, kind, deals)
    elif kind == Event.Match.DEALS:
        must_be_won = matches.plays_off_ties(event, match.round)
        # In a duplicate event, and in the room, a hand that is thrown in counts, for no points. In
        # a duplicate event so does one that is folded, or that a stuck dealer may not make.
        rules, duplicate = event.rules, event.first_stage.duplicate
        fewer = (duplicate or match.in_room) and not rules.stick_the_dealer
        fewer |= duplicate and (rules.own_trump or rules.fold != NEVER)
        ended = TIME if fewer else ruling.ended
        found = _hands(rules, deals or 1, score, ended, must_be_won=must_be_won)
    elif ruling.ended == TIME:
        found = _unfinished(event.rules, score)
    else:
        found = _finished(event.rules, score)
    wrong = [(field(event, match, 0, side), words) for side, words in found]
    yield from wrong
    if not wrong:
        yield from _winner(event, match, ruling, matches.leader(*score))


def _with_penalties(
    event: Event, match: Pairing, ruling: Ruling, kind: str, deals: int | None
) -> Iterator[tuple[int, str]]:
    """Check a score that includes penalties: they and the hands bring no more points."""
    rules, (score,) = event.rules, ruling.scores
    best, given = max(points_possible(rules)), sum(max(0, one) for one in match.penalties)
    if kind == Event.Match.DEALS:
        hands = deals or 1
        most = best * hands + given
        if matches.plays_off_ties(event, match.round):
            # A tie is followed by another hand, and each point of a penalty can make one more.
            most += best * (1 + sum(abs(one) for one in match.penalties))
        if sum(score) > most:
            total = f"{hands} hands and the penalties bring at most {most} points together"
            yield int(score[1] > score[0]), f"{total}, not {sum(score)}."
        return
    yield from _game_with_penalties(rules, score, given, ended=ruling.ended)


def _game_with_penalties(
    rules: RuleSet, score: Points, given: int, *, ended: str
) -> Iterator[tuple[int, str]]:
    target, best = rules.target or 0, max(points_possible(rules))
    high = int(score[1] > score[0])
    if score[high] >= target + best + given:
        yield high, f"A game to {target} with these penalties is not won with {score[high]} points."
    elif ended == PLAYED and score[high] < target:
        yield high, f"A game to {target} is not over at {score[0]}–{score[1]}."
    elif score[1 - high] >= target:
        yield 1 - high, f"The loser of a game to {target} has fewer than {target} points."


def _several(event: Event, match: Pairing, ruling: Ruling) -> Iterator[FieldError]:
    rules, needed = event.rules, (most_games(event, match) + 1) // 2
    won = [0, 0]
    open_game: Points | None = None
    wrong = False
    for game, score in enumerate(ruling.scores):
        last = game == len(ruling.scores) - 1
        unfinished = ruling.ended == TIME and last and max(score) < (rules.target or 0)
        if max(won) == needed:
            wrong = True
            yield field(event, match, game, 0), f"The match was won before game {game + 1}."
            break
        for side, words in _game(match, rules, score, finished=not unfinished):
            wrong = True
            yield field(event, match, game, side), words
        if unfinished:
            open_game = score
        else:
            won[matches.leader(*score)] += 1
    if wrong:
        return
    if ruling.ended == PLAYED and max(won) < needed:
        last_field = field(event, match, len(ruling.scores), 0)
        yield last_field, f"It takes {needed} games to win; {won[0]}–{won[1]} is not the end."
        return
    if ruling.ended == TIME and max(won) == needed:
        yield "ended", f"With {needed} games won the match was played to its end."
        return
    led = matches.leader(*won)
    if led == TIE and open_game is not None:
        led = matches.leader(*open_game)
    yield from _winner(event, match, ruling, led)


def _game(
    match: Pairing, rules: RuleSet, score: Points, *, finished: bool
) -> Iterator[tuple[int, str]]:
    """Check a game of several; a penalty can be in any of them."""
    if any(match.penalties):
        given = sum(max(0, one) for one in match.penalties)
        ended = PLAYED if finished else TIME
        return _game_with_penalties(rules, score, given, ended=ended)
    return _finished(rules, score) if finished else _unfinished(rules, score)


def _winner(event: Event, match: Pairing, ruling: Ruling, led: int) -> Iterator[FieldError]:
    """Check that the winner is the side that leads by the scores, or by lot when time is up."""
    if led == TIE and matches.needs_winner(event, match.round):
        if ruling.ended != TIME:
            yield "winner", "A knock-out match cannot end in a tie."
        elif ruling.winner != matches.by_lot(match):
            yield (
                "winner",
                "A knock-out match tied at time goes to the other side, which has the better lot.",
            )
    elif ruling.winner != led:
        names = {0: "the first side won", 1: "the second side won", TIE: "it was a tie"}
        yield "winner", f"With these points {names[led]}."


# Scores ------------------------------------------------------------------------------------


def _sums(rules: RuleSet, below: int) -> set[int]:
    values, sums = points_possible(rules), {0}
    for points in range(1, below):
        if any(points - value in sums for value in values):
            sums.add(points)
    return sums


def _finished(rules: RuleSet, score: Points) -> Iterator[tuple[int, str]]:
    target = rules.target or 0
    before = _sums(rules, target)
    ends = {
        one + value for one in before for value in points_possible(rules) if one + value >= target
    }
    first, second = score
    high, low = (0, 1) if first >= second else (1, 0)
    if score[high] not in ends:
        yield high, f"A game to {target} is won with {_listed(ends)} points, not {score[high]}."
    elif score[low] not in before:
        words = f"fewer than {target}" if score[low] >= target else "a number that hands add up to"
        yield low, f"The loser of a game to {target} has {words}, not {score[low]}."


def _unfinished(rules: RuleSet, score: Points) -> Iterator[tuple[int, str]]:
    before = _sums(rules, rules.target or 0)
    for side in (0, 1):
        if score[side] not in before:
            words = f"With {score[side]} points a game to {rules.target} was not ended by time"
            fewer = f"Time ends a game to {rules.target} below {rules.target}, not at {score[side]}"
            yield side, f"{words if score[side] >= (rules.target or 0) else fewer}."


def _hands(
    rules: RuleSet, hands: int, score: Points, ended: str, *, must_be_won: bool
) -> Iterator[tuple[int, str]]:
    """Check a match of a number of hands; if it must be won, ties are continued hand by hand."""
    fewest = 0 if ended == TIME else hands
    numbers = range(fewest, hands + 1)
    reached = any(_in_hands(rules, score, number) for number in numbers)
    tie, ahead = min(score), max(score) - min(score)
    extra = must_be_won and ahead > 0 and ahead in points_possible(rules)
    extra = extra and _in_hands(rules, (tie, tie), hands)
    if must_be_won and ended == PLAYED and score[0] == score[1]:
        reached = False
    if not (reached or extra):
        least, most = min(points_possible(rules)) * fewest, max(points_possible(rules)) * hands
        total = sum(score)
        words = f"{hands} hands bring {least} to {most} points together, not {total}."
        if least <= total <= most:
            words = f"{score[0]}–{score[1]} is not possible in {hands} hands."
        yield int(score[1] > score[0]), words


def _in_hands(rules: RuleSet, score: Points, hands: int) -> bool:
    """Return whether a number of hands, each won by one side, can end with a score."""
    first, second = _exactly(rules, hands, score[0]), _exactly(rules, hands, score[1])
    return any(hands - number in second for number in first)


def _exactly(rules: RuleSet, most: int, points: int) -> set[int]:
    """Return the numbers of hands, up to a limit, in which a side can score these points."""
    reached, numbers = {0}, set()
    for number in range(most + 1):
        if points in reached:
            numbers.add(number)
        reached = {
            one + value
            for one in reached
            for value in points_possible(rules)
            if one + value <= points
        }
    return numbers


def _listed(numbers: Sequence[int] | set[int]) -> str:
    """Return numbers in words: "10 to 13", "10, 12 or 14"."""
    ordered = sorted(numbers)
    if len(ordered) > 2 and ordered == list(range(ordered[0], ordered[-1] + 1)):
        return f"{ordered[0]} to {ordered[-1]}"
    *most, last = (str(one) for one in ordered)
    return f"{', '.join(most)} or {last}" if most else last
