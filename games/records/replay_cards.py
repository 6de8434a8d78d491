"""The cards of a replayed game as one viewer is shown them: in the hands, and on the cloth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from games.engine.cards import JOKER, cards_in, sort_key
from games.engine.deal import Deal
from games.engine.observation import ON_PACK, TAKEN, TURNED_DOWN, Observation
from games.engine.tricks import Trick, winner
from games.files.played import PlayedDeal
from games.picture import words
from games.picture.cast import Person

#: What tells the seats' colours apart in style sheets, by seat.
TONES: Final = ("", "b", "c", "d")
_TURN_UP_NOTES: Final = {
    ON_PACK: "turned up",
    TURNED_DOWN: "turned down",
    TAKEN: "taken up by the dealer",
}


@dataclass(frozen=True, slots=True)
class Card:
    """A card as it is drawn.

    corner: "10", "Q" or "★". letter: of "cdhso". face, pip, sole: names of drawings; the joker has
    no pip. label: read out.
    note: the trick it was played in, or what became of it. spent: it is not in the hand any more.
    """

    corner: str
    letter: str
    face: str
    label: str
    note: str = ""
    spent: bool = False
    led: bool = False
    winning: bool = False

    @property
    def pip(self) -> str:
        """The drawing beside its corner."""
        return "" if self.letter == "o" else f"suit-{self.letter}"

    @property
    def sole(self) -> str:
        """The only drawing of a small card."""
        return self.pip or "star"


@dataclass(frozen=True, slots=True)
class ReplaySeat:
    """A player and his cards. at: south, west, north or east. backs: cards not shown."""

    at: str
    name: str
    tone: str
    role: str
    cards: tuple[Card, ...]
    backs: int
    backs_label: str
    played: Card | None

    @property
    def hidden(self) -> range:
        """As many as there are cards not shown."""
        return range(self.backs)


def seat_of(
    person: Person, played: PlayedDeal, deal: Deal, seen: Observation, *, all_open: bool
) -> ReplaySeat:
    """Return one player with the cards that the viewer may see of him.

    Args:
        person: the player.
        played: the deal as it was played.
        deal: the same as it stands at the moment shown.
        seen: what the viewer sees of it.
        all_open: whether all hands are shown.
    """
    shown = _shown_trick(deal)
    open_hand = all_open or seen.seat == person.seat
    in_trick = {
        card: number
        for number, trick in enumerate((*deal.tricks, Trick(deal.plays)), start=1)
        for seat, card in trick.plays
        if seat == person.seat
    }
    held = set(cards_in(deal.hands[person.seat]))
    gone = {deal.discarded} if person.seat == deal.dealer and deal.discarded >= 0 else set()
    cards = set(in_trick)
    if open_hand:
        cards |= (held | gone) - played.unknown
    if not all_open and seen.hand == 0 and not in_trick:
        cards = set()  # a dealer who names a joker's suit has not seen his cards
    ordered = sorted(cards, key=lambda card: sort_key(deal.trump, card))
    backs = len((held | (gone if open_hand else set())) - cards)
    on_table = dict(shown.plays).get(person.seat, -1)
    return ReplaySeat(
        at=person.at,
        name="You" if person.you else person.name,
        tone=TONES[person.seat],
        role=", ".join(_roles(person, deal)),
        cards=tuple(_in_fan(card, deal, in_trick, held) for card in ordered),
        backs=backs,
        backs_label=f"{words.counted(backs, 'card', 'cards')} face down",
        played=_on_table(on_table, deal, shown, person.seat) if on_table >= 0 else None,
    )


def turn_up_of(deal: Deal) -> tuple[Card | None, str]:
    """Return the card turned up, until the first card is led, and what became of it."""
    if deal.turn_up < 0 or deal.plays or deal.tricks:
        return None, ""
    note = _TURN_UP_NOTES[deal.observe().turn_up_at]
    return _face(deal.turn_up, deal.trump, f", {note}"), note


def _face(card: int, trump: int, told: str = "") -> Card:
    """A card; `told` is added to what is read out."""
    corner, letter = words.index(card), words.suit_letter(card)
    face = "face-Jo" if card == JOKER else f"face-{corner}{letter}"
    return Card(corner, letter, face, f"{words.card_name(card, trump)}{told}")


def _shown_trick(deal: Deal) -> Trick:
    """The trick on the table: the present one, or the last while nobody has led to the next."""
    if deal.plays:
        return Trick(deal.plays, winner(deal.trump, deal.plays))
    return deal.tricks[-1] if deal.tricks else Trick(())


def _on_table(card: int, deal: Deal, shown: Trick, seat: int) -> Card:
    led, winning = shown.leader == seat, shown.winner == seat
    return replace(_face(card, deal.trump), led=led, winning=winning)


def _in_fan(card: int, deal: Deal, in_trick: dict[int, int], held: set[int]) -> Card:
    if card in in_trick:
        note, told = str(in_trick[card]), f", played in trick {in_trick[card]}"
    elif card in held:
        note, told = "", ", still in hand"
    else:
        note, told = "out", ", discarded"
    return replace(_face(card, deal.trump, told), note=note, spent=card not in held)


def _roles(person: Person, deal: Deal) -> Iterator[str]:
    yield person.compass
    if person.seat == deal.dealer:
        yield "dealer"
    if person.seat == deal.maker:
        yield "alone" if deal.alone else "maker"
    if person.seat == deal.sitting_out:
        yield "sits out"
