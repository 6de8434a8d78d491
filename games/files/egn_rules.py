"""The rule set of an EGN file, both ways, and the cards as EGN writes them."""

from __future__ import annotations

from collections.abc import Container
from typing import Any, Final

from games.engine.cards import JOKER, RANKS, card_text, parse_card
from games.engine.errors import MalformedError, RuleSetError
from games.engine.rules import PACKS, RuleSet
from games.files.problems import CannotHoldError, FileError
from games.files.reading import FileNode, shown

#: The key of a rule set that was read from a file.
KEY: Final = "egn"
#: What EGN takes for granted of every game: points, and that two side games are none.
_POINTS: Final = {"made": 1, "march": 2, "alone_made": 1, "euchre": 2, "skunk": 2}
#: Rules that only EGN has; false, or left out, means that they are not played.
_NOT_PLAYED: Final = {
    "canadian": "the dealer's partner need not play alone",
    "defend_alone": "nobody defends alone",
    "farmers": "no hand is exchanged for its low cards",
    "partners_best": "no card is passed to the maker",
    "go_under": "no cards are exchanged with the kitty",
    "allow_no_trump": "there is always a trump suit",
    "fast_break": "a euchre is never worth nothing",
    "four_trick_tokens": "four tricks earn no token",
}
_PLAYED: Final = (
    "std",
    "min_rank",
    "winning_score",
    "num_deals",
    "loner_march_score",
    "loner_euchred_score",
    "loner_lead",
    "joker",
    "num_players",
)
_NAMES: Final = {
    "target": "winning_score",
    "deals": "num_deals",
    "alone_march": "loner_march_score",
    "players": "num_players",
    "pack": "min_rank",
}
_JOKER: Final = "B"
#: A card that is not known.
UNKNOWN: Final = "Xx"
#: Who leads when somebody plays alone. Bower plays the first; deals in which both are the same seat
#: are read from files that say the second.
LEFT_OF_DEALER: Final = "LEFT_OF_DEALER"
LEFT_OF_LONER: Final = "LEFT_OF_LONER"


def read_card(node: FileNode, rules: RuleSet) -> int:
    """Read a card: ``9c`` or ``Nc``, ``Ts``, ``Jd``, ``B`` for the joker; -1 for an unknown one.

    Raises:
        FileError: it is no card, or none of the pack.
    """
    text = node.text(2)
    if text == _JOKER:
        card = JOKER
    elif "X" in text.upper() and _may_be_card(text):
        return -1
    else:
        try:
            card = parse_card(text[0].replace("N", "9") + text[1:].upper())
        except MalformedError:
            node.refuse(f"{shown(text)} is not a card such as 9c, Ts or Jd; B is the joker.")
    if card not in rules.pack_in_order():
        node.refuse(f"{shown(text)} is not in the pack of {rules.pack} cards.")
    return card


def _may_be_card(text: str) -> bool:
    return len(text) == 2 and text[0] in RANKS + "NXx" and text[1].upper() in "CDHSX"


def write_card(card: int, unknown: Container[int] = ()) -> str:
    """Write a card as EGN does. unknown: cards that only stand for some that are not known."""
    if card in unknown:
        return UNKNOWN
    return _JOKER if card == JOKER else card_text(card)[0] + card_text(card)[1].lower()


def read_rules(node: FileNode | None, players: int) -> RuleSet:
    """Read a ruleset; a file without one plays EGN's defaults.

    Args:
        node: the ruleset, if the file has one.
        players: how many names the file has.

    Raises:
        FileError: a key is unknown or its value out of bounds, or the rules are none that Bower
            plays; the message names them.
    """
    said = node.fields((), (*_PLAYED, *_NOT_PLAYED)) if node is not None else {}
    for key, why in _NOT_PLAYED.items():
        if key in said and said[key].flag():
            said[key].refuse(f"Bower does not play {key}: {why}.")
    _check_loners(said)
    target, deals = _end(said)
    low = said["min_rank"].number(7, 9) if "min_rank" in said else 9
    joker = "joker" in said and said["joker"].flag()
    seats = said["num_players"].number(2, 4) if "num_players" in said else 4
    if seats != players:
        place = said["num_players"].place if "num_players" in said else "metadata.players"
        raise FileError(place, f"The rules are for {seats} players, the file names {players}.")
    try:
        return RuleSet(
            key=KEY,
            name="Rules of a file",
            players=seats,
            pack=next(size for size, kind in PACKS.items() if kind == (low - 7, joker)),
            stick_the_dealer=said["std"].flag() if "std" in said else True,
            alone=seats == 4,
            alone_march=said["loner_march_score"].number(1, 10)
            if "loner_march_score" in said
            else 4,
            target=target,
            deals=deals,
        )
    except RuleSetError as why:
        field, reason = next(iter(why.problems.items()))
        key = _NAMES.get(field, field)
        place = said[key].place if key in said else "metadata.ruleset"
        raise FileError(place, f"{key} {reason}") from None


def leads_left_of_loner(node: FileNode | None) -> bool:
    """Whether the seat left of who plays alone leads. node: a rule set that was read, or None."""
    said = node.fields((), node.value) if node is not None else {}
    return "loner_lead" in said and said["loner_lead"].value == LEFT_OF_LONER


def _check_loners(said: Any) -> None:
    """Refuse the ways of playing alone that Bower does not play."""
    if "loner_lead" in said:
        said["loner_lead"].choice((LEFT_OF_DEALER, LEFT_OF_LONER))
    if "loner_euchred_score" in said:
        score = said["loner_euchred_score"]
        if score.number(0, 50) != _POINTS["euchre"]:
            score.refuse("Bower does not play loner_euchred_score: a euchre is worth 2 points.")


def _end(said: Any) -> tuple[int | None, int | None]:
    """What ends the game: points, or a number of deals; 0 stands for neither."""
    target = said["winning_score"].number(0, 50) if "winning_score" in said else 0
    deals = said["num_deals"].number(0, 100) if "num_deals" in said else 0
    if target and deals:
        said["num_deals"].refuse("A game has a winning_score or num_deals, never both.")
    if "winning_score" in said and not target and not deals:
        said["winning_score"].refuse("A game needs a winning_score or num_deals.")
    return (None, deals) if deals else (target or 10, None)


def write_rules(rules: RuleSet) -> dict[str, Any]:
    """Write a rule set.

    Raises:
        CannotHoldError: it counts points in a way EGN has no word for.
    """
    for field, points in _POINTS.items():
        if getattr(rules, field) != points and (rules.alone or field != "alone_made"):
            what = field.replace("_", " ")
            raise CannotHoldError(f"EGN always counts {points} for “{what}”, this game did not.")
    low, joker = PACKS[rules.pack]
    written: dict[str, Any] = {"std": rules.stick_the_dealer, "min_rank": low + 7}
    if rules.target is not None:
        written["winning_score"] = rules.target
    else:
        written["num_deals"] = rules.deals
    if rules.players == 4:
        written["loner_march_score"] = rules.alone_march
    return {
        **written,
        "loner_lead": LEFT_OF_DEALER,
        "defend_alone": False,
        "joker": joker,
        "num_players": rules.players,
    }
