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
from itertools import combinations

Asked = tuple[int, list[str]]
Talk = Generator[Asked, str, None]
Question = Generator[Asked, str, str]

SUITS = ["C", "D", "H", "S"]
COLOUR = {"C": "black", "S": "black", "D": "red", "H": "red"}
PLAIN_ORDER = ["7", "8", "9", "T", "J", "Q", "K", "A"]
#: The joker as it is drawn: no pack holds another two.
JOKERS = ["Jo", "2S"]
#: Calls of the second round that name no suit: ace down to nine, and nine down to ace.
NO_TRUMP, LOW_NO_TRUMP = "NT", "LNT"


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
        benny: the joker is the two of spades.
        no_trump: what else may be made in the second round, of ``NT`` and ``LNT``.
        defend_alone: a defender may play alone against a lone hand.
        lone_three: points of a lone hand that takes three or four tricks.
        lone_euchred: points against a lone hand that is euchred; None: as against two makers.
        lone_defence: the same, to a lone defender.
        best: a lone maker may give a card away for one that the partner chooses.
        canadian: the dealer's partner accepts the turn-up only alone.
        own_trump: who makes a suit trump holds a card of it.
        near_end: nobody calls alone who needs one or two points.
        lone_lead: who leads against a lone hand: ``dealer``'s left, ``maker``'s left, ``self``.
        farmers: three nines and tens may be exchanged for the cards under the turn-up.
        fold: a hand without ace and face card may be folded: ``poor``; or one that is also
            without the turn-up's suit: ``poorer``.
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
    benny: bool = False
    no_trump: Sequence[str] = ()
    defend_alone: bool = False
    lone_three: int = 1
    lone_euchred: int | None = None
    lone_defence: int = 4
    best: bool = False
    canadian: bool = False
    own_trump: bool = False
    near_end: bool = False
    lone_lead: str = "dealer"
    farmers: bool = False
    fold: str = ""


def pack_of(rules: Rules) -> list[str]:
    """Every card of the pack, in some order."""
    ranks = PLAIN_ORDER[PLAIN_ORDER.index(rules.lowest) :]
    joker = ["2S" if rules.benny else "Jo"] if rules.joker else []
    return [rank + suit for suit in SUITS for rank in ranks] + joker


def is_left_bower(card: str, trump: str) -> bool:
    """Whether it is the jack of the other suit of the trump's colour."""
    jack = card[0] == "J" and card[1] in SUITS and trump in SUITS
    return jack and card[1] != trump and same_colour(card[1], trump)


def same_colour(one: str, other: str) -> bool:
    """Whether both suits are red or both black."""
    return COLOUR[one] == COLOUR[other]


def suit_of(card: str, trump: str) -> str:
    """The suit a card belongs to: joker and left bower are trumps in every respect."""
    if card in JOKERS or is_left_bower(card, trump):
        return trump
    return card[1]


def height(card: str, trump: str) -> int:
    """How high a card stands within the suit it belongs to."""
    if trump == LOW_NO_TRUMP:
        return -PLAIN_ORDER.index(card[0])
    if card in JOKERS:
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
        defender: who defends alone, or -1.
        folded: who folded, or -1; the hand lies open and stays in ``hands``.
        answers: what was said to the questions of clubs, in order: who, what.
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
    defender: int = -1
    folded: int = -1
    answers: list[tuple[int, str]] = field(default_factory=list)
    tricks: list[tuple[int, list[str]]] = field(default_factory=list)
    points: list[int] = field(default_factory=lambda: [0, 0])

    def left_of(self, seat: int) -> int:
        """The next player clockwise."""
        return (seat + 1) % self.rules.players

    def tricks_of_makers(self) -> int:
        """How many tricks the makers' side has taken."""
        return len([taker for taker, _ in self.tricks if taker % 2 == self.maker % 2])

    def sits_out(self, seat: int) -> bool:
        """Whether a player's partner plays alone, for or against the call."""
        if self.defender != -1 and seat == (self.defender + 2) % 4:
            return True
        return self.alone and seat == (self.maker + 2) % 4

    def ask(self, seat: int, choices: list[str]) -> Question:
        """One of the questions of clubs; the first answer is the no."""
        said = yield seat, choices
        self.answers.append((seat, said))
        return said


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
        stays = (stays or table.folded != -1) and not rules.pass_counts
        if not stays:
            table.dealer = table.left_of(table.dealer)


def one_deal(table: Table) -> Talk:
    """The cut, the deal, making trump, the tricks and what they bring."""
    table.trump, table.maker, table.alone, table.defender = "", -1, False, -1
    table.folded, table.answers = -1, []
    table.tricks, table.points = [], [0, 0]
    under = yield from cut_and_deal(table)
    up = yield from turned_suit(table)
    yield from exchange(table, under)
    yield from fold(table, up)
    if table.folded != -1:
        return
    yield from make_trump(table, up)
    if table.maker == -1:
        return
    yield from partners_best(table)
    yield from defend_alone(table)
    yield from play_tricks(table)
    table.points = worth(table)


def cut_and_deal(table: Table) -> Generator[Asked, str, list[str]]:
    """Five cards each in packets from dealer's left, the next turned up; the rest lies under it."""
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
    return pack


def turned_suit(table: Table) -> Question:
    """The suit turned up; for a joker the dealer names one, before looking at the hand."""
    if table.turn_up not in JOKERS:
        return table.turn_up[1]
    said = yield table.dealer, ["name " + suit for suit in SUITS]
    return said.split()[1]


