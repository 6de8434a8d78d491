"""Examples to try on the page of a rule set: positions on the stage of the lessons.

A rule set's page has the examples that its rules call for. The positions are written down here;
which answers are allowed and what follows from each is what the engine says under these rules.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from games.engine.actions import DECLINE, DECLINED, DISCARD, PASSED, PLAY, Action
from games.engine.cards import (
    BENNY,
    EFFECTIVE_SUIT,
    SUIT_NAMES,
    TRUMP_NAMES,
    UNNAMED,
    card_text,
    cards_in,
    is_joker,
    sort_key,
)
from games.engine.deal import Deal
from games.engine.errors import IllegalActionError
from games.engine.observation import DISCARDING, DONE, FOLDING, NAMING, PLAYING, SWAPPING
from games.engine.rules import DEALERS_LEFT, MAKER, NEVER, RuleSet
from games.engine.seats import COMPASS
from games.engine.tricks import suit_led, winner
from games.lessons.drawing import NAMES
from games.lessons.steps import LessonPosition, LessonStep, Reply, refusal_of
from games.picture import phrases


class RuleExample(NamedTuple):
    """`section` is the heading of the rule page that it belongs to; `cards` are drawn there."""

    slug: str
    title: str
    section: str
    step: LessonStep

    @property
    def cards(self) -> tuple[int, ...]:
        """The cards that the learner sees: their hand, or a joker turned up before it."""
        seen = self.step.position.seen(self.step.start())
        hand = sorted(cards_in(seen.hand), key=lambda card: sort_key(seen.trump, card))
        return tuple(hand) or (seen.turn_up,)


@lru_cache(maxsize=32)
def examples_of(rules: RuleSet) -> tuple[RuleExample, ...]:
    made = [_left_bower(rules)]
    if rules.joker:
        made += [_joker(rules), _joker_turned_up(rules)]
    made.append(_order_up(rules))
    if rules.players == 4:
        made.append(_partner_deals(rules))
    made += [_discard(rules), _second_round(rules)]
    if rules.no_trump != NEVER:
        made.append(_no_trump(rules))
    if rules.alone:
        made.append(_alone(rules))
    return (*made, _follow(rules), _no_card_of_the_suit(rules))


# The positions ------------------------------------------------------------------------------
# South is the learner; the others are named as in the lessons.


def _left_bower(rules: RuleSet) -> RuleExample:
    step = _card_step(
        _position(rules, "9H TD QS AS AC", "KH QD KC JS 9D", "JD AD KD 9C TC", "QH AH TS KS JC"),
        _hearts(rules) + _plays(rules, "QH", "9H", "KH"),
        "Which cards may you play?",
        "Hearts are trump, and a heart was led.",
        "The jack of the other red suit is the left bower.",
        tagged=False,
    )
    return RuleExample("left-bower", "the left bower", "pack", step)


def _joker(rules: RuleSet) -> RuleExample:
    top, name = ("2S", "the Benny") if rules.benny else ("Jo", "the joker")
    step = _card_step(
        _position(
            rules, "JH TD QS AS AC", "KH QD KC JS 9D", f"{top} AD KD 9C TC", "QH AH TS KS JC"
        ),
        _hearts(rules) + _plays(rules, "QH", "JH", "KH"),
        "Which cards may you play?",
        "Hearts are trump, and a heart was led.",
        f"{name[:1].upper()}{name[1:]} is the highest trump, whatever suit that is.",
    )
    return RuleExample("joker", name, "pack", step)


def _joker_turned_up(rules: RuleSet) -> RuleExample:
    top, name = ("2S", "the Benny") if rules.benny else ("Jo", "the joker")
    position = _position(
        rules, "9H TD QS AS AC", "KH QD KC JS 9D", "JD AD KD 9C TC", "QH AH TS KS JC", turn_up=top
    )
    step = _call_step(
        position,
        "",
        f"You deal, and {name} is turned up.",
        "You name the suit it stands for before you see your cards.",
    )
    title = f"{'the Benny' if rules.benny else 'a joker'} is turned up"
    return RuleExample("joker-turned-up", title, "dealer", step)


def _order_up(rules: RuleSet) -> RuleExample:
    four = rules.players == 4
    position = _position(
        rules, "9H TD QS AS AC", "KC QD KS JS 9D", "JH AH QH AD 9C", "TH TS JC QC 9S",
        dealer="East" if four else "North", turn_up="KH",
    )  # fmt: skip
    dealer = NAMES[rules.players][COMPASS[rules.players].index(position.dealer)]
    step = _call_step(
        position, "", f"The king of hearts is turned up, and {dealer} deals.",
        "You are the first to speak: pass, or accept hearts as trump.",
    )  # fmt: skip
    return RuleExample("turn-up", "the turn-up", "bidding", step)


def _partner_deals(rules: RuleSet) -> RuleExample:
    position = _position(
        rules, "9H TD QS AS AC", "KC QD KS JS 9D", "JH AH QH AD 9C", "TH TS JC QC 9S",
        dealer="North", turn_up="KH",
    )  # fmt: skip
    step = _call_step(
        position, "pass", "The king of hearts is turned up, and Ben, your partner, deals.",
        "Jonah passed. You may accept hearts only alone, and Ben then sits out."
        if rules.dealers_partner_alone
        else "Jonah passed. If you accept hearts, the king goes to Ben.",
    )  # fmt: skip
    return RuleExample("partner-deals", "your partner deals", "bidding", step)


def _discard(rules: RuleSet) -> RuleExample:
    position = _position(
        rules, "9H TD QS AS AC", "TH QD KS JS 9D", "JH AH 9C AD KC", "QH TS JC QC 9S", turn_up="KH"
    )
    step = _card_step(
        position,
        "order",
        "Which cards may you put away?",
        "You deal, and the king of hearts comes into your hand.",
        "Hearts are trump. Put one card away, so that five are left.",
    )
    return RuleExample("discard", "the discard", "bidding", step)


def _second_round(rules: RuleSet) -> RuleExample:
    position = _position(
        rules, "9H TD QS AS AC", "TH QD KS JS 9D", "JD AD 9C KD KC", "QH TS JC QC 9S", turn_up="KH"
    )
    moves = ", ".join(["pass"] * (2 * rules.players - 1))
    stuck = _refused_pass(position.after(_declined(position, moves)))
    step = _call_step(
        position, moves, "Hearts were turned down, and all the others have passed again.",
        stuck or "You deal, and you may pass, too.",
    )  # fmt: skip
    title = "the dealer is stuck" if rules.stick_the_dealer else "the second round"
    return RuleExample("second-round", title, "bidding", step)


def _refused_pass(deal: Deal) -> str:
    """Return why the player in turn may not pass, or nothing if they may."""
    try:
        deal.push(PASSED)
    except IllegalActionError as error:
        return refusal_of(error)
    return ""


def _no_trump(rules: RuleSet) -> RuleExample:
    step = _card_step(
        _position(rules, "9H TD QS AS AC", "KH QD KC JS 9D", "JD AD QH 9C TC", "TH AH TS KS JC"),
        ", ".join([*["pass"] * rules.players, "make NT"]) + _plays(rules, "TH", "9H", "KH"),
        "Which cards may you play?",
        "Nothing is trump, and a heart was led.",
        "No jack is a bower: each belongs to its printed suit.",
    )
    return RuleExample("no-trump", "no trump", "bidding", step)


def _alone(rules: RuleSet) -> RuleExample:
    ben, own, maker, out = "AC TD QS JS TH", "KC TC 9H KD QD", "JH AH QH AS 9C", "AD 9D TS KS 9S"
    ask, trump = "Which cards may you play?", "Hearts are trump."
    if rules.lone_lead == DEALERS_LEFT:
        step = _card_step(
            _position(rules, ben, maker, own, out, turn_up="KH"),
            "pass, pass, order alone, discard QD, play AC, play 9C",
            ask,
            f"{trump} Jonah plays alone, so Iris sits out.",
            "Ben, opposite you, leads a club, and only three cards lie in the trick.",
        )
    else:
        leads = rules.lone_lead == MAKER
        step = _card_step(
            _position(rules, ben, out, own, maker, turn_up="KH"),
            f"order alone, discard QD, {'play 9C, ' * leads}play AC",
            ask,
            f"{trump} Iris plays alone, so Jonah sits out.",
            "Iris, the maker, leads a club, and only three cards lie in the trick."
            if leads
            else "Ben, at the maker’s left, leads a club, and only three cards lie in a trick.",
        )
    return RuleExample("alone", "against a lone hand", "alone", step)


def _follow(rules: RuleSet) -> RuleExample:
    step = _card_step(
        _position(rules, "KD TH QS AS 9C", "9D KH QH AC JS", "AD TD 9H QC KC", "QD AH JH TS KS"),
        _hearts(rules) + _plays(rules, "QD", "KD", "9D"),
        "Which cards may you play?",
        "Hearts are trump, and a diamond was led.",
        "Whoever has a card of the suit led must play one of that suit.",
    )
    return RuleExample("follow-suit", "following suit", "play", step)


def _no_card_of_the_suit(rules: RuleSet) -> RuleExample:
    step = _card_step(
        _position(rules, "TS TH 9D AD 9C", "QS KH QH JC JS", "9H AC KC QD TD", "AS AH JH TC QC"),
        _hearts(rules) + _plays(rules, "AS", "TS", "QS"),
        "Which cards may you play?",
        "Hearts are trump, and a spade was led.",
        "You hold no spade.",
    )
    return RuleExample("no-card-of-the-suit", "no card of the suit", "play", step)


def _position(
    rules: RuleSet,
    north: str,
    east: str,
    south: str,
    west: str,
    *,
    dealer: str = "South",
    turn_up: str = "9S",
) -> LessonPosition:
    """Return a position for four, or for two: West's hand is then that of the other player."""
    if rules.players == 2:
        return LessonPosition(rules, dealer, (west, south), turn_up)
    return LessonPosition(rules, dealer, (north, east, south, west), turn_up)


