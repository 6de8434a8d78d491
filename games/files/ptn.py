"""Reader and writer of PTN, in which the largest euchre site writes hands down.

A relative of bridge's PBN: tags such as ``[Dealer "W"]``, lines of data after some of them, and
``Event`` begins each hand. An error's place is the line and the tag.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from itertools import takewhile
from typing import Any, Final

from games.engine.actions import (
    BEST,
    DEFENDS,
    GIVE,
    MAKE,
    MAKES,
    ORDERS,
    PASSED,
    SWAP,
    Action,
)
from games.engine.cards import (
    HIGH,
    JOKER,
    LOW,
    SUITS,
    card_text,
    cards_in,
    is_joker,
    mask_of,
    parse_card,
    suit_of,
)
from games.engine.deal import Deal
from games.engine.errors import MalformedError, RuleSetError
from games.engine.observation import TAKEN
from games.engine.rules import (
    DEALERS_LEFT,
    HAND,
    MAKER,
    NEVER,
    NO_TRUMP_HIGH,
    NO_TRUMP_HIGH_OR_LOW,
    PACK_SETS,
    PACKS,
    SWAPPED,
    RuleSet,
)
from games.engine.scoring import THROWN_IN
from games.engine.seats import COMPASS
from games.files import hands
from games.files.played import PlayedDeal, PlayedGame, standings
from games.files.strict_json import FileError, FileNode, load_text, shown

KEY: Final = "ptn"
MAX_HANDS: Final = 100
#: The lines after a tag, and the words of one, that are kept: more than any hand can have.
MAX_DATA: Final = 20
#: How a text begins that is PTN or means to be.
BEGINS: Final = re.compile(r"\s*(%|\[[A-Z]\w*[\s\"])")
_TAG: Final = re.compile(r'\[(\w{1,40})\s+"(.*)"\s*\]')
_LETTERS: Final = {players: "".join(name[0] for name in COMPASS[players]) for players in COMPASS}
_SYMBOLS: Final = "♣♦♥♠"  # in the order of SUITS
#: The suits of a hand in their order; a fifth part has the joker, as the high card of its suit.
_IN_HAND: Final = "SHDCJ"
_JOKER: Final = "JH"
_NO_TRUMPS: Final = {HIGH: "NT", LOW: "NT↓"}
_TRUMPS: Final = {
    **{letter: suit for letters in (SUITS, _SYMBOLS) for suit, letter in enumerate(letters)},
    **{text: trump for trump, text in _NO_TRUMPS.items()},
}
_CALL: Final = re.compile(f"({'|'.join(reversed(_TRUMPS))})(ALONE)?")
_EXCHANGES: Final = ("CardsAdded", "CardsRemoved", "CardsPassed")
#: The tags that say how a hand was dealt and played. All others are kept as they are.
_PLAY_TAGS: Final = {
    *("GameOptionsJson", "Dealer", "Deal", "Undealt", "Declarer", "Contract", "Auction", "Play"),
    *(*COMPASS[4], *_EXCHANGES),
}
#: Options that are on or off, and the fields of a rule set that say the same, with their value.
_FLAGS: Final[Mapping[str, tuple[str, Any]]] = {
    "stickTheDealer": ("stick_the_dealer", True),
    "noAlone": ("alone", False),
    "allowNotrump": ("no_trump", NO_TRUMP_HIGH),
    "allowLowNotrump": ("no_trump", NO_TRUMP_HIGH_OR_LOW),
    "callForBest": ("partners_best", True),
    "goUnder": ("farmers_hand", True),
    "aloneTake5": ("alone_made", 0),
    "defendAlone": ("defend_alone", True),
    "makerLeadsFirst": ("lone_lead", MAKER),
}
#: The options that Bower reads, and what they are where they are left out.
_PLAYED: Final = {
    **dict.fromkeys(_FLAGS, False),
    "withJoker": False,
    "gameOverScore": 10,
    "players": 4,
    "deckSize": 24,
}
#: Options that Bower does not play, what they are where they are off, and why.
_NOT_PLAYED: Final = {
    "numDecks": (1, "there is one pack, never a double one"),
    "variation": (0, "1 is bidding euchre"),
    "take4for1": (False, "hands stay as dealt"),
}


class _Tags(dict[str, list[FileNode]]):
    """The tags of a hand by name; `rows`: the words of each line of data after a tag."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: dict[str, list[list[FileNode]]] = {}

    def one(self, name: str) -> FileNode:
        if name not in self:
            self["Event"][0].refuse(f"The tag {name} of this hand is missing.")
        return self[name][0]

    @property
    def kept(self) -> dict[str, str]:
        return {key: nodes[0].words(2000) for key, nodes in self.items() if key not in _PLAY_TAGS}


