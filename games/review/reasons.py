"""Why an option is better, in one or two short sentences.

Each sentence comes from a rule that holds for what the player saw: what they held, what lay on the
table, what had been played. Where no rule fits there is none, and the caller says `NO_RULE`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from games.bots.memory import BEATEN_BY, Memory, remember
from games.engine.actions import DISCARD, MAKE, ORDER, PASS, Action
from games.engine.cards import (
    BENNY,
    EFFECTIVE_SUIT,
    JOKER,
    LOW,
    STRENGTH,
    SUIT_MASK,
    SUIT_NAMES,
    TRUMP_NAMES,
    UNNAMED,
    card_text,
    left_bower,
    rank_of,
    right_bower,
)
from games.engine.observation import FIRST_ROUND, Observation
from games.engine.rules import HAND, PACKS, PICK_UP
from games.engine.scoring import NEEDED
from games.engine.tricks import suit_led, winner
from games.picture.cast import Cast
from games.picture.phrases import NUMBERS, RANKS, counted
from games.review import answers
from games.review.answers import ANSWERS

#: A sentence as in the log: texts, a card as ``[code]``, a suit as ``[letter, name]``.
Words = list[Any]

ACE: Final = RANKS.index("ace")
#: Said of a card for which no rule holds; a call always has a reason.
NO_RULE: Final = "No rule of thumb: it simply wins most often with the cards still out."


class ReviewCase(NamedTuple):
    """A decision whose action taken was not the best, and the points that were lost."""

    seen: Observation
    taken: Action
    best: Action
    loss: float
    cast: Cast

    @property
    def trump(self) -> int:
        return self.seen.trump

    @property
    def makes(self) -> bool:
        """Return True if the player's side made trump."""
        rules = self.seen.rules
        return rules.side_of(self.seen.maker) == rules.side_of(self.seen.turn)

    def is_trump(self, card: int) -> bool:
        return EFFECTIVE_SUIT[self.trump][card] == self.trump

    def suit(self, card: int) -> int:
        return EFFECTIVE_SUIT[self.trump][card]

    def strength(self, card: int) -> int:
        """Return the strength of a card in its own suit, trumps above all others."""
        return STRENGTH[self.trump][self.suit(card)][card]

    def left_in(self, card: int) -> int:
        """Return how many cards of its suit the hand keeps when a card goes."""
        return (self.seen.hand & SUIT_MASK[self.trump][self.suit(card)]).bit_count() - 1

    @property
    def memory(self) -> Memory:
        return remember(self.seen)

    def makes_void(self, taken: int, best: int) -> bool:
        """Return True if the best card is the last of a plain suit that others may still hold.

        The hand then has trumps for that suit; the card taken would not have made it void.
        """
        others = 0
        for cards in self.memory.may_hold:
            others |= cards
        return (
            not self.is_trump(best)
            and self.left_in(best) == 0 < self.left_in(taken)
            and self.memory.trumps != 0
            and others & SUIT_MASK[self.trump][self.suit(best)] != 0
        )


def reason(case: ReviewCase) -> Words:
    """Return why the best option is better, or nothing if no rule says so."""
    if case.taken.kind in (PASS, ORDER, MAKE):
        return _of_call(case)
    if case.best.kind in ANSWERS:
        return _of_answer(case)
    rules = _DISCARDS if case.taken.kind == DISCARD else _LEADS
    if case.seen.plays:
        rules = _FOLLOWS
    taken, best = case.taken.value, case.best.value
    words = next((words for rule in rules if (words := rule(case, taken, best))), [])
    return _with_left_bower(words, case.trump)


def _say(text: str, *cards: int) -> Words:
    """Return a sentence; each ``*`` in the text is the next of the cards."""
    words: Words = []
    for at, part in enumerate(text.split("*")):
        if at:
            words.append([card_text(cards[at - 1])])
        if part:
            words.append(part)
    return words


def _with_left_bower(words: Words, trump: int) -> Words:
    """Return words that name the left bower as such, as its face shows another suit."""
    if trump >= UNNAMED:
        return words
    left = [card_text(left_bower(trump))]
    named: Words = []
    for word in words:
        named += [word, " (left bower)"] if word == left else [word]
    return named


# Calls --------------------------------------------------------------------------------------