def _hearts(rules: RuleSet) -> str:
    """Return the calls by which the first player makes hearts trump in the second round."""
    return ", ".join([*["pass"] * rules.players, "make H"])


def _plays(rules: RuleSet, *cards: str) -> str:
    return "".join(f", play {card}" for card in cards[: rules.players - 1])


# What the engine says -----------------------------------------------------------------------


def _declined(position: LessonPosition, moves: str) -> str:
    """Return moves in which everybody declines what only some rules ask."""
    done: list[str] = []
    for move in (*moves.split(", "), ""):
        while DECLINED in position.after(", ".join(done)).legal:
            done.append(DECLINE)
        done += [move] * bool(move)
    return ", ".join(done)


def _card_step(
    position: LessonPosition, moves: str, ask: str, say: str, more: str, *, tagged: bool = True
) -> LessonStep:
    moves = _declined(position, moves)
    start = position.after(moves)
    kind = PLAY if start.phase == PLAYING else DISCARD
    offered = [Action(kind, card) for card in cards_in(start.hands[start.turn])]
    replies = tuple(_reply(position, moves, action) for action in offered)
    learnt = _allowed([reply.to[0] for reply in replies if reply.right], len(offered))
    return LessonStep(say, more, ask, learnt, position, moves, replies, tagged)