# Cards, calls and seats -------------------------------------------------------------------


def read_card(node: FileNode, rules: RuleSet) -> int:
    """Read a card, suit before rank: ``DQ``, ``ST``, ``JH`` for the joker."""
    text = node.value.upper()
    try:
        card = JOKER if text == _JOKER else parse_card(text[1:] + text[:1])
    except MalformedError:
        node.refuse(f"{shown(node.value)} is not a card such as DQ, ST or H9.")
    if card not in PACK_SETS[rules.pack]:
        node.refuse(f"{shown(node.value)} is not in the pack of {rules.pack} cards.")
    return card


def write_card(card: int) -> str:
    return _JOKER if is_joker(card) else card_text(card)[::-1]


def write_call(action: Action, turned: int = -1) -> str:
    """Return a call; ``turned`` is the suit that an order makes trump."""
    suit = action.value if action.kind == MAKE else turned
    trump = _NO_TRUMPS[suit] if suit in _NO_TRUMPS else _SYMBOLS[suit]
    return "Pass" if action == PASSED else trump + " alone" * action.alone


def _notation(players: int) -> hands.Notation:
    seats = [name.lower() for name in COMPASS[players]]
    return hands.Notation("PTN", read_card, write_card, write_call, seats.__getitem__, "-")


def _read_seat(node: FileNode, rules: RuleSet) -> int:
    letters = _LETTERS[rules.players]
    return letters.index(FileNode(node.value.strip().upper(), node.place).choice([*letters]))


def _read_trump(node: FileNode) -> tuple[int, bool]:
    """Read a suit as made trump, and whether its maker plays alone."""
    text = re.sub("[ \ufe0f]", "", node.value.upper())
    found = _CALL.fullmatch(text)
    if found is None:
        node.refuse(f"{shown(node.value)} is not a call: Pass, a suit such as ♥, or ♥ alone.")
    return _TRUMPS[found[1]], found[2] is not None


# Reading ----------------------------------------------------------------------------------


def read_ptn(text: str) -> list[PlayedGame]:
    """Read all hands of a text; hands that follow each other by deal are one game."""
    games: list[PlayedGame] = []
    for tags in _tagged(text):
        game, one = _read_hand(tags)
        if games and _continues(games[-1], game, one.deal):
            game = games.pop()
        number = len(game.deals) + 1
        *_, (before, after) = standings(game.rules, [*(old.deal for old in game.deals), one.deal])
        played = PlayedDeal(one.deal, before, after, one.unknown, tuple(tags.kept.items()))
        notes = (hands.ENDS.format(number=number, note=one.note),) if one.note else ()
        games.append(game._replace(deals=(*game.deals, played), notes=notes))
    return games


def _continues(game: PlayedGame, other: PlayedGame, deal: Deal) -> bool:
    """Return whether a hand is the next one of a game."""
    last = game.deals[-1].deal
    if last.result is None or game.standing.over or other[:2] != game[:2]:
        return False
    again = last.dealer if last.result.outcome == THROWN_IN else -1
    return other.title == game.title and deal.dealer in (game.rules.after(last.dealer), again)