def _of_call(case: ReviewCase) -> Words:
    seen, taken, best = case.seen, case.taken, case.best
    points = f"{case.loss:.1f} points"
    if taken.kind == PASS:
        better = _calling(seen, best)
        return [f"Passing loses {points} here. {better} is better: {holding(seen, best)}."]
    if best.kind == PASS:
        said = f"{_calling(seen, taken)} loses {points} here: {holding(seen, taken)}."
        return [f"{said}{_after_a_pass(case)}"]
    if _suit(seen, taken) != _suit(seen, best):
        return [f"{_calling(seen, best)} is {points} better: {holding(seen, best)}."]
    if best.alone:
        return [f"Playing alone gains {points}: {holding(seen, best)}."]
    return [f"Playing alone loses {points}: {holding(seen, taken)}. A partner would help."]


def _after_a_pass(case: ReviewCase) -> str:
    """Return what passing keeps open: a better suit to call, or a dealer who must name one."""
    seen, rules, dealer = case.seen, case.seen.rules, case.seen.dealer
    if seen.phase == FIRST_ROUND:
        better = max(_others(seen), key=lambda suit: _weight(suit, seen.hand))
        if _weight(better, seen.hand) > _weight(seen.turned_suit, seen.hand | 1 << seen.turn_up):
            suit = SUIT_NAMES[better].capitalize()
            return f" {suit} would be better: {holding(seen, Action(MAKE, better))}."
    elif rules.stick_the_dealer and rules.side_of(dealer) != rules.side_of(seen.turn):
        return f" If all pass, {case.cast[dealer].short} must name a suit."
    return ""


def _others(seen: Observation) -> list[int]:
    return [suit for suit in range(len(SUIT_NAMES)) if suit != seen.turned_suit]


def _weight(trump: int, cards: int) -> int:
    """Return the trumps among some cards, bowers counted twice."""
    bowers = 1 << right_bower(trump) | 1 << left_bower(trump)
    trumps = cards & SUIT_MASK[trump][trump]
    return trumps.bit_count() + (trumps & bowers).bit_count()


def _of_answer(case: ReviewCase) -> Words:
    start, *others = answers.words(case.seen, case.best)
    better = f": that is {case.loss:.1f} points better. "
    return [f"{start[0].upper()}{start[1:]}", *others, better, why(case.seen, case.best)]


def why(seen: Observation, answer: Action) -> str:
    """Return the rule of thumb for an answer that only some rules ask for."""
    return answers.why(seen, answer, holding(seen, answer))


def _suit(seen: Observation, call: Action) -> int:
    if call.kind == MAKE:
        return call.value
    return seen.turned_suit if seen.trump == UNNAMED else seen.trump


def _calling(seen: Observation, call: Action) -> str:
    alone = " alone" if call.alone else ""
    if call.kind == MAKE:
        verb = "Making it" if seen.rules.old_words else "Calling"
        return f"{verb} {TRUMP_NAMES[call.value]}{alone}"
    if seen.turn != seen.dealer:
        return f"Ordering it up{alone}"
    picks = seen.rules.old_words and seen.rules.calls == PICK_UP
    return f"{'Picking' if picks else 'Taking'} it up{alone}"


def holding(seen: Observation, call: Action) -> str:
    """Return what a hand has for a call: "three trumps, the right bower and an ace outside"."""
    trump, hand = _suit(seen, call), seen.hand
    if trump > UNNAMED:
        best = PACKS[seen.rules.pack][0] if trump == LOW else ACE
        number = sum(hand >> (suit * 8 + best) & 1 for suit in range(len(SUIT_NAMES)))
        return counted(number, RANKS[best], f"{RANKS[best]}s")
    taken_up = call.kind == ORDER and seen.turn == seen.dealer
    if taken_up:
        hand |= 1 << seen.turn_up
    trumps = hand & SUIT_MASK[trump][trump]
    parts = [counted(trumps.bit_count(), "trump", "trumps")]
    if taken_up:
        parts[0] += " with the turn-up"
    if trumps:
        parts += _tops(trump, trumps)
    plain = (suit for suit in range(len(SUIT_NAMES)) if suit != trump)
    aces = sum(hand >> (suit * 8 + ACE) & 1 for suit in plain)
    if aces:
        parts.append("an ace outside" if aces == 1 else f"{NUMBERS[aces]} aces outside")
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