def exchange(table: Table, under: list[str]) -> Talk:
    """From dealer's left one player may change three nines and tens for the three cards under."""
    seat = table.dealer
    for _ in range(table.rules.players if table.rules.farmers else 0):
        seat = table.left_of(seat)
        hand = table.hands[seat]
        low = [card for card in pack_of(table.rules) if card in hand and card[0] in "9T"]
        said = yield from table.ask(
            seat, ["decline", *("swap " + " ".join(three) for three in combinations(low, 3))]
        )
        if said != "decline":
            for card in said.split()[1:]:
                hand.remove(card)
            hand += under[:3]
            return


def fold(table: Table, up: str) -> Talk:
    """From dealer's left a poor hand may be folded; then nothing more is played."""
    seat = table.dealer
    for _ in range(table.rules.players if table.rules.fold else 0):
        seat = table.left_of(seat)
        hand = table.hands[seat]
        poor = not any(card[0] in "AKQJ" or card in JOKERS for card in hand)
        if table.rules.fold == "poorer":
            poor = poor and not any(card[1] == up for card in hand)
        said = yield from table.ask(seat, ["decline", "fold"] if poor else ["decline"])
        if said == "fold":
            table.folded = seat
            return


def make_trump(table: Table, up: str) -> Talk:
    """Two rounds from dealer's left; the maker stays -1 when all pass twice."""
    rules = table.rules
    if table.turn_up in JOKERS and rules.joker_makes:
        table.maker, table.trump = table.dealer, up
        yield from take_up(table)
        return
    seat = table.dealer
    for _ in range(rules.players):
        seat = table.left_of(seat)
        said = yield seat, ["pass", *calls_of(table, seat, "order", [up])]
        if said != "pass":
            table.maker, table.trump, table.alone = seat, up, said.endswith(" alone")
            yield from take_up(table)
            return
    names = [*(suit for suit in SUITS if suit != up), *rules.no_trump]
    for _ in range(rules.players):
        seat = table.left_of(seat)
        calls = calls_of(table, seat, "make", names)
        stuck = rules.stick and seat == table.dealer and calls
        said = yield seat, calls if stuck else ["pass", *calls]
        if said != "pass":
            table.maker, table.trump = seat, said.split()[1]
            table.alone = said.endswith(" alone")
            return


def calls_of(table: Table, seat: int, round_of: str, names: list[str]) -> list[str]:
    """What a player may make trump, each also with alone where that is played."""
    rules = table.rules
    taking_up = round_of == "order" and seat == table.dealer
    if rules.own_trump and not taking_up:
        names = [name for name in names if name not in SUITS or holds(table.hands[seat], name)]
    calls = ["order" if round_of == "order" else "make " + name for name in names]
    needs = 3 if rules.target is None else rules.target - table.score[seat % 2]
    lone = rules.alone and not (rules.near_end and needs <= 2)
    assists = round_of == "order" and seat == (table.dealer + 2) % 4
    alone = [call + " alone" for call in calls] if lone else []
    return alone if rules.canadian and assists else calls + alone


def holds(hand: list[str], suit: str) -> bool:
    """Whether a card of the suit as printed is in a hand; a joker is of none before trump."""
    return any(card[1] == suit and card not in JOKERS for card in hand)


def take_up(table: Table) -> Talk:
    """The dealer takes the turn-up and discards any of six; not when sitting out."""
    if table.sits_out(table.dealer):
        return
    hand = table.hands[table.dealer]
    hand.append(table.turn_up)
    said = yield table.dealer, ["discard " + card for card in hand]
    hand.remove(said.split()[1])


def partners_best(table: Table) -> Talk:
    """A lone maker may give a card away, face down; then the partner gives one back."""
    if not (table.alone and table.rules.best):
        return
    hand, partner = table.hands[table.maker], (table.maker + 2) % 4
    said = yield from table.ask(table.maker, ["decline", *("give " + card for card in hand)])
    if said != "decline":
        hand.remove(said.split()[1])
        theirs = table.hands[partner]
        said = yield from table.ask(partner, ["best " + card for card in theirs])
        card = said.split()[1]
        theirs.remove(card)
        hand.append(card)


def defend_alone(table: Table) -> Talk:
    """Each defender of a lone call, from the maker's left, may play against it alone."""
    if not (table.alone and table.rules.defend_alone):
        return
    for seat in ((table.maker + 1) % 4, (table.maker + 3) % 4):
        said = yield from table.ask(seat, ["decline", "defend"])
        if said == "defend":
            table.defender = seat
            return


def first_leader(table: Table) -> int:
    """The first player in the hand at dealer's left; rules may differ against a lone hand."""
    leader = table.left_of(table.dealer)
    if table.alone and table.rules.lone_lead == "maker":
        leader = table.left_of(table.maker)
    if table.alone and table.rules.lone_lead == "self":
        leader = table.maker
    while table.sits_out(leader):
        leader = table.left_of(leader)
    return leader


def play_tricks(table: Table) -> Talk:
    """Five tricks; who took the last one leads."""
    leader = first_leader(table)
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
    rules, makers = table.rules, table.maker % 2
    points = [0, 0]
    if taken == 5:
        points[makers] = 4 if table.alone else 2
    elif taken >= 3:
        points[makers] = rules.lone_three if table.alone else 1
    else:
        points[1 - makers] = max(euchre(table), rules.no_tricks if taken == 0 else 0)
    return points


def euchre(table: Table) -> int:
    """What a euchre brings; without a trick the larger of this and of the points for that."""
    if table.defender != -1:
        return table.rules.lone_defence
    if table.alone and table.rules.lone_euchred is not None:
        return table.rules.lone_euchred
    return 2


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