def _tagged(text: str) -> list[_Tags]:
    found: list[_Tags] = []
    name = ""
    for number, raw in enumerate(re.split(r"\r\n?|\n", text), start=1):
        line, place = raw.strip(), f"line {number}"
        if not line or line.startswith("%"):
            continue
        if tag := _TAG.fullmatch(line):
            name = tag[1]
            node = FileNode(re.sub(r"\\(.)", r"\1", tag[2]), f"{place}, {name}")
            if name == "Event":
                found.append(_Tags())
            if not 1 <= len(found) <= MAX_HANDS:
                node.refuse(f"The tag Event begins a hand; there can be 1 to {MAX_HANDS} of them.")
            if name in found[-1] and name not in _EXCHANGES:
                node.refuse("This hand has the tag already.")
            found[-1].setdefault(name, []).append(node)
        elif found and not line.startswith("["):
            rows, words = found[-1].rows.setdefault(name, []), line.split(maxsplit=MAX_DATA)
            if len(rows) < MAX_DATA:
                rows.append([FileNode(word, f"{place}, {name}") for word in words])
        else:
            raise FileError(place, 'This is not a tag such as [Dealer "W"].')
    if not found:
        raise FileError("", "There is no hand in this text.")
    return found


def _read_hand(tags: _Tags) -> tuple[PlayedGame, hands.ReadDeal]:
    """Return the game that a hand begins, without its deal, and the deal."""
    rules, kept = _read_rules(tags), tags.kept
    named = {seat: tags[seat][0] for seat in COMPASS[4] if seat in tags and tags[seat][0].value}
    players = [named[seat].text(100) if seat in named else seat for seat in COMPASS[rules.players]]
    start = _read_start(tags, rules)
    bid = _read_bidding(tags, start)
    bid = bid._replace(defender=_read_defender(tags, start, bid))
    discard, answers = _read_exchange(tags, start, bid)
    card = read_card(discard, rules) if discard is not None else -1
    played = _read_play(tags, start, bid)
    deal = hands.replayed(hands.FileHand(start, bid, played, card, discard, answers))
    date = f"{kept.get('UTCDate', '')} {kept.get('UTCTime', '')}".strip()
    return PlayedGame(rules, tuple(players), (), title=kept["Event"], date=date), deal


def _read_rules(tags: _Tags) -> RuleSet:
    place = tags.get("GameOptionsJson", tags["Event"])[0]
    file = load_text(place.value, place.place) if "GameOptionsJson" in tags else FileNode({})
    if not isinstance(file.value, dict):
        place.refuse("The options must be an object in JSON.")
    # The site writes the same option with and without capitals.
    given = {key.lower(): value for key, value in file.value.items() if value is not None}

    def option(name: str, off: int) -> int:
        node = FileNode(given.get(name.lower(), off), f"{place.place}, {name}")
        return node.flag() if off is False else node.number(0, 100)

    for name, (off, why) in _NOT_PLAYED.items():
        if option(name, off) != off:
            place.refuse(f"Bower does not play {name}: {why}.")
    said = {name: option(name, off) for name, off in _PLAYED.items()}
    if said["players"] not in COMPASS:
        place.refuse(f"Bower is for 2 or 4 players, not {said['players']}.")
    try:
        return RuleSet(
            key=KEY,
            name="Rules of a file",
            players=said["players"],
            pack=said["deckSize"] + (said["withJoker"] and said["deckSize"] % 2 == 0),
            target=said["gameOverScore"],
            **{
                "alone": said["players"] == 4,
                **{field: value for name, (field, value) in _FLAGS.items() if said[name]},
            },
        )
    except RuleSetError as why:
        place.refuse(str(why))


def _read_start(tags: _Tags, rules: RuleSet) -> hands.DealStart:
    deal, undealt = tags.one("Deal"), tags.one("Undealt")
    first, _, rest = deal.value.partition(":")
    texts = rest.split()
    if len(texts) != rules.players:
        deal.refuse(f"This must be a seat, a colon and {rules.players} hands, - for unknown ones.")
    turn = _read_seat(FileNode(first, deal.place), rules)
    held = []
    for seat, text in enumerate(texts[-turn:] + texts[:-turn]):
        place = f"{deal.place}, {COMPASS[rules.players][seat].lower()}"
        parts = zip(_IN_HAND, text.split("."), strict=False)
        cards = [FileNode(suit + rank, place) for suit, ranks in parts for rank in ranks]
        held.append((FileNode(text, place), cards if text != "-" else []))
    left = "".join(undealt.value.split())
    up_card, *kitty = [
        FileNode(left[at : at + 2], undealt.place) for at in range(0, max(len(left), 1), 2)
    ]
    dealer, notation = _read_seat(tags.one("Dealer"), rules), _notation(rules.players)
    dealt = hands.read_cards(rules, notation, up_card, held, kitty)
    return hands.DealStart(rules, notation, dealer, *dealt, deal.place)