def _tops(trump: int, trumps: int) -> list[str]:
    bowers = [trumps >> card & 1 for card in (right_bower(trump), left_bower(trump))]
    named = {(1, 1): "both bowers", (1, 0): "the right bower", (0, 1): "the left bower"}
    names = {JOKER: "the joker", BENNY: "the Benny"}
    joker = [name for card, name in names.items() if trumps >> card & 1]
    return [*joker, named.get((bowers[0], bowers[1]), "no bower")]


# The discard --------------------------------------------------------------------------------


def _keep_trump(case: ReviewCase, taken: int, best: int) -> Words:
    if case.is_trump(taken) and not case.is_trump(best):
        return _say("Keep every trump. * can go.", best)
    return []


def _make_void(case: ReviewCase, taken: int, best: int) -> Words:
    if case.makes_void(taken, best):
        suit = SUIT_NAMES[case.suit(best)]
        return _say(f"Throw *: with no {suit} left, a trump can take that suit.", best)
    return []


def _keep_ace(case: ReviewCase, taken: int, best: int) -> Words:
    if case.trump > UNNAMED:
        if case.memory.is_master(taken) and not case.memory.is_master(best):
            return _say("The other side cannot beat your *. Keep it and throw *.", taken, best)
        return []
    if rank_of(taken) == ACE and not case.is_trump(taken) and rank_of(best) != ACE:
        return _say("Your * can only be trumped. Keep it and throw *.", taken, best)
    return []


def _throw_lower(case: ReviewCase, taken: int, best: int) -> Words:
    if case.suit(taken) == case.suit(best) and case.strength(taken) > case.strength(best):
        word = "weaker" if case.trump == LOW else "lower"
        return _say(f"Throw the {word} card: * instead of *.", best, taken)
    return []


# Following ----------------------------------------------------------------------------------


class _Table(NamedTuple):
    """The trick so far.

    Attributes:
        led: the suit to follow.
        ahead, card: who is winning, and with which card.
        by_partner: it is the partner of the seat in turn.
        is_last: nobody plays after this seat.
        partner_plays: the partner of the seat in turn plays after it.
        to_come: the cards that opponents who play after this seat may hold.
    """

    trump: int
    led: int
    ahead: int
    card: int
    by_partner: bool
    is_last: bool
    partner_plays: bool
    to_come: int

    def wins(self, card: int) -> bool:
        return self.beating(self.card) >> card & 1 == 1

    def beating(self, card: int) -> int:
        return BEATEN_BY[self.trump][self.led][card]

    def may_lose(self, card: int) -> bool:
        """Return True if an opponent who plays later may beat a card."""
        return self.to_come & self.beating(card) != 0


def _table(case: ReviewCase) -> _Table:
    seen, rules = case.seen, case.seen.rules
    ahead = winner(case.trump, seen.plays)
    played = {seat for seat, _ in seen.plays} | {seen.turn, *seen.sitting_out}
    later = [seat for seat in range(rules.players) if seat not in played]
    to_come = 0
    for seat in later:
        if rules.side_of(seat) != rules.side_of(seen.turn):
            to_come |= case.memory.may_hold[seat]
    return _Table(
        case.trump,
        suit_led(case.trump, seen.plays),
        ahead,
        dict(seen.plays)[ahead],
        rules.partner_of(seen.turn) == ahead,
        not later,
        rules.partner_of(seen.turn) in later,
        to_come,
    )


def _partners_trick(case: ReviewCase, taken: int, best: int) -> Words:
    table = _table(case)
    if not table.by_partner or not table.wins(taken) or table.wins(best):
        return []
    name = case.cast[table.ahead].short
    already = "has the trick" if table.is_last else "is already winning"
    return _say(f"{name}’s * {already}. Play * and keep * for later.", table.card, best, taken)


def _take_partners(case: ReviewCase, taken: int, best: int) -> Words:
    table = _table(case)
    if not table.by_partner or table.wins(taken) or not table.wins(best):
        return []
    name = case.cast[table.ahead].short
    if table.may_lose(table.card):
        return _say(f"{name}’s * can still be beaten. Go over it with *.", table.card, best)
    return _say(f"Go over {name}’s * with * and lead next.", table.card, best)


