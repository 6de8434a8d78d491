"""Sentences are made where they are read: a frame says what happened, in codes.

What changes with every card is coded, as seats and cards: "AD led" in a spot, ``[2, "AD"]`` in the
log and as the news. ``read`` makes the page's values of them, by `PHRASES` and the players' names.
``static/js/wording.js`` does the same with the same phrases, so another language is another table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from games.engine.cards import CARDS, EFFECTIVE_SUIT, card_text
from games.picture import phrases
from games.picture.cast import Cast

#: What has been played: the seat, the card, and who took the trick with it.
Play: TypeAlias = list[int | str]

#: Each phrase by its name, the name of each card by its code.
PHRASES: Final[Mapping[str, str]] = {
    **{card_text(card): phrases.plain_name(card) for card in range(CARDS)},
    **{str(number): phrases.trick_name(number) for number in range(len(phrases.ORDINALS))},
    "trump": "{0}, trump",
    "right": "{0}, right bower",
    "left": "{0}, left bower",
    "": "{0}, played by {1}",
    "led": "{0}, led by {1}",
    "winning": "{0}, winning so far",
    "won": "{0}, won the trick",
    "wanted": "{0}, asked back",
    "plays": "{0} plays {1}.",
    "takes": "{0} plays {1}. {2} wins the trick.",
    "wins": " wins it",
    "turn": "{0}’s turn.",
    "cards": "no cards|one card|two cards|three cards|four cards|five cards|six cards",
    "down": "{0}, face down",
    "trick leads": "{0}, {1} leads",
    "trick led": "{0}, {1} led",
    "trick won": "{0}, {1} won it",
    "last": "{0}: {1} won it",
    "last none": "No trick yet in this hand",
    "taken": "{0}, turn-up",
    "given": "{0}, from {1}",
    "tip": "turn-up|from {0}",
    "last led": "{0} led",
    "last won": "{0} won it",
    "last led won": "{0} led, won it",
}
#: What each card of the trump suit is, by the suit's letter and the card's code.
TRUMPS: Final[Mapping[str, Mapping[str, str]]] = {
    letter: {
        card_text(card): phrases.bower(card, trump).removesuffix(" bower") or "trump"
        for card in range(CARDS)
        if EFFECTIVE_SUIT[trump][card] == trump
    }
    for trump, letter in enumerate(phrases.SUIT_LETTERS)
}
#: What the script needs.
WORDING: Final = {"phrases": PHRASES, "trumps": TRUMPS}


def names(cast: Cast, trump: int) -> dict[str, Any]:
    """Return the values that others are read with: what the players are called, and trump."""
    letter = phrases.TRUMP_LETTERS[trump] or None
    return {"who": [person.short for person in cast], "trump": letter}


class Reader:
    """Reads coded values with the names in `values`."""

    def __init__(self, values: Mapping[str, Any], table: Mapping[str, str] = PHRASES) -> None:
        self.who: Sequence[str] = values["who"]
        self.trumps = TRUMPS.get(values["trump"], {})
        self.table = table

    def say(self, phrase: str, *words: str) -> str:
        return self.table[phrase].format(*words)

    def card(self, code: str) -> str:
        role = self.trumps.get(code)
        return self.say(role, self.table[code]) if role else self.table[code]

    def face(self, code: str) -> dict[str, Any]:
        """Return the row of a card."""
        row = {"card": code, "label": self.card(code)}
        role = self.trumps.get(code, "trump")
        return row if role == "trump" else row | {"bower": role}

    def spot(self, played: str, seat: int) -> dict[str, Any]:
        code, *roles = played.split()
        row, is_led = self.face(code), "led" in roles
        row["label"] = self.say("led" if is_led else "", row["label"], self.who[seat])
        for role in roles[is_led:]:
            row["label"] = self.say(role, row["label"])
        classes = ["winning" if role == "won" else role for role in roles]
        return row | {"class": " ".join(["card", *classes])}

    def news(self, said: str | Play) -> str:
        if isinstance(said, str):
            return said
        seat, code, *takes = said
        words = [self.who[int(seat)], self.card(str(code)), *(self.who[int(at)] for at in takes)]
        return self.say("takes" if takes else "plays", *words)

    def line(self, line: Any) -> Any:
        """Return a line of the log: a card played, or the trick taken, is a list."""
        if not isinstance(line, list):
            return line
        seat, *card = line
        person = [seat, self.who[seat]]
        if card:
            return {"words": [person, " ", card], "is": "play"}
        return {"words": [person, self.table["wins"]], "is": "won", "side": seat % 2}

    def in_hand(self, card: Any, taken: str | None) -> Any:
        if not isinstance(card, str):
            return card
        row, (code, *giver) = self.face(card), (taken or "").split(" ")
        if card != code:
            return row
        who = [self.who[int(seat)] for seat in giver]
        label = self.say("given" if who else "taken", row["label"], *who)
        tip = self.table["tip"].split("|")[len(who)].format(*who)
        return row | {"label": label, "taken": tip}

    def last(self, trick: list[Any]) -> dict[str, Any]:
        """Return the values of the last trick: its number, its winner, each seat with its card."""
        if not trick:
            return {"last": [], "last.title": self.table["last none"]}
        number, winner, *plays = trick
        rows = []
        for at, (seat, code) in enumerate(plays):
            phrase = " ".join(["last", *["led"] * (at == 0), *["won"] * (seat == winner)])
            caption = self.who[seat] if phrase == "last" else self.say(phrase, self.who[seat])
            row = self.face(code) | {"caption": caption}
            rows.append(row | {"won": "won"} if seat == winner else row)
        title = self.say("last", self.table[str(number)], self.who[winner])
        return {"last": rows, "last.title": title}

    def read(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return all values of a page as they are shown."""
        shown = dict(values)
        for seat in range(len(self.who)):
            spot, held = values[f"spot.{seat}"], values[f"held.{seat}"]
            shown[f"spot.{seat}"] = [self.spot(spot, seat)] if spot else []
            cards = self.table["cards"].split("|")[held or 0]
            if values[f"out.{seat}"]:
                cards = self.say("down", cards)
            shown[f"cards.{seat}"] = cards if held else None
        shown["log.deal"] = [self.line(line) for line in values.get("log.deal", ())]
        if isinstance(values["line"], int):
            shown["line"] = self.say("turn", self.who[values["line"]])
        if values["trick"]:
            number, what, seat = values["trick"]
            shown["trick"] = self.say(f"trick {what}", self.table[str(number)], self.who[seat])
        shown |= self.last(values["last"])
        shown["hand"] = [self.in_hand(row, values["hand.taken"]) for row in values["hand"]]
        return shown