def _read_bidding(tags: _Tags, start: hands.DealStart) -> hands.Bid:
    rules = start.rules
    if "Auction" not in tags and not tags.keys() & {"Contract", "Declarer", "Play"}:
        return hands.Bid(())
    auction, eldest = tags.one("Auction"), rules.after(start.dealer)
    if _read_seat(auction, rules) != eldest:
        auction.refuse(f"{COMPASS[rules.players][eldest]}, at dealer's left, speaks first.")
    calls: list[FileNode] = []
    for word in (word for row in tags.rows.get("Auction", ()) for word in row):
        if word.value.upper() == "ALONE" and calls:
            calls[-1] = FileNode(calls[-1].value + word.value, calls[-1].place)
        else:
            calls.append(word)
    while calls and calls[-1].value == "-":
        calls.pop()
    if len(calls) > 2 * rules.players:
        calls[2 * rules.players].refuse("The bidding has two rounds.")
    bid = hands.read_bid(calls, start, lambda call, first: _read_call(call, start, first=first))
    seat_of = partial(_read_seat, rules=rules)
    made: tuple[tuple[str, Callable[[FileNode], object], object], ...] = (
        ("Declarer", seat_of, bid.maker),
        ("Contract", _read_trump, (bid.trump, bid.alone)),
    )
    for name, read, given in made:
        for node in tags.get(name, ()):
            said = None if node.value.upper() in ("", "-", "PASS") else read(node)
            if said != (given if bid.maker >= 0 else None):
                node.refuse("The auction says otherwise.")
    return bid


def _read_call(node: FileNode, start: hands.DealStart, *, first: bool) -> Action:
    if node.value.upper() == "PASS":
        return PASSED
    (suit, alone), turned = _read_trump(node), suit_of(start.turn_up)
    if alone and not start.rules.alone:
        node.refuse("By the options of this hand nobody plays alone.")
    if first and suit != turned:
        node.refuse(f"The first round has Pass or {_SYMBOLS[turned]}, the suit turned up.")
    return ORDERS[alone] if first else MAKES[suit][alone]


def _read_defender(tags: _Tags, start: hands.DealStart, bid: hands.Bid) -> int:
    """Return the defender whose partner plays no card, or -1; the columns of the tricks say it."""
    rules, rows = start.rules, tags.rows.get("Play", [])
    if not (rules.defend_alone and bid.alone and rows):
        return -1
    first = _read_seat(tags.one("Play"), rules)
    for seat in (bid.maker + 1) % 4, (bid.maker - 1) % 4:
        columns = (seat - first) % 4, (seat + 2 - first) % 4
        used = [any(len(row) == 4 and row[at].value != "-" for row in rows) for at in columns]
        if used == [True, False]:
            return seat
    return -1