def _call_step(position: LessonPosition, moves: str, say: str, more: str) -> LessonStep:
    moves = _declined(position, moves)
    offered = position.after(moves).legal_actions()
    replies = tuple(_reply(position, moves, action) for action in offered)
    return LessonStep(say, more, "", "You may say that.", position, moves, replies)


def _allowed(allowed: list[Action], offered: int) -> str:
    """Return in words how many of the cards may go."""
    if len(allowed) == offered:
        return "Any of your cards may go."
    if len(allowed) == 1:
        return "It is the only one that may be played."
    return f"{phrases.counted(len(allowed), 'card', 'cards').capitalize()} may be played."


def _reply(position: LessonPosition, moves: str, action: Action) -> Reply:
    before, after = position.after(moves), position.after(moves)
    try:
        after.push(action)
    except IllegalActionError:
        return Reply((action,), _why_not(before, action.value))
    then = []
    while after.phase in (SWAPPING, FOLDING):  # after a joker was named
        after.push(DECLINED)
        then.append(DECLINE)
    if action.kind == PLAY:
        why = _why_play(before, after, action.value)
    else:
        why = _why_discard(before, action) if action.kind == DISCARD else _why_call(before, after)
    return Reply((action,), why, right=True, then=", ".join(then))


def _why_not(before: Deal, card: int) -> str:
    led = suit_led(before.trump, before.plays)
    allowed = [_named(action.value, before.trump) for action in before.legal]
    whole = " and ".join(filter(None, (", ".join(allowed[:-1]), allowed[-1])))
    own = f"Your only {_one(led)} is" if len(allowed) == 1 else f"Your {SUIT_NAMES[led]} are"
    return f"{_counts_as(card, before.trump)}. {own} {whole}."


