"""Descriptions of rule sets, generated from their data so that no page can contradict it."""

from collections.abc import Iterable

from games.engine.rules import DEALER_MAKES, PACKS, STUCK_AFTER, RuleSet

RANKS = ["A", "K", "Q", "J", "10", "9", "8", "7"]


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


def facts(rules: RuleSet) -> list[tuple[str, str]]:
    """Return what a rule set is like, each fact with its heading."""
    lines = [
        ("Players", "4, partners opposite." if rules.players == 4 else "2, each plays alone."),
        ("Pack", pack(rules)),
        ("Deal", _deal(rules)),
        ("Second round", _second_round(rules)),
        ("Alone", "The maker may play without a partner." if rules.alone else "No."),
        ("Game", _game(rules)),
    ]
    if rules.joker:
        lines.insert(4, ("Joker turned up", _joker(rules)))
    if rules.lay_down:
        lines.insert(-1, ("Cards down", "A hand ends when its points can no longer change."))
    return lines


def pack(rules: RuleSet) -> str:
    low, joker = PACKS[rules.pack]
    ranks = " ".join(RANKS[: len(RANKS) - low])
    return f"{rules.pack} cards: {ranks} of each suit{', and a joker' if joker else ''}."


def points(rules: RuleSet) -> list[tuple[str, int]]:
    makers = "The makers take" if rules.players == 4 else "The maker takes"
    rows = [(f"{makers} 3 or 4 tricks", rules.made), ("All 5: a march", rules.march)]
    if rules.alone:
        rows += [
            ("Alone, 3 or 4 tricks", rules.alone_made),
            ("Alone, all 5", rules.alone_march),
        ]
    rows.append(("Euchred, fewer than 3: to the other side", rules.euchre))
    if rules.skunk != rules.euchre:
        rows.append(("Without any trick: to the other side", rules.skunk))
    return rows


def _deal(rules: RuleSet) -> str:
    singly = set(rules.packets) == {1}
    how = "one at a time" if singly else " then ".join(map(str, rules.packets))
    if rules.packets_by_dealer:
        how += ", or the reverse, as the dealer chooses"
    cut = " The player on the dealer’s right cuts." if rules.cut else ""
    return f"5 cards each, {how}.{cut}"


def _second_round(rules: RuleSet) -> str:
    if rules.stick_the_dealer:
        return "Stick the dealer: the dealer must name a suit."
    if not rules.deal_stays:
        return "If all pass, the hand is thrown in and the next dealer deals."
    return (
        "If all pass, the hand is thrown in and the same dealer deals again."
        f" After {STUCK_AFTER} such hands in a row the dealer must name a suit."
    )


def _joker(rules: RuleSet) -> str:
    named = "The dealer names its suit before looking at any card"
    if rules.joker_turned_up == DEALER_MAKES:
        return f"{named}, and the dealer’s side are the makers at once."
    return f"{named}; then the bidding goes on."


def _game(rules: RuleSet) -> str:
    if rules.target is not None:
        return f"The first side with {rules.target} points wins."
    return f"{goal(rules).capitalize()}; more points win, and equal points tie."