def _read_exchange(
    tags: _Tags, start: hands.DealStart, bid: hands.Bid
) -> tuple[FileNode | None, tuple[hands.Answer, ...]]:
    """Return the dealer's discard, if the hand says it, and the answers that move cards."""
    rules, found, answers = start.rules, dict[str, FileNode](), list[hands.Answer]()
    added: dict[int, set[int]] = {}
    for name, node in [(tag, node) for tag in _EXCHANGES for node in tags.get(tag, ())]:
        *seats, text = [FileNode(part.strip(), node.place) for part in node.value.split(":")]
        cards = [
            FileNode(text.value[at : at + 2], node.place) for at in range(0, len(text.value), 2)
        ]
        passed = name == "CardsPassed"
        if len(seats) != 1 + passed or len(cards) not in (1, 1 if passed else SWAPPED):
            node.refuse(
                "This must be a seat, a colon and a card or three; two seats if it is passed."
            )
        seat = _read_seat(seats[0], rules)
        if passed:
            ends = seat, _read_seat(seats[1], rules)
            answers.append(hands.passed(node, start, bid, ends, read_card(cards[0], rules)))
        elif len(cards) == SWAPPED and name == "CardsAdded":
            added[seat] = {read_card(card, rules) for card in cards}
        elif len(cards) == SWAPPED:
            _check_swap(node, start, added.pop(seat, set()))
            swap = mask_of(read_card(card, rules) for card in cards)
            answers.append((seat, Action(SWAP, swap), node))
        else:
            if seat != start.dealer or name in found:
                node.refuse("Only the dealer takes the turn-up and discards a card.")
            hands.check_exchange(node, start, bid)
            found[name] = cards[0]
    if added:
        tags.one("CardsAdded").refuse("Who gets three cards puts three away: CardsRemoved.")
    taken = found.get("CardsAdded")
    if taken is not None and read_card(taken, rules) != start.turn_up:
        taken.refuse(f"The dealer takes the turn-up, {write_card(start.turn_up)}.")
    if bid.defender >= 0:
        answers.append((bid.defender, DEFENDS, tags.one("Play")))
    return found.get("CardsRemoved"), tuple(answers)


def _check_swap(node: FileNode, start: hands.DealStart, added: set[int]) -> None:
    dealt = {start.turn_up, *(card for hand in start.hands for card in hand or ())}
    if not start.rules.farmers_hand:
        node.refuse("By the options of this hand nobody swaps three cards.")
    if added != start.rules.pack_set - dealt:
        node.refuse("A farmer’s hand gets the three cards under the turn-up: CardsAdded.")


def _read_play(tags: _Tags, start: hands.DealStart, bid: hands.Bid) -> hands.TricksPlayed:
    if "Play" not in tags:
        return hands.TricksPlayed()
    rules, node, out = start.rules, tags.one("Play"), hands.sitting_out(start, bid)
    first = _read_seat(node, rules)
    rows = [FileNode(words, words[0].place) for words in tags.rows.get("Play", ())]
    while rows and all(word.value == "-" for word in rows[-1].value):
        rows.pop()
    if len(rows) > HAND:
        rows[HAND].refuse(f"A hand has {HAND} tricks.")
    if rows and bid.maker >= 0:
        hands.check_lead(node, start, bid, first)

    def in_order(row: FileNode, leader: int) -> list[FileNode]:
        if len(row.value) != rules.players:
            row.refuse(f"A trick has {rules.players} columns, with - for who plays no card.")
        seats = [(leader + turn) % rules.players for turn in range(rules.players)]
        columns = {seat: row.value[(seat - first) % rules.players] for seat in seats}
        for seat in out:
            if columns.pop(seat).value != "-":
                row.refuse(f"{COMPASS[rules.players][seat]} sits out and plays no card.")
        cards = list(takewhile(lambda card: card.value != "-", columns.values()))
        if any(card.value != "-" for card in [*columns.values()][len(cards) :]):
            leads = COMPASS[rules.players][leader]
            row.refuse(f"{leads} leads this trick, and a card before another’s is missing.")
        return cards

    return hands.read_tricks(node, rows, in_order, start, bid)


# Writing ----------------------------------------------------------------------------------


def write_ptn(game: PlayedGame, hand: int | None = None) -> bytes:
    """Return a game, or one hand by its number, as PTN; raise UnsupportedGameError if it cannot."""
    take_five = game.rules.alone_made == 0
    points = {**hands.POINTS, "alone_made": 1 - take_five, "alone_march": 4, "alone_euchre": 2}
    leads = (DEALERS_LEFT, MAKER)
    dealt = hands.deals_to_write(game, "PTN", points, unsaid=hands.UNSAID, leads=leads, number=hand)
    return "\n".join(["% PTN ---\n", *(_write_hand(game, one) for one in dealt)]).encode()