def _counts_as(card: int, trump: int) -> str:
    """Return what suit a card belongs to: "{JD}, the left bower, is a heart"."""
    named = _named(card, trump)
    comma = "," if ", " in named else ""
    return f"{named}{comma} is {_a_card_of(EFFECTIVE_SUIT[trump][card])}"


def _named(card: int, trump: int) -> str:
    """Return a card with the name it has as one of the highest trumps: "{JD}, the left bower"."""
    top = "Benny" if card == BENNY else "joker"
    special = top if is_joker(card) else phrases.bower(card, trump)
    return f"{{{card_text(card)}}}, the {special}" if special else f"{{{card_text(card)}}}"


def _one(suit: int) -> str:
    return SUIT_NAMES[suit].removesuffix("s")


def _a_card_of(suit: int) -> str:
    return f"a {_one(suit)}"


def _why_play(before: Deal, after: Deal, card: int) -> str:
    """Return why a card may be played, and who takes the trick or plays to it next."""
    trump, plays = before.trump, (*before.plays, (before.turn, card))
    led, taker = suit_led(trump, plays), winner(trump, plays)
    free = "" if EFFECTIVE_SUIT[trump][card] == led else f", and you hold no {_one(led)}"
    if after.plays:
        return f"{_counts_as(card, trump)}{free}. {_name(after, after.turn)} plays next."
    if taker == before.turn:
        return f"{_counts_as(card, trump)}{free}. You take the trick."
    best = f"{{{card_text(dict(plays)[taker])}}}"
    return f"{_counts_as(card, trump)}{free}. {_name(before, taker)} takes the trick with {best}."


def _why_discard(before: Deal, action: Action) -> str:
    taken = ", the card just taken up," if action.value == before.turn_up else ""
    card = f"{{{card_text(action.value)}}}{taken}"
    return f"{card} goes under the pack, face down, and nobody else sees it."


def _why_call(before: Deal, after: Deal) -> str:
    """Return what a call leads to: trump, the maker, who takes the turn-up and who sits out."""
    if after.phase == DONE:
        return "The hand is thrown in: nobody scores."
    if after.trump == UNNAMED:
        speaks = f"{_name(after, after.turn)} speaks next."
        joker = before.phase == NAMING
        return f"It counts as {_a_card_of(after.turned_suit)}. {speaks}" if joker else speaks
    trump = TRUMP_NAMES[after.trump].capitalize()
    are = " are trump" if after.trump < UNNAMED else ""
    made = f"{trump}{are}, and you are the maker."
    out = " ".join([f"{_name(after, seat)} sits out." for seat in after.sitting_out])
    return " ".join(filter(None, (made, _turn_up_goes(after), out)))


def _turn_up_goes(after: Deal) -> str:
    card = f"{{{card_text(after.turn_up)}}}"
    if after.phase == DISCARDING and after.dealer == after.maker:
        return f"You take {card} and put a card away."
    if after.phase == DISCARDING:
        return f"{_name(after, after.dealer)} takes {card} and puts a card away."
    return f"Nobody takes {card}."


def _name(deal: Deal, seat: int) -> str:
    return NAMES[deal.rules.players][seat]
