"""The game once more from its rules alone: cards as words, lists and ifs, read from top to bottom.

An oracle for the engine: it was written from the rules as people print them, without a look at the
engine, and shares no code with it. It is slow, and meant to be read beside the rules. Players are
numbered clockwise from 0, so that ``seat + 1`` sits to the left; sides are 0 and 1.

A game is a generator: it yields who is asked and what they may say, and is sent what they say.
Between two deals anybody may say ``next``; then the seat is -1.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field

Asked = tuple[int, list[str]]
Talk = Generator[Asked, str, None]

SUITS = ["C", "D", "H", "S"]
COLOUR = {"C": "black", "S": "black", "D": "red", "H": "red"}
PLAIN_ORDER = ["7", "8", "9", "T", "J", "Q", "K", "A"]


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What one way of playing says.

    Attributes:
        players: four, partners opposite, or two, without partners.
        lowest: the lowest rank in the pack.
        joker: whether the pack holds the joker.
        cut: whether the player on the dealer's right cuts.
        packets: how many cards each player gets in each round of the deal.
        stick: the dealer may not pass in the second round.
        alone: the maker may play without a partner.
        same_dealer: after a thrown-in deal the deal stays.
        joker_makes: a joker turned up makes the dealer's side the makers at once.
        lay_down: the deal ends when its points are certain.
        no_tricks: points against makers who take no trick.
        target: points for the game, or None.
        deals: deals in a game without a target, thrown-in ones not counted.
        pass_counts: thrown-in ones are counted after all, and the deal goes on.
    """

    players: int = 4
    lowest: str = "9"
    joker: bool = False
    cut: bool = False
    packets: Sequence[int] = (3, 2)
    stick: bool = False
    alone: bool = True
    same_dealer: bool = False
    joker_makes: bool = False
    lay_down: bool = False
    no_tricks: int = 2
    target: int | None = 5
    deals: int | None = None
    pass_counts: bool = False


def pack_of(rules: Rules) -> list[str]:
    """Every card of the pack, in some order."""
    ranks = PLAIN_ORDER[PLAIN_ORDER.index(rules.lowest) :]
    return [rank + suit for suit in SUITS for rank in ranks] + (["Jo"] if rules.joker else [])


def is_left_bower(card: str, trump: str) -> bool:
    """Whether it is the jack of the other suit of the trump's colour."""
    return card[0] == "J" and card[1] in SUITS and card[1] != trump and same_colour(card[1], trump)


def same_colour(one: str, other: str) -> bool:
    """Whether both suits are red or both black."""
    return COLOUR[one] == COLOUR[other]


def suit_of(card: str, trump: str) -> str:
    """The suit a card belongs to: joker and left bower are trumps in every respect."""
    if card == "Jo" or is_left_bower(card, trump):
        return trump
    return card[1]


def height(card: str, trump: str) -> int:
    """How high a card stands within the suit it belongs to."""
    if card == "Jo":
        return 30
    if card == "J" + trump:
        return 20
    if is_left_bower(card, trump):
        return 10
    return PLAIN_ORDER.index(card[0])


def beats(card: str, best: str, trump: str) -> bool:
    """Whether a card takes the lead of a trick from the best card so far."""
    if suit_of(card, trump) == suit_of(best, trump):
        return height(card, trump) > height(best, trump)
    return suit_of(card, trump) == trump


def may_play(hand: list[str], led: str | None, trump: str) -> list[str]:
    """The cards that may be played: of the suit led if there are any, else all."""
    if led is None:
        return list(hand)
    following = [card for card in hand if suit_of(card, trump) == suit_of(led, trump)]
    return following or list(hand)


def taker(plays: Sequence[tuple[int, str]], trump: str) -> int:
    """The seat that takes a trick."""
    seat, best = plays[0]
    for other, card in plays[1:]:
        if beats(card, best, trump):
            seat, best = other, card
    return seat


@dataclass
class Table:
    """A game as everybody could write it down.

    Attributes:
        rules: the way of playing.
        dealer: who deals.
        packs: the shuffled pack of each deal from 0, top card first.
        score: points of both sides.
        deal: the number of the present deal, from 0.
        counted: finished deals that count.
        hands: the cards each player holds.
        turn_up: the card turned up.
        trump: the trump suit once it is made.
        maker: who made it.
        alone: whether the maker plays alone.
        tricks: the finished tricks, each as who took it and the cards in the order played.
        points: what the last deal brought both sides.
    """

    rules: Rules
    dealer: int
    packs: Callable[[int], Sequence[str]]
    score: list[int] = field(default_factory=lambda: [0, 0])
    deal: int = 0
    counted: int = 0
    hands: list[list[str]] = field(default_factory=list)
    turn_up: str = ""
    trump: str = ""
    maker: int = -1
    alone: bool = False
    tricks: list[tuple[int, list[str]]] = field(default_factory=list)
    points: list[int] = field(default_factory=lambda: [0, 0])

    def left_of(self, seat: int) -> int:
        """The next player clockwise."""
        return (seat + 1) % self.rules.players

    def tricks_of_makers(self) -> int:
        """How many tricks the makers' side has taken."""
        return len([taker for taker, _ in self.tricks if taker % 2 == self.maker % 2])

    def sits_out(self, seat: int) -> bool:
        """Whether a player's partner plays alone."""
        return self.alone and seat == (self.maker + 2) % 4


