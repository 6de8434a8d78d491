"""Reader and writer of the rule set and the cards of an EGN file."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping
from typing import Any, Final

from games.engine.cards import JOKER, RANKS, card_text, is_joker, parse_card
from games.engine.errors import MalformedError, RuleSetError
from games.engine.rules import (
    DEALERS_LEFT,
    MAKERS_LEFT,
    NEVER,
    NO_TRUMP_HIGH,
    PACKS,
    RuleSet,
)
from games.files.hands import POINTS
from games.files.strict_json import FileError, FileNode, shown

#: The key of a rule set read from a file.
KEY: Final = "egn"
_JOKER: Final = "B"
#: An unknown card.
UNKNOWN: Final = "Xx"
_MAYBE_CARD: Final = re.compile(rf"[{RANKS}NXx][CDHSXcdhsx]")
#: Who leads when a player is alone.
LEADS: Final = {"LEFT_OF_DEALER": DEALERS_LEFT, "LEFT_OF_LONER": MAKERS_LEFT}
#: Rules that are on or off, and the fields of a rule set that say the same.
_FLAGS: Final = {
    "canadian": "dealers_partner_alone",
    "defend_alone": "defend_alone",
    "farmers": "farmers_hand",
    "go_under": "farmers_hand",
    "partners_best": "partners_best",
}
#: The supported rules by their key: how to read the value, and its default.
_PLAYED: Final[Mapping[str, tuple[Callable[[FileNode], Any], Any]]] = {
    "std": (FileNode.flag, True),
    "min_rank": (lambda node: node.number(7, 9), 9),
    "winning_score": (lambda node: node.number(0, 50), None),
    "num_deals": (lambda node: node.number(0, 100), 0),
    "loner_march_score": (lambda node: node.number(1, 10), 4),
    "loner_euchred_score": (lambda node: node.number(0, 50), POINTS["euchre"]),
    "loner_lead": (lambda node: node.choice([*LEADS]), next(iter(LEADS))),
    "allow_no_trump": (FileNode.flag, False),
    **dict.fromkeys(_FLAGS, (FileNode.flag, False)),
    "joker": (FileNode.flag, False),
    "num_players": (lambda node: node.number(2, 4), 4),
}
#: Rules that Bower does not support, which must be false or missing, and what it does instead.
_NOT_PLAYED: Final = {
    "fast_break": "a euchre is never worth nothing",
    "four_trick_tokens": "four tricks earn no token",
}


def read_card(node: FileNode, rules: RuleSet) -> int:
    """Read a card: ``9c`` or ``Nc``, ``Ts``, ``Jd``, ``B`` for the joker; -1 for an unknown one."""
    text = node.text(2)
    if text == _JOKER:
        card = JOKER
    elif "X" in text.upper() and _MAYBE_CARD.fullmatch(text):
        return -1
    else:
        try:
            card = parse_card(text[0].replace("N", "9") + text[1:].upper())
        except MalformedError:
            node.refuse(f"{shown(text)} is not a card such as 9c, Ts or Jd; B is the joker.")
    if card not in rules.pack_in_order():
        node.refuse(f"{shown(text)} is not in the pack of {rules.pack} cards.")
    return card


def write_card(card: int, unknown: Container[int] = ()) -> str:
    if card in unknown:
        return UNKNOWN
    return _JOKER if is_joker(card) else card_text(card)[0] + card_text(card)[1].lower()


def read_rules(node: FileNode | None, players: int) -> RuleSet:
    """Read a ruleset, or EGN's defaults; raise FileError naming a key that Bower cannot play by."""
    fields = node.fields((), (*_PLAYED, *_NOT_PLAYED)) if node is not None else {}
    for key, why in _NOT_PLAYED.items():
        if key in fields and fields[key].flag():
            fields[key].refuse(f"Bower does not play {key}: {why}.")
    values = {
        key: read(fields[key]) if key in fields else left_out
        for key, (read, left_out) in _PLAYED.items()
    }
    target, deals, seats = values["winning_score"], values["num_deals"], values["num_players"]
    if target and deals:
        fields["num_deals"].refuse("A game has a winning_score or num_deals, never both.")
    if target == 0 and not deals:
        fields["winning_score"].refuse("A game needs a winning_score or num_deals.")
    if seats != players:
        place = fields["num_players"].place if "num_players" in fields else "metadata.players"
        raise FileError(place, f"The rules are for {seats} players, the file names {players}.")
    if seats == 3:
        fields["num_players"].refuse("num_players must be 2 or 4.")
    pack = (values["min_rank"] - 7, values["joker"])
    said: dict[str, Any] = {field: True for key, field in _FLAGS.items() if values[key]}
    if values["loner_euchred_score"] != POINTS["euchre"]:
        said["alone_euchre"] = values["loner_euchred_score"]
    try:
        return RuleSet(
            key=KEY,
            name="Rules of a file",
            players=seats,
            pack=next(size for size, kind in PACKS.items() if kind == pack),
            stick_the_dealer=values["std"],
            alone=seats == 4,
            alone_march=values["loner_march_score"],
            target=None if deals else target or 10,
            deals=deals or None,
            no_trump=NO_TRUMP_HIGH if values["allow_no_trump"] else NEVER,
            lone_lead=LEADS[values["loner_lead"]] if seats == 4 else DEALERS_LEFT,
            **said,
        )
    except RuleSetError as why:
        raise FileError("metadata.ruleset", f"Bower does not play such rules: {why}") from None


def write_rules(rules: RuleSet) -> dict[str, Any]:
    """Return a rule set as EGN data."""
    low, joker = PACKS[rules.pack]
    # A stuck dealer who may name only suits of the hand passes in the end.
    sticks = rules.stick_the_dealer and not rules.own_trump
    written: dict[str, Any] = {"std": sticks, "min_rank": low + 7}
    if rules.target is not None:
        written["winning_score"] = rules.target
    else:
        written["num_deals"] = rules.deals
    if rules.players == 4:
        written["loner_march_score"] = rules.alone_march
    if rules.alone_euchre is not None:
        written["loner_euchred_score"] = rules.alone_euchre
    flags = {key: True for key, field in _FLAGS.items() if getattr(rules, field)}
    if rules.no_trump != NEVER:
        flags["allow_no_trump"] = True
    left_of_loner = rules.lone_lead == MAKERS_LEFT
    return {
        **written,
        "loner_lead": "LEFT_OF_LONER" if left_of_loner else "LEFT_OF_DEALER",
        "defend_alone": False,
        **flags,
        "joker": joker,
        "num_players": rules.players,
    }
