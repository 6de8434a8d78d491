"""Descriptions of rule sets, generated from their data so that no page can contradict it."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from games.engine.rules import (
    DEALER_MAKES,
    DEALERS_LEFT,
    MAKER,
    MAKERS_LEFT,
    NEVER,
    NO_FACE,
    NO_FACE_OR_SUIT,
    NO_TRUMP_HIGH,
    NO_TRUMP_HIGH_OR_LOW,
    PACKS,
    STUCK_AFTER,
    RuleSet,
)

RANKS = ["A", "K", "Q", "J", "10", "9", "8", "7"]

#: Where a rule set is played, or what it is like, by its key.
ABOUT: Final = {
    "classic-24": "If everybody passes twice, the hand is thrown in.",
    "stick-the-dealer": "The dealer may not pass in the second round.",
    "joker-33": "The pack is cut; ten trumps.",
    "heads-up": "No partners, so no lone hands.",
    "eight-hands": "As on many progressive nights in Ohio and Michigan.",
    "british": "As in many pubs of Devon and Cornwall.",
    "canadian": "As in many clubs of Ontario.",
    "no-trump": "As it is often played online, among friends.",
}

#: The rules of clubs by field: what each is called and does. `takes_five`: `alone_made` is 0.
CLUB_RULES: Final = {
    "farmers_hand": (
        "Farmer’s hand",
        "Three nines and tens may be changed for the three cards under the turn-up, once a hand.",
    ),
    "fold": (
        "Fold a poor hand",
        "It is shown to all before the bidding, and the same dealer deals again.",
    ),
    "own_trump": (
        "Trump of one’s own",
        "You must hold a card of the suit you make trump; the left bower alone is not enough.",
    ),
    "dealers_partner_alone": (
        "Dealer’s partner only alone",
        "The dealer’s partner may assist only by playing alone.",
    ),
    "no_trump": (
        "No trump",
        "A player may make it no trump in the second round: no suit is trump, no jack is a bower.",
    ),
    "takes_five": ("Alone must take five", "With 3 or 4 tricks a lone hand scores nothing."),
    "no_lone_near_end": (
        "No lone hand near the end",
        "You may not play alone when your side needs only one or two points.",
    ),
    "partners_best": (
        "Partner’s best",
        "A lone maker may give one card away, face down; the partner then gives one back.",
    ),
    "defend_alone": (
        "Defend alone",
        "After a lone call each defender in turn may say “I defend alone”.",
    ),
    "lone_lead": ("Who leads against a lone hand", ""),
}

#: The choices of the fields that have more than yes and no.
CHOICES: Final = {
    "fold": {
        NEVER: "No",
        NO_FACE: "With nothing above a ten",
        NO_FACE_OR_SUIT: "With nothing above a ten and no card of the turn-up’s suit",
    },
    "no_trump": {
        NEVER: "No",
        NO_TRUMP_HIGH: "Yes, high: the ace is best",
        NO_TRUMP_HIGH_OR_LOW: "Yes, high, or low: then the lowest card is best",
    },
    "lone_lead": {
        DEALERS_LEFT: "Dealer’s left",
        MAKERS_LEFT: "Maker’s left",
        MAKER: "The maker",
    },
}


class HandWorth(NamedTuple):
    """What a result of a hand is worth, in the words of pages and of printed cards.

    `usual`: what it is worth without the call that makes it special.
    """

    words: str
    short: str
    points: int
    usual: int = 0


def goal(rules: RuleSet) -> str:
    """Return the goal of a game: "to 5" or "8 hands"."""
    if rules.target is not None:
        return f"to {rules.target}"
    return "1 hand" if rules.deals == 1 else f"{rules.deals} hands"


def brief(rules: RuleSet) -> str:
    """Return the name and the goal: "Classic, 24 cards, to 5"."""
    return f"{rules.name}, {goal(rules)}"


def choices(rule_sets: Iterable[RuleSet]) -> list[tuple[str, str, str]]:
    """Return the key, the name and the goal of each rule set."""
    return [(rules.key, rules.name, goal(rules)) for rules in rule_sets]


def club_rules(rules: RuleSet) -> Iterator[tuple[str, str]]:
    """Yield the rules that only some clubs play by: what each is called and does."""
    for field, (name, words) in CLUB_RULES.items():
        five = rules.alone and rules.alone_made == 0
        value = five if field == "takes_five" else getattr(rules, field)
        if value is True:
            yield name, words
        elif value and (chosen := CHOICES[field][value]) != next(iter(CHOICES[field].values())):
            chosen = chosen.removeprefix("Yes, ")
            yield name, f"{chosen[:1].upper()}{chosen[1:]}. {words}".strip()


def marks(rules: RuleSet) -> str:
    """Return in a few words what a rule set is like: "24 cards, partner’s best, to 10"."""
    pack = "two players" if rules.players == 2 else f"{rules.pack} cards"
    found = [name[:1].lower() + name[1:] for name, _words in club_rules(rules)]
    if rules.stick_the_dealer:
        found.insert(0, "stick the dealer")
    if rules.alone and rules.alone_euchre not in (None, rules.euchre):
        found.append(f"{rules.alone_euchre} for a euchred lone hand")
    return ", ".join([pack, *found, goal(rules)])


def facts(rules: RuleSet) -> list[tuple[str, str]]:
    """Return what a rule set is like, each fact with its heading."""
    lines = [
        ("Players", "4, partners opposite." if rules.players == 4 else "2, each plays alone."),
        ("Pack", pack(rules)),
        ("Deal", _deal(rules)),
        ("Second round", _second_round(rules)),
        ("Alone", "The maker may play without a partner." if rules.alone else "No."),
        *club_rules(rules),
        ("Game", _game(rules)),
    ]
    if rules.joker:
        lines.insert(4, (f"{'The Benny' if rules.benny else 'Joker'} turned up", _joker(rules)))
    if rules.lay_down:
        lines.insert(-1, ("Cards down", "A hand ends when its points can no longer change."))
    return lines


def pack(rules: RuleSet) -> str:
    low, joker = PACKS[rules.pack]
    ranks = " ".join(RANKS[: len(RANKS) - low])
    top = ", and the Benny, the two of spades" if rules.benny else ", and a joker" * joker
    return f"{rules.pack} cards: {ranks} of each suit{top}."


def points(rules: RuleSet) -> list[tuple[str, int]]:
    return [(row.words, row.points) for row in worths(rules)]


def worths(rules: RuleSet) -> list[HandWorth]:
    makers = "The makers take" if rules.players == 4 else "The maker takes"
    made, march, euchre, alone = rules.made, rules.march, rules.euchre, rules.alone_euchre
    rows = [
        HandWorth(f"{makers} 3 or 4 tricks", "made", made),
        HandWorth("All 5: a march", "march", march),
        HandWorth("Alone, 3 or 4 tricks", "alone, 3 or 4 tricks", rules.alone_made, made),
        HandWorth("Alone, all 5", "alone, all five", rules.alone_march, march),
    ]
    if not rules.alone:
        del rows[2:4]
    words, short = "Euchred, fewer than 3: to the other side", "euchre"
    euchres = [HandWorth(words, short, euchre)]
    if rules.alone and alone not in (None, euchre):
        euchres.append(HandWorth("Euchred alone: to the other side", "euchre alone", alone or 0))
    if rules.defend_alone:
        words, short = "Euchred by a lone defender", "euchre by a lone defender"
        euchres.append(HandWorth(words, short, rules.lone_defence))
    if rules.skunk != euchre:
        more = ", if that is more" * any(row.points > rules.skunk for row in euchres)
        words, short = f"Without any trick{more}: to the other side", "euchre without a trick"
        euchres.append(HandWorth(words, f"{short}{more}", rules.skunk))
    return [*rows, *euchres]


def scoring(rules: RuleSet) -> str:
    """Return what a hand is worth in sentences, as a player would say it."""
    makers = "The makers score" if rules.players == 4 else "The maker scores"
    said = f"{makers} {rules.made} for three or four tricks and {rules.march} for all five"
    if rules.alone:
        few = rules.alone_made or "nothing"
        said += f"; alone, {few} for three or four and {rules.alone_march} for all five"
    said += ". A euchre gives the other side "
    ways = [str(rules.euchre)]
    for row in worths(rules):
        if row.short.startswith("euchre "):
            how = row.short.removeprefix("euchre ")
            ways.append(f"{row.points} {'against a lone hand' if how == 'alone' else how}")
    return f"{said}{', or '.join(ways)}."


def _deal(rules: RuleSet) -> str:
    singly = set(rules.packets) == {1}
    how = "one at a time" if singly else " then ".join(map(str, rules.packets))
    if rules.packets_by_dealer:
        how += ", or the reverse, as the dealer chooses"
    cut = " The player on the dealer’s right cuts." if rules.cut else ""
    return f"5 cards each, {how}.{cut}"


def stuck_unless(rules: RuleSet) -> str:
    """Return when even a stuck dealer may pass: ", unless …", or nothing if never."""
    if rules.own_trump and rules.no_trump == NEVER:
        return ", unless they hold no card of the three other suits"
    return ""


def _second_round(rules: RuleSet) -> str:
    unless = stuck_unless(rules)
    trump = "a suit" if rules.no_trump == NEVER else "a suit or make it no trump"
    must = f"the dealer must name {trump}{unless}"
    following = "same dealer deals again" if rules.deal_stays else "next dealer deals"
    thrown_in = f"If all pass, the hand is thrown in and the {following}."
    if rules.stick_the_dealer:
        return f"Stick the dealer: {must}." + f" {thrown_in}" * bool(unless)
    if rules.deal_stays:
        thrown_in += f" After {STUCK_AFTER} such hands in a row {must}."
    return thrown_in


def _joker(rules: RuleSet) -> str:
    named = "The dealer names its suit before looking at any card"
    if rules.joker_turned_up == DEALER_MAKES:
        return f"{named}, and the dealer’s side are the makers at once."
    return f"{named}; then the bidding goes on."


def _game(rules: RuleSet) -> str:
    if rules.target is not None:
        return f"The first side with {rules.target} points wins."
    return f"{goal(rules).capitalize()}; more points win, and equal points tie."
