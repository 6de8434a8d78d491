"""Every sentence of a review is true of what its player saw.

The claims are checked by plain code of its own, which knows cards as texts: the games are played by
chance, and each option is taken for the best in turn.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import Final, NamedTuple

import pytest

from games.bots import random_player
from games.engine.actions import (
    BEST,
    DECLINE,
    DEFEND,
    DISCARD,
    GIVE,
    MAKE,
    ORDER,
    PASS,
    PLAY,
    SWAP,
    Action,
)
from games.engine.cards import (
    LOW,
    SUIT_NAMES,
    SUITS,
    TRUMP_NAMES,
    TRUMP_TEXTS,
    UNNAMED,
    card_text,
    cards_in,
)
from games.engine.observation import Observation
from games.engine.rules import CLASSIC_24, PACKS
from games.hints.advice import advice_of
from games.picture.cast import cast_of
from games.puzzles.questions import ask
from games.review import wording
from games.review.decisions import decisions
from games.review.reasons import ReviewCase, reason
from games.review.summary import sentence
from games.review.sums import Balance
from tests.chance import ALL_SOURCES, rules_of
from tests.games.review.games import NAMES, play
from tests.volume import volume

GAMES = volume(12, 12, 1_000)
LOSS: Final = 0.42
SAME_COLOUR: Final = {"C": "S", "S": "C", "H": "D", "D": "H"}
CARD: Final = r"([7-9TJQKA][CDHS]|joker)"
BOWER: Final = r"( \(left bower\))?"

# Cards as texts -----------------------------------------------------------------------------


def suit(card: str, trump: str) -> str:
    if trump in SAME_COLOUR and card in ("joker", f"J{SAME_COLOUR[trump]}"):
        return trump
    return card[1]


def height(card: str, trump: str) -> int:
    """The place of a card within its suit."""
    if trump not in SAME_COLOUR:
        place = "789TJQKA".index(card[0])
        return -place if trump == TRUMP_TEXTS[LOW] else place
    tops = [f"J{SAME_COLOUR[trump]}", f"J{trump}", "joker"]
    return 10 + tops.index(card) if card in tops else "789TJQKA".index(card[0])


def beats(one: str, other: str, trump: str) -> bool:
    """Whether a card played later beats one that is ahead."""
    if suit(one, trump) == suit(other, trump):
        return height(one, trump) > height(other, trump)
    return suit(one, trump) == trump


def texts(mask: int) -> set[str]:
    return {text(card) for card in cards_in(mask)}


def text(card: int) -> str:
    return card_text(card) if card < 32 else "joker"


class Claim(NamedTuple):
    """A decision with an option that counts as the best, and the cards that its sentence names."""

    seen: Observation
    taken: Action
    best: Action
    cards: tuple[str, ...]

    @property
    def trump(self) -> str:
        return str(TRUMP_TEXTS[self.seen.trump])

    @property
    def hand(self) -> set[str]:
        return texts(self.seen.hand)

    @property
    def makes(self) -> bool:
        return (self.seen.maker - self.seen.turn) % 2 == 0

    @property
    def ahead(self) -> tuple[int, str]:
        (seat, card), *others = [(seat, text(card)) for seat, card in self.seen.plays]
        for other, later in others:
            if beats(later, card, self.trump):
                seat, card = other, later
        return seat, card

    @property
    def by_partner(self) -> bool:
        return self.seen.rules.players == 4 and (self.ahead[0] - self.seen.turn) % 4 == 2

    @property
    def later(self) -> list[int]:
        """Who plays to this trick after the seat in turn."""
        played = {seat for seat, _ in self.seen.plays} | {self.seen.turn, *self.seen.sitting_out}
        return [seat for seat in range(self.seen.rules.players) if seat not in played]

    def may_hold(self, seat: int) -> set[str]:
        """The cards that a seat may hold for all that was shown."""
        seen = self.seen
        known = self.hand | {text(card) for _, card in seen.plays}
        known |= {text(card) for trick in seen.tricks for _, card in trick.plays}
        known |= texts(seen.put_away)
        ordered = any(call.kind == ORDER for _, call in seen.calls)
        taken_up = ordered and seen.dealer not in seen.sitting_out
        if not (taken_up and seat == seen.dealer):
            known.add(text(seen.turn_up))
        cards = {text(card) for card in seen.rules.pack_in_order()} - known
        for plays in [*(trick.plays for trick in seen.tricks), seen.plays]:
            for player, card in plays:
                led = suit(text(plays[0][1]), self.trump)
                if player == seat and suit(text(card), self.trump) != led:
                    cards = {one for one in cards if suit(one, self.trump) != led}
        return cards

    @property
    def opponents(self) -> list[int]:
        players, out = self.seen.rules.players, self.seen.sitting_out
        return [
            seat for seat in range(players) if (seat - self.seen.turn) % 2 == 1 and seat not in out
        ]

    def may_beat(self, card: str, *, and_not: str = "") -> bool:
        """Whether an opponent who plays later may beat a card, with one that another card beats."""
        return any(
            beats(other, card, self.trump) and not (and_not and beats(other, and_not, self.trump))
            for seat in self.opponents
            if seat in self.later
            for other in self.may_hold(seat)
        )

    def wins(self, card: str) -> bool:
        return beats(card, self.ahead[1], self.trump)

    def named(self, *actions: Action) -> bool:
        """Whether the sentence names the cards of these actions, in this order."""
        return self.cards == tuple([text(action.value) for action in actions])

    def is_trump(self, card: str) -> bool:
        return suit(card, self.trump) == self.trump


# What each sentence claims ------------------------------------------------------------------


def keep_every_trump(one: Claim) -> bool:
    return one.named(one.best) and not one.is_trump(one.cards[0])


def void(one: Claim) -> bool:
    """No card of the suit is left, a trump is, and others may still lead the suit."""
    (card,) = one.cards
    left = {suit(other, one.trump) for other in one.hand - {card}}
    others = {*one.opponents, one.seen.turn ^ 2} - {*one.seen.sitting_out}
    return (
        one.named(one.best)
        and not one.is_trump(card)
        and suit(card, one.trump) not in left
        and one.trump in left
        and any(
            suit(other, one.trump) == suit(card, one.trump)
            for seat in others
            if seat < one.seen.rules.players
            for other in one.may_hold(seat)
        )
    )


def is_top(card: str, one: Claim) -> bool:
    return card[0] == "A" and not one.is_trump(card)


def keep_ace(one: Claim) -> bool:
    return one.named(one.taken, one.best) and is_top(one.cards[0], one)


def lower(one: Claim) -> bool:
    low, high = one.cards
    return one.named(one.best, one.taken) and beats(high, low, one.trump)


def partners(one: Claim) -> bool:
    return (
        one.by_partner
        and one.cards == (one.ahead[1], text(one.best.value), text(one.taken.value))
        and one.wins(one.cards[2])
        and not one.wins(one.cards[1])
    )


def partner_was_winning(one: Claim) -> bool:
    return partners(one) and bool(one.later)


def partner_had_it(one: Claim) -> bool:
    return partners(one) and not one.later


def over_it(one: Claim) -> bool:
    return one.cards == (one.ahead[1], text(one.best.value)) and one.wins(one.cards[1])


def partner_may_lose(one: Claim) -> bool:
    return over_it(one) and one.by_partner and one.may_beat(one.cards[0])


def lead_next(one: Claim) -> bool:
    """Nobody can take the trick any more, and another follows."""
    others = [other for seat in one.later for other in one.may_hold(seat)]
    return (
        over_it(one)
        and one.by_partner
        and not any(beats(other, one.cards[1], one.trump) for other in others)
        and len(one.hand) > 1
    )


def opponent_wins(one: Claim) -> bool:
    return over_it(one) and not one.by_partner and bool(one.later)


def there_to_take(one: Claim) -> bool:
    return one.named(one.best) and one.wins(one.cards[0]) and not one.later and not one.by_partner


def enough(one: Claim) -> bool:
    return (
        one.named(one.best, one.taken)
        and one.wins(one.cards[0])
        and not one.may_beat(one.cards[0])
        and len(one.hand) > 1
    )


def beats_too(one: Claim) -> bool:
    best, ahead, taken = one.cards
    return (
        (best, taken) == (text(one.best.value), text(one.taken.value))
        and ahead == one.ahead[1]
        and one.wins(best)
        and one.wins(taken)
    )


def may_be_beaten(one: Claim) -> bool:
    taken, best = one.cards
    return one.named(one.taken, one.best) and one.may_beat(taken, and_not=best)


def not_worth(one: Claim) -> bool:
    taken, best = one.cards
    return one.named(one.taken, one.best) and one.wins(taken) and not one.wins(best)


def left_to_partner(one: Claim) -> bool:
    """The partner plays later, and this side needs every trick that is left."""
    best, taken = one.cards
    lost = one.seen.tricks_won[1 - one.seen.turn % 2]
    return (
        one.named(one.best, one.taken)
        and one.wins(taken)
        and not one.wins(best)
        and one.seen.turn ^ 2 in one.later
        and lost == 2
    )


def cannot_win(one: Claim) -> bool:
    return one.named(one.taken, one.best) and not one.wins(one.cards[0])


def draw(one: Claim) -> bool:
    trumps = [card for seat in one.opponents for card in one.may_hold(seat) if one.is_trump(card)]
    return one.named(one.best) and one.makes and one.is_trump(one.cards[0]) and bool(trumps)


def keep_for_later(one: Claim) -> bool:
    return one.named(one.taken, one.best) and len(one.hand) > 1


def helps_makers(one: Claim) -> bool:
    others = [other for seat in one.opponents for other in one.may_hold(seat)]
    may_lose = any(beats(other, one.cards[0], one.trump) for other in others)
    return one.named(one.taken, one.best) and not one.makes and may_lose


def lower_trump(one: Claim) -> bool:
    return lower(one) and all(map(one.is_trump, one.cards)) and len(one.hand) > 1


def higher_trump(one: Claim) -> bool:
    best, taken = one.cards
    return (
        one.named(one.best, one.taken)
        and all(map(one.is_trump, one.cards))
        and beats(best, taken, one.trump)
        and one.may_beat(taken, and_not=best)
    )


def lead_ace(one: Claim) -> bool:
    return one.named(one.best) and is_top(one.cards[0], one)


def master(card: str, one: Claim) -> bool:
    """Whether no opponent can beat a card that is led in a hand without trumps."""
    others = [other for seat in one.opponents for other in one.may_hold(seat)]
    return one.seen.trump > UNNAMED and not any(beats(other, card, one.trump) for other in others)


def lead_master(one: Claim) -> bool:
    return one.named(one.best) and master(one.cards[0], one)


def keep_master(one: Claim) -> bool:
    return one.named(one.taken, one.best) and master(one.cards[0], one)


#: The sentences about cards, "*" for a card and "@" for the name of who is ahead, and what each
#: claims.
ABOUT_CARDS: Final[dict[str, Callable[[Claim], bool]]] = {
    "Keep every trump. * can go.": keep_every_trump,
    "Throw *: with no # left, a trump can take that suit.": void,
    "Lead *: with no # left, a trump can take that suit.": void,
    "Your * can only be trumped. Keep it and throw *.": keep_ace,
    "Throw the lower card: * instead of *.": lower,
    "@’s * is already winning. Play * and keep * for later.": partner_was_winning,
    "@’s * has the trick. Play * and keep * for later.": partner_had_it,
    "@’s * can still be beaten. Go over it with *.": partner_may_lose,
    "Go over @’s * with * and lead next.": lead_next,
    "@’s * is winning. Go over it with *.": opponent_wins,
    "This trick is there to take: * wins it.": there_to_take,
    "* is enough here. Keep * for later.": enough,
    "* beats @’s * too. Keep * for later.": beats_too,
    "An opponent who plays later may beat *. * is harder to beat.": may_be_beaten,
    "This trick is not worth *. Play * and wait.": not_worth,
    "Leave this trick to your partner: play * and keep * for later.": left_to_partner,
    "* cannot win this trick. Keep it and play *.": cannot_win,
    "The other side may still hold trumps. Draw them: lead *.": draw,
    "Keep * for later. Lead *.": keep_for_later,
    "Leading * helps the makers. Lead *.": helps_makers,
    "Lead the lower trump, *, and keep * for later.": lower_trump,
    "Lead the higher trump: * is harder to beat than *.": higher_trump,
    "Lead *: it can only be trumped.": lead_ace,
}

WITHOUT_TRUMPS: Final[dict[str, Callable[[Claim], bool]]] = {
    "The other side cannot beat your *. Keep it and throw *.": keep_master,
    "Lead *: the other side cannot beat it.": lead_master,
    "Throw the weaker card: * instead of *.": lower,
}


def pattern(sentence: str) -> str:
    known = re.escape(sentence).replace(r"\*", CARD + BOWER)
    return known.replace("@", "(?P<who>.+?)").replace(r"\#", "(?P<suit>[a-z]+)")


def is_true(said: str, seen: Observation, taken: Action, best: Action) -> str:
    """Return the kind of a sentence; fail if it is none or claims what is not so."""
    for kind, claim in (ABOUT_CARDS | WITHOUT_TRUMPS).items():
        found = re.fullmatch(pattern(kind), said)
        if found is None:
            continue
        named = found.groupdict()
        cards = tuple([one for one in found.groups() if one and re.fullmatch(CARD, one)])
        one = Claim(seen, taken, best, cards)
        assert claim(one), (said, seen, taken, best)
        left = f"J{SAME_COLOUR.get(one.trump)}"
        assert said.count(f"{left} (left bower)") == said.count(left) == cards.count(left)
        assert said.count("(left bower)") == cards.count(left)
        if "who" in named:
            assert named["who"] == NAMES[one.ahead[0]]
        if "suit" in named:
            assert named["suit"] == SUIT_NAMES[SUITS.index(suit(cards[0], one.trump))]
        return kind
    raise AssertionError(f"No kind of sentence: {said!r}")


def options(source: str) -> Iterator[tuple[Observation, Action, Action]]:
    """Yield what somebody saw and two different options, of games played by chance."""
    for number in range(GAMES):
        rng = Random(f"{source} {number}")
        rules = rules_of(source, rng)
        for decision in decisions(play(rules, rng, 2, random_player.choose)):
            for taken in decision.seen.legal:
                for best in decision.seen.legal:
                    if taken != best:
                        yield decision.seen, taken, best


def said_of(seen: Observation, taken: Action, best: Action) -> str:
    words = reason(ReviewCase(seen, taken, best, LOSS, cast_of(NAMES[: seen.rules.players])))
    return "".join(word if isinstance(word, str) else text_of_code(word[0]) for word in words)


def text_of_code(code: str) -> str:
    return code if re.fullmatch(CARD, code) else "joker"


# The tests ----------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ALL_SOURCES)
def test_what_is_said_of_cards_is_so(source: str) -> None:
    kinds: Counter[str] = Counter()
    for seen, taken, best in options(source):
        if taken.kind in (PLAY, DISCARD):
            said = said_of(seen, taken, best)
            if said:
                kinds[is_true(said, seen, taken, best)] += 1
    if source == CLASSIC_24.key:
        assert set(kinds) == set(ABOUT_CARDS)
    if source == "club rules":
        assert set(kinds) >= set(WITHOUT_TRUMPS)


def called(seen: Observation, call: Action) -> str:
    alone = " alone" if call.alone else ""
    if call.kind == MAKE:
        return f"Calling {TRUMP_NAMES[call.value]}{alone}"
    up = "Ordering"
    if seen.turn == seen.dealer:
        up = "Taking"
    return f"{up} it up{alone}"


#: What a pass keeps open.
KEPT_OPEN: Final = (
    r"\. ((?P<suit>[A-Z]\w+) would be better: (?P<has>.*)|If all pass, \w+ must name a suit)\.$"
)


@pytest.mark.parametrize("source", ALL_SOURCES)
def test_what_is_said_of_calls_is_so(source: str) -> None:
    """The call that is named is the one meant, alone or not, and so is what the hand has for it."""
    heads = Counter[str]()
    for seen, taken, best in options(source):
        if taken.kind not in (PASS, ORDER, MAKE):
            continue
        said = said_of(seen, taken, best)
        call = taken if best.kind == PASS else best
        if taken.kind == PASS:
            head = f"Passing loses 0.4 points here. {called(seen, best)} is better: "
        elif best.kind == PASS:
            head = f"{called(seen, taken)} loses 0.4 points here: "
        elif taken.kind == MAKE and taken.value != best.value:
            head = f"{called(seen, best)} is 0.4 points better: "
        elif best.alone:
            head = "Playing alone gains 0.4 points: "
        else:
            head, call = "Playing alone loses 0.4 points: ", taken
        assert said.startswith(head)
        heads[head] += 1
        trump = TRUMP_TEXTS[call.value if call.kind == MAKE else seen.turned_suit]
        rest = said.removeprefix(head)
        if kept := re.search(KEPT_OPEN, rest):
            assert best.kind == PASS
            rest = rest[: kept.start()]
            if kept["suit"]:
                named = Action(MAKE, SUITS.index(kept["suit"][0]))
                assert named.value != seen.turned_suit
                assert has(kept["has"], seen, named, kept["suit"][0])
            else:
                assert seen.rules.stick_the_dealer
                assert seen.rules.side_of(seen.dealer) != seen.rules.side_of(seen.turn)
        assert has(rest, seen, call, trump)
    assert len(heads) > 5


NUMBERS: Final = ("no", "one", "two", "three", "four", "five", "six")


def has(said: str, seen: Observation, call: Action, trump: str) -> bool:
    """Whether a hand has what is said of it: trumps, bowers, the joker and aces of other suits."""
    hand = texts(seen.hand)
    if trump not in SUITS:
        low = "789"[PACKS[seen.rules.pack][0]]
        best = sum(card[0] == (low if trump == "LNT" else "A") for card in hand)
        return said.startswith(NUMBERS[best])
    takes_up = call.kind == ORDER and seen.turn == seen.dealer
    if takes_up:
        hand.add(text(seen.turn_up))
    trumps = {card for card in hand if suit(card, trump) == trump}
    right, left = f"J{trump}" in hand, f"J{SAME_COLOUR[trump]}" in hand
    aces = sum(card[0] == "A" and card not in trumps for card in hand)
    number = NUMBERS[len(trumps)]
    first = f"{number} trump{'s' * (len(trumps) != 1)}{' with the turn-up' * takes_up}"
    claims = {
        "both bowers": right and left,
        "the right bower": right and not left,
        "the left bower": left and not right,
        "no bower": bool(trumps) and not right and not left,
        "the Benny" if seen.rules.benny else "the joker": "joker" in hand,
        "an ace outside": aces == 1,
        f"{NUMBERS[aces]} aces outside": aces > 1,
    }
    return said.startswith(first) and all((claim in said) == so for claim, so in claims.items())


ANSWER: Final = (
    r"(Swap C, C and C|Keep all five|Fold|Play on|Give away C|Give C|Defend (alone|together))"
    r": that is 0\.4 points better\. [A-Z].+\."
).replace("C", CARD)

ADVICE: Final = (
    r"The computer would (swap C, C and C|keep all five|fold|play on|give away C|give C|"
    r"defend (alone|together))\."
).replace("C", r"the (joker|\w+ of (clubs|diamonds|hearts|spades))")


def test_each_answer_of_clubs_has_a_sentence() -> None:
    kinds = Counter[str]()
    for seen, taken, best in options("club rules"):
        if taken.kind not in (PASS, ORDER, MAKE, PLAY, DISCARD):
            assert re.fullmatch(ANSWER, said_of(seen, taken, best))
            kinds[best.kind] += 1
            wording.did(seen, taken, "You")
            advice = advice_of(seen, best, cast_of(NAMES[: seen.rules.players]))
            assert re.fullmatch(ADVICE, advice.head)
            assert advice.reasons
    assert set(kinds) >= {SWAP, GIVE, BEST, DEFEND, DECLINE}  # and seldom to fold


@pytest.mark.parametrize("source", ALL_SOURCES)
def test_what_a_puzzle_says_of_the_deal_is_so(source: str) -> None:
    """Which suit is missing, what the makers need, and who plays later."""
    kinds = Counter[str]()
    for number in range(10 * GAMES):
        if number >= GAMES and len(kinds) == 3:  # each was seen
            break
        rng = Random(f"{source} {number}")
        game = play(rules_of(source, rng), rng, 2, random_player.choose)
        for decision in decisions(game):
            seen = decision.seen
            asked = ask(cast_of(game.players), decision)
            (said,), (more,) = asked.said, asked.more
            assert "?" in said
            if seen.phase != "play":
                continue
            one = Claim(seen, decision.taken, decision.taken, ())
            if seen.plays:
                led = suit(text(seen.plays[0][1]), one.trump)
                missing = not any(suit(card, one.trump) == led for card in one.hand)
                assert ("You have no " in said) == missing
                assert ("You play last." in more) == (not one.later)
            won = sum((trick.winner - seen.maker) % 2 == 0 for trick in seen.tricks)
            left = 5 - len(seen.tricks)
            made = " tricks already" in more
            lost = "can no longer take three tricks." in more
            assert made == (won >= 3)
            assert ("a march is possible" in more) == (won >= 3 and won == len(seen.tricks))
            assert lost == (won + left < 3)
            needed = re.search(r" needs? (\w+) (more )?tricks?\.", more)
            if needed is None:
                assert made or lost
            else:
                assert (NUMBERS.index(needed[1]), bool(needed[2])) == (3 - won, won > 0)
            kinds[f"{made} {lost}"] += 1
    assert len(kinds) == 3


def test_what_a_summary_says_is_so() -> None:
    """No side is named where the difference may be chance, and little is called little."""
    rng, kinds = Random(1), Counter[str]()
    for _ in range(2_000):
        ours, theirs = -rng.choice((0, 1)) * rng.uniform(0, 8), rng.uniform(0, 8)
        theirs = rng.choice((theirs, -ours, 0.0))
        luck, error = rng.uniform(-3, 3), rng.choice((0.0, rng.uniform(0, 2)))
        found = Balance(ours, theirs, luck, round(ours + theirs + luck), error)
        said = sentence(found, "you", "The other side")
        first, second = said.split(". ")
        kinds[first] += 1
        kinds[second] += 1
        more, less = second.endswith("away more.") and "Neither" not in second, "less" in second
        difference = theirs + ours
        assert more == (difference >= max(0.5, 2 * error))
        assert less == (-difference >= max(0.5, 2 * error))
        if "cost much" in second:
            assert max(-ours, theirs) < 0.5
        assert ("helped" in first) == (luck >= max(0.5, 2 * error))
        assert ("hurt" in first) == (-luck >= max(0.5, 2 * error))
        if "a little" in first:
            assert abs(luck) < 1
    assert len(kinds) == 9


def test_large_losses_of_both_sides_are_not_called_small() -> None:
    found = Balance(-6.0, 6.2, 0.1, 0, 0.3)
    assert sentence(found, "you", "The other side") == (
        "Luck made no clear difference. Neither side clearly gave away more."
    )