def whole_game(table: Table) -> Talk:
    """Deals until a side has won or the last deal is played."""
    rules = table.rules
    while True:
        yield from one_deal(table)
        table.score = [table.score[side] + table.points[side] for side in (0, 1)]
        thrown_in = table.maker == -1
        if not thrown_in or rules.pass_counts:
            table.counted += 1
        if rules.target is not None and max(table.score) >= rules.target:
            return
        if rules.deals is not None and table.counted == rules.deals:
            return
        yield -1, ["next"]
        table.deal += 1
        stays = thrown_in and (rules.same_dealer or rules.deals is not None)
        stays = stays and not rules.pass_counts
        if not stays:
            table.dealer = table.left_of(table.dealer)


def one_deal(table: Table) -> Talk:
    """The cut, the deal, making trump, the tricks and what they bring."""
    table.trump, table.maker, table.alone = "", -1, False
    table.tricks, table.points = [], [0, 0]
    yield from cut_and_deal(table)
    yield from make_trump(table)
    if table.maker == -1:
        return
    yield from play_tricks(table)
    table.points = worth(table)


def cut_and_deal(table: Table) -> Talk:
    """Five cards each in packets from dealer's left, and the next card turned up."""
    rules = table.rules
    pack = list(table.packs(table.deal))
    if rules.cut:
        right = (table.dealer - 1) % rules.players
        said = yield right, [f"cut {lifted}" for lifted in range(4, len(pack) - 4 + 1)]
        lifted = int(said.split()[1])
        pack = pack[lifted:] + pack[:lifted]
    table.hands = [[] for _ in range(rules.players)]
    for packet in rules.packets:
        seat = table.dealer
        for _ in range(rules.players):
            seat = table.left_of(seat)
            for _ in range(packet):
                table.hands[seat].append(pack.pop(0))
    table.turn_up = pack.pop(0)


def make_trump(table: Table) -> Talk:
    """Two rounds from dealer's left; the maker stays -1 when all pass twice."""
    rules = table.rules
    up = table.turn_up[1]
    if table.turn_up == "Jo":
        said = yield table.dealer, ["name " + suit for suit in SUITS]
        up = said.split()[1]
        if rules.joker_makes:
            table.maker, table.trump = table.dealer, up
            yield from take_up(table)
            return
    seat = table.dealer
    for _ in range(rules.players):
        seat = table.left_of(seat)
        said = yield seat, ["pass", *with_alone(table, ["order"])]
        if said != "pass":
            table.maker, table.trump, table.alone = seat, up, said.endswith(" alone")
            yield from take_up(table)
            return
    names = with_alone(table, ["make " + suit for suit in SUITS if suit != up])
    for _ in range(rules.players):
        seat = table.left_of(seat)
        stuck = rules.stick and seat == table.dealer
        said = yield seat, names if stuck else ["pass", *names]
        if said != "pass":
            table.maker, table.trump = seat, said.split()[1]
            table.alone = said.endswith(" alone")
            return


def with_alone(table: Table, calls: list[str]) -> list[str]:
    """Calls, each also with alone where that is played."""
    if not table.rules.alone:
        return calls
    return calls + [call + " alone" for call in calls]


def take_up(table: Table) -> Talk:
    """The dealer takes the turn-up and discards any of six; not when sitting out."""
    if table.sits_out(table.dealer):
        return
    hand = table.hands[table.dealer]
    hand.append(table.turn_up)
    said = yield table.dealer, ["discard " + card for card in hand]
    hand.remove(said.split()[1])


def play_tricks(table: Table) -> Talk:
    """Five tricks; the first player in the hand at dealer's left leads, then who took the last."""
    leader = table.left_of(table.dealer)
    if table.sits_out(leader):
        leader = table.left_of(leader)
    while len(table.tricks) < 5 and not (table.rules.lay_down and certain(table)):
        seat = leader
        plays: list[tuple[int, str]] = []
        for _ in range(table.rules.players):
            if not table.sits_out(seat):
                led = plays[0][1] if plays else None
                choices = may_play(table.hands[seat], led, table.trump)
                said = yield seat, ["play " + card for card in choices]
                card = said.split()[1]
                table.hands[seat].remove(card)
                plays.append((seat, card))
            seat = table.left_of(seat)
        leader = taker(plays, table.trump)
        table.tricks.append((leader, [card for _, card in plays]))


def points_for(table: Table, taken: int) -> list[int]:
    """What both sides score when the makers take so many tricks."""
    makers = table.maker % 2
    points = [0, 0]
    if taken == 5:
        points[makers] = 4 if table.alone else 2
    elif taken >= 3:
        points[makers] = 1
    elif taken == 0:
        points[1 - makers] = table.rules.no_tricks
    else:
        points[1 - makers] = 2
    return points


def worth(table: Table) -> list[int]:
    """What both sides score for the tricks as they were taken."""
    return points_for(table, table.tricks_of_makers())


def certain(table: Table) -> bool:
    """Whether every way of taking the tricks that are left brings the same points."""
    taken, left = table.tricks_of_makers(), 5 - len(table.tricks)
    ends = [points_for(table, taken + more) for more in range(left + 1)]
    return all(end == ends[0] for end in ends)


#: The four published rule sets.
PUBLISHED = {
    "joker-33": Rules(lowest="7", joker=True, cut=True, target=7),
    "classic-24": Rules(target=5),
    "stick-the-dealer": Rules(packets=(2, 3), stick=True, target=10),
    "heads-up": Rules(players=2, packets=(1, 1, 1, 1, 1), alone=False, target=10),
}