def _win_it(case: ReviewCase, taken: int, best: int) -> Words:
    table = _table(case)
    if table.by_partner or not table.wins(best) or table.wins(taken):
        return []
    if table.is_last:
        return _say("This trick is there to take: * wins it.", best)
    name = case.cast[table.ahead].short
    return _say(f"{name}’s * is winning. Go over it with *.", table.card, best)


def _enough(case: ReviewCase, taken: int, best: int) -> Words:
    table = _table(case)
    if not table.wins(taken) or not table.wins(best) or case.strength(best) > case.strength(taken):
        return []
    if not table.may_lose(best):
        return _say("* is enough here. Keep * for later.", best, taken)
    name = case.cast[table.ahead].short
    return _say(f"* beats {name}’s * too. Keep * for later.", best, table.card, taken)


def _too_low(case: ReviewCase, taken: int, best: int) -> Words:
    table = _table(case)
    if not table.wins(taken) or not table.wins(best):
        return []
    if table.to_come & table.beating(taken) & ~table.beating(best):
        return _say("An opponent who plays later may beat *. * is harder to beat.", taken, best)
    return []


def _not_worth(case: ReviewCase, taken: int, best: int) -> Words:
    table = _table(case)
    if table.by_partner or not table.wins(taken) or table.wins(best):
        return []
    seen = case.seen
    won = seen.tricks_won[seen.rules.side_of(seen.turn)]
    if table.partner_plays and NEEDED - won == HAND - len(seen.tricks):  # every trick is worth it
        return _say("Leave this trick to your partner: play * and keep * for later.", best, taken)
    return _say("This trick is not worth *. Play * and wait.", taken, best)


def _lost_anyway(case: ReviewCase, taken: int, best: int) -> Words:
    table = _table(case)
    if table.wins(taken) or table.wins(best):
        return []
    if case.is_trump(taken) and not case.is_trump(best):
        return _say("* cannot win this trick. Keep it and play *.", taken, best)
    return (
        _make_void(case, taken, best)
        or _keep_ace(case, taken, best)
        or _throw_lower(case, taken, best)
    )


# Leading ------------------------------------------------------------------------------------


def _draw_trump(case: ReviewCase, taken: int, best: int) -> Words:
    if not case.makes or not case.is_trump(best) or case.is_trump(taken):
        return []
    if case.memory.opponents_trumps:
        return _say("The other side may still hold trumps. Draw them: lead *.", best)
    return []


def _not_trump(case: ReviewCase, taken: int, best: int) -> Words:
    if not case.is_trump(taken) or case.is_trump(best):
        return []
    if case.makes or case.memory.is_master(taken):
        return _say("Keep * for later. Lead *.", taken, best)
    return _say("Leading * helps the makers. Lead *.", taken, best)


def _other_trump(case: ReviewCase, taken: int, best: int) -> Words:
    if not case.is_trump(taken) or not case.is_trump(best):
        return []
    if case.strength(best) < case.strength(taken):
        return _say("Lead the lower trump, *, and keep * for later.", best, taken)
    higher = BEATEN_BY[case.trump][case.trump]
    if case.memory.opponents_may_hold & higher[taken] & ~higher[best]:
        return _say("Lead the higher trump: * is harder to beat than *.", best, taken)
    return []


def _lead_ace(case: ReviewCase, taken: int, best: int) -> Words:
    if case.trump > UNNAMED:
        if case.memory.is_master(best) and not case.memory.is_master(taken):
            return _say("Lead *: the other side cannot beat it.", best)
        return []
    if rank_of(best) == ACE and not case.is_trump(best) and rank_of(taken) != ACE:
        return _say("Lead *: it can only be trumped.", best)
    return []


def _short_suit(case: ReviewCase, taken: int, best: int) -> Words:
    if case.makes_void(taken, best):
        suit = SUIT_NAMES[case.suit(best)]
        return _say(f"Lead *: with no {suit} left, a trump can take that suit.", best)
    return []


Rule = Callable[[ReviewCase, int, int], Words]
_DISCARDS: Final[tuple[Rule, ...]] = (_keep_trump, _make_void, _keep_ace, _throw_lower)
_FOLLOWS: Final[tuple[Rule, ...]] = (
    _partners_trick, _take_partners, _win_it, _enough, _too_low, _not_worth, _lost_anyway,
)  # fmt: skip
_LEADS: Final[tuple[Rule, ...]] = (
    _draw_trump, _not_trump, _other_trump, _lead_ace, _short_suit,
)  # fmt: skip