def _write_hand(game: PlayedGame, one: PlayedDeal) -> str:
    deal, rules = one.deal, game.rules
    (held, turn_up), players = deal.start, rules.players
    letters, turned = _LETTERS[players], suit_of(turn_up)
    dealer, eldest = letters[deal.dealer], letters[rules.after(deal.dealer)]
    dealt = [
        "-" if one.unknown.intersection(cards_in(hand)) else _write_cards(hand)
        for hand in held[deal.dealer :] + held[: deal.dealer]
    ]
    known = {turn_up, *(card for hand in held for card in cards_in(hand))}
    left = [] if one.unknown else sorted(rules.pack_set - known)
    calls = [write_call(action, turned) for _, action in deal.calls]
    calls += ["-"] * (-len(calls) % players)
    lines = [
        *(_tag(name, text) for name, text in one.said or _about(game)),
        _tag("GameOptionsJson", _write_options(rules)),
        *map(_tag, COMPASS[players], game.players),
        _tag("Dealer", dealer),
        _tag("Deal", f"{dealer}:{' '.join(dealt)}"),
        _tag("Undealt", "".join(map(write_card, (turn_up, *left)))),
    ]
    if deal.maker >= 0:
        trump = write_call(MAKES[deal.trump][deal.alone])
        lines += [_tag("Declarer", letters[deal.maker]), _tag("Contract", trump)]
    lines += [_tag("Auction", eldest)]
    lines += [" ".join(calls[at : at + players]) for at in range(0, len(calls), players)]
    for seat, action in deal.answers:
        cards = "".join(map(write_card, cards_in(action.value))) if action.kind == SWAP else ""
        if action.kind == SWAP:
            lines += [_tag("CardsAdded", f"{letters[seat]}:{''.join(map(write_card, left))}")]
            lines += [_tag("CardsRemoved", f"{letters[seat]}:{cards}")]
        elif action.kind in (GIVE, BEST):
            ends = f"{letters[seat]}:{letters[(seat + 2) % 4]}"
            lines += [_tag("CardsPassed", f"{ends}:{write_card(action.value)}")]
    if deal.turn_up_at == TAKEN:
        lines += [_tag("CardsAdded", f"{dealer}:{write_card(turn_up)}")]
    if deal.discarded >= 0 and deal.discarded not in one.unknown:
        lines += [_tag("CardsRemoved", f"{dealer}:{write_card(deal.discarded)}")]
    tricks = [dict(trick.plays) for trick in deal.tricks] + [dict(deal.plays)] * bool(deal.plays)
    for number, trick in enumerate(tricks):
        first = next(iter(tricks[0]))
        columns = [(first + turn) % players for turn in range(players)]
        lines += [] if number else [_tag("Play", letters[first])]
        lines += [" ".join(write_card(trick[seat]) if seat in trick else "-" for seat in columns)]
    return "\n".join(lines) + "\n"


def _about(game: PlayedGame) -> list[tuple[str, str]]:
    hands = f", {game.rules.deals} hands" if game.rules.deals else ""
    day = re.match(r"(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d:\d\d)", game.date)
    when = [("UTCDate", ".".join(day.groups()[:3])), ("UTCTime", day[4])] if day else []
    return [("Event", (game.title or game.rules.name) + hands), *when, ("GameCode", "Euchre")]


def _write_options(rules: RuleSet) -> str:
    low, joker = PACKS[rules.pack]
    flags = {name: getattr(rules, field) == value for name, (field, value) in _FLAGS.items()}
    options = {
        "gameOverScore": rules.target,
        **flags,
        # A stuck dealer who may name only suits of the hand passes in the end.
        "stickTheDealer": rules.stick_the_dealer and not rules.own_trump,
        "noAlone": rules.players == 4 and not rules.alone,
        "allowNotrump": rules.no_trump != NEVER,
        "withJoker": joker,
        "deckSize": rules.pack - joker if low < 2 else None,
        "players": rules.players % 4,
    }
    return json.dumps({name: value for name, value in options.items() if value})


def _write_cards(hand: int) -> str:
    cards = [write_card(card) for card in reversed([*cards_in(hand)])]
    parts = ["".join(card[1] for card in cards if card[0] == suit) for suit in _IN_HAND]
    return ".".join(parts if parts[-1] else parts[:-1])


def _tag(name: str, text: str) -> str:
    escaped = re.sub(r'(["\\])', r"\\\1", " ".join(text.split()))
    return f'[{name} "{escaped}"]'
