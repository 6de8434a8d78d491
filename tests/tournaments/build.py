"""Clubs and events, what was played and rated in them.

Events are played by a controllable clock (`begin` to `play_to_end`), or written as rows as if they
had been: nobody has to play those.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from random import Random
from typing import Any

from django.db import transaction
from django.test import Client
from django.utils import timezone

from games.engine.rules import CLASSIC_24, HEADS_UP, RuleSet, rules_to_data
from games.models import Game, GameSeat, Performance, Player, Seat, Table
from games.shuffle import shuffling
from tests.factories import member, people, play_out
from tests.receiver import Receiver
from tournaments.formats import round_robin
from tournaments.models import (
    Club,
    Entry,
    EntryPlayer,
    Event,
    Membership,
    Pairing,
    PairingEntry,
    Pool,
    Rating,
    Round,
    Webhook,
)
from tournaments.ratings import rating_games
from tournaments.results.possible import Ruling
from tournaments.running import steps
from tournaments.webhooks import webhooks

NOON = datetime(2026, 3, 7, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)

#: Tables of an evening written as rows, and rounds: each table plays one game in each round.
TABLES, ROUNDS = 8, 4
HANDS = 8  # of a game
GAMES_AN_EVENING = TABLES * ROUNDS
#: Evenings whose rows are written together.
TOGETHER = 40


def club(name: str = "The Old Mill", **fields: Any) -> Club:
    """A club that everybody may join."""
    return Club.objects.create(name=name, slug=name.lower().replace(" ", "-"), **fields)


def joined(to: Club, player: Player, role: str = Membership.Role.MEMBER) -> Membership:
    """A membership."""
    return Membership.objects.create(club=to, player=player, role=role)


def members(of: Club, *names: str) -> list[Player]:
    """Members of a club, with accounts of these names."""
    players = [member(name) for name in names]
    for player in players:
        joined(of, player)
    return players


def director(of: Club, name: str = "Ada") -> Player:
    """A director of a club, with an account."""
    player = member(name)
    joined(of, player, Membership.Role.DIRECTOR)
    return player


def event(of: Club | None = None, **fields: Any) -> Event:
    """An event that starts at noon, with registration open; a rotation unless it is said."""
    made = {
        "club": of or club(),
        "name": "Thursday euchre",
        "rules_data": rules_to_data(fields.pop("rules", CLASSIC_24)),
        "format": "rotation",
        "capacity": 256,
        "registration_opens": NOON - timedelta(days=1),
        "registration_closes": NOON,
        "starts": NOON,
        "state": Event.State.REGISTRATION,
        "members_only": False,
        "break_seconds": 0,
        "seed": "5" * 32,
    }
    if "created_by" not in fields:
        fields["created_by"] = Player.objects.create(name="Greta")
    return Event.objects.create(**{**made, **fields})


def hook(to: Receiver, of: Club | None = None) -> tuple[Webhook, str]:
    """A webhook of a club that leads to a receiver on this machine, and its secret."""
    return webhooks.make(of or club(), to.url)


def enter(into: Event, number: int) -> list[Entry]:
    """Let so many entries of new persons enter, called "1", "2" and so on."""
    return let_in(into, people(number * into.team_size))


def let_in(into: Event, players: Sequence[Player]) -> list[Entry]:
    """Let these enter in this order, partners one after the other."""
    size = into.team_size
    entries = Entry.objects.bulk_create(
        Entry(event=into, state=Entry.State.ENTERED, arrival=n + 1)
        for n in range(len(players) // size)
    )
    EntryPlayer.objects.bulk_create(
        EntryPlayer(event=into, entry=entries[n // size], player=player, position=n % size)
        for n, player in enumerate(players)
    )
    return entries


def step(of: Event, now: datetime) -> None:
    """Do all steps that are due in a running event."""
    for _step in range(1000):
        with transaction.atomic():
            held = Event.objects.select_for_update().get(pk=of.pk)
            more = steps.step(held, now)
        if not more:
            break
    of.refresh_from_db()


def begin(of: Event, now: datetime = NOON) -> None:
    """Start an event and draw its first round."""
    with transaction.atomic():
        steps.start(Event.objects.select_for_update().get(pk=of.pk), now)
    step(of, now)


def latest(of: Event) -> Round:
    """The latest round of an event."""
    return of.played_rounds.order_by("-number")[0]


def arrive(at: Event) -> None:
    """Let everybody come to their table."""
    tables = Table.objects.filter(pairing__round__event=at)
    Seat.objects.filter(table__in=tables).update(last_seen=timezone.now())


def seen_in(page: str) -> str:
    """The digest of what a page says that an act will change."""
    found = re.search(r'name="seen" value="(\w+)"', page)
    assert found is not None, page
    return found[1]


def acted_by_form(browser: Client, path: str, **fields: Any) -> Any:
    """The answer to an act that shows first what it will change, once that is confirmed."""
    return browser.post(path, {**fields, "seen": seen_in(browser.get(path).text)})


def ruled_by_form(browser: Client, path: str, fields: dict[str, Any]) -> Any:
    """Send a result that shows first what it will change, and confirm it; the last answer."""
    shown = browser.post(path, fields)
    if shown.status_code != 200:
        return shown
    assert "What will change" in shown.text
    return browser.post(path, {**fields, "will": shown.context["preview"].digest})


def finish_first_of_shared_deals(of: Event) -> list[Table]:
    """Begin a duplicate event and finish the first of its three tables, which are returned."""
    enter(of, 12)
    begin(of)
    arrive(of)
    step(of, NOON)
    tables = list(Table.objects.filter(pairing__round__event=of).order_by("pairing__number"))
    for table in tables:
        shuffling.advance(table.pk, timezone.now())
    play_out(tables[0])
    step(of, NOON)
    return tables


def win(
    pairing: Pairing, side: int, score: tuple[int, int] | None = None, at: datetime = NOON
) -> None:
    """Let a side win the game being played at a table; by 10 to 5 unless it is said."""
    score = score or ((10, 5) if side == 0 else (5, 10))
    games = Game.objects.filter(table=pairing.table_id, state=Game.State.PLAYING)
    assert games.update(
        state=Game.State.OVER,
        ended=at,
        winner=side,
        score_0=score[0],
        score_1=score[1],
        due=None,
        turn=-1,
    )
    Table.objects.filter(pairing=pairing).update(state=Table.State.FINISHED)


def ruled(winner: int, *scores: tuple[int, int], ended: str = Pairing.How.PLAYED) -> Ruling:
    """A result that a director sets: the winner, and the score of each game."""
    return Ruling(winner, ended, scores)


def play_round(of: Event, now: datetime, rng: Random) -> None:
    """Let everybody come and the games of the latest round end by chance, if they are online."""
    arrive(of)
    step(of, now)
    sharing = Table.objects.filter(pairing__round__event=of, state=Table.State.SHUFFLING)
    for table_id in sharing.values_list("pk", flat=True):  # in a test nothing commits
        shuffling.advance(table_id, timezone.now())
    online = latest(of).pairings.filter(in_room=False)
    for pairing in online.filter(state=Pairing.State.PLAYING):
        side = rng.randrange(2)
        lost = rng.randrange(10)
        win(pairing, side, (10, lost) if side == 0 else (lost, 10), now)
    step(of, now)  # also draws the next round where there is no break


def write_round(of: Event, now: datetime, rng: Random) -> None:
    """Write the results to which `play_round` would lead in matches of one game, without games."""
    arrive(of)
    undecided = latest(of).pairings.filter(in_room=False).exclude(state=Pairing.State.DECIDED)
    written = []
    for pairing in undecided:
        side = rng.randrange(2)
        lost = rng.randrange(10)
        score = (10, lost) if side == 0 else (lost, 10)
        if pairing.state == Pairing.State.PLAYING:  # a table of house players begins by itself
            win(pairing, side, score, now)
            continue
        pairing.state, pairing.how = Pairing.State.DECIDED, Pairing.How.PLAYED
        pairing.winner, pairing.decided, pairing.played_out = side, now, True
        pairing.points_0, pairing.points_1 = score
        pairing.games_0, pairing.games_1 = 1 - side, side
        written.append(pairing)
    result = ["how", "winner", "points_0", "points_1", "games_0", "games_1", "played_out"]
    Pairing.objects.bulk_update(written, ["state", "decided", *result])
    Table.objects.filter(pairing__in=written).update(state=Table.State.FINISHED)
    step(of, now)


def play_to_end(
    of: Event, now: datetime = NOON, seed: int = 1, most: int = 600, *, written: bool = False
) -> int:
    """Start an event and play it to its end; how many rounds it took.

    written: where only draws and places matter, no game is played (`write_round`).
    """
    rng = Random(seed)
    begin(of, now)
    rounds = 0
    while of.state == Event.State.RUNNING:
        rounds += 1
        assert rounds <= most, "it does not end"
        now += MINUTE
        (write_round if written else play_round)(of, now, rng)
        if of.break_seconds:
            step(of, now + timedelta(seconds=of.break_seconds))
    return rounds


def noted_game(
    *seated: Player,
    winner: int = 0,
    at: datetime = NOON,
    rules: RuleSet = CLASSIC_24,
    open_to_all: bool = True,
    score: tuple[int, int] = (10, 6),
    **did: Any,
) -> Game:
    """A game of no event that was played and has been noted, north first.

    winner: the side that won, -1 for a tie. at: when it ended. score: the winner's points first.
    did: what the first player did, by the columns of `Performance`.
    """
    data = rules_to_data(rules)
    table = Table.objects.create(rules_data=data, host=seated[0], open=open_to_all)
    points = score if winner < 1 else score[::-1]
    made = Game.objects.create(
        table=table, number=1, rules_data=data, secret=b"", commitment=b"", mixed=b"",
        first_dealer=0, started=at - 20 * MINUTE, ended=at, state=Game.State.OVER, winner=winner,
        score_0=points[0], score_1=points[1], noted=True, published=True,
    )  # fmt: skip
    GameSeat.objects.bulk_create(
        GameSeat(game=made, position=position, player=player)
        for position, player in enumerate(seated)
    )
    noted = []
    for position, player in enumerate(seated):
        if player.kind == Player.Kind.HOUSE:
            continue
        side = rules.side_of(position)
        partner = rules.partner_of(position)
        performance = Performance(
            game=made,
            player=player,
            partner=None if partner is None else seated[partner],
            left=seated[rules.after(position)],
            right=seated[position - 1] if rules.players > 2 else None,
            position=position,
            rules=rules.name,
            ended=at,
            result=0 if winner < 0 else 1 if side == winner else -1,
            points=points[side],
            against=points[1 - side],
            **{"deals": 10, **(did if position == 0 else {})},
        )
        noted.append(performance)
    Performance.objects.bulk_create(noted)
    return made


def pool(key: str = "classic online") -> Pool:
    """A pool, the same at every call."""
    return Pool.objects.get_or_create(key=key)[0]


def played(*players: Player, of: Club | None = None, **fields: Any) -> Event:
    """A finished event that these have played themselves, one round unless it is said."""
    made = event(of, **{"rounds": 1, **fields})
    let_in(made, players)
    play_to_end(made)
    Game.objects.filter(table__pairing__round__event=made).update(noted=True, stood_in="0" * 8)
    return made


def rated(*players: Player, of: Club | None = None, **fields: Any) -> Event:
    """A finished event as `played` makes it, with its games rated."""
    made = played(*players, of=of, **fields)
    rating_games.catch_up()
    made.refresh_from_db()
    return made


def drawn_match(of: Club, players: list[Player], at: int = 0) -> Event:
    """A rated heads-up event of one match whose players have been called, so many minutes on."""
    made = event(
        of, rules=HEADS_UP, format="single_elimination", minimum=2, starts=NOON + at * MINUTE
    )
    let_in(made, players)
    begin(made, NOON + at * MINUTE)
    return made


def played_match(of: Club, players: list[Player], at: int = 0, seconds: int = 600) -> Event:
    """Such an event, played by its players themselves in so many seconds."""
    made = drawn_match(of, players, at)
    arrive(made)
    step(made, NOON + at * MINUTE)
    pairing = Pairing.objects.get(round__event=made)
    ended = NOON + at * MINUTE + timedelta(seconds=seconds)
    win(pairing, 0, at=ended)
    Game.objects.filter(table=pairing.table_id).update(
        started=ended - timedelta(seconds=seconds), noted=True, stood_in="0" * HANDS
    )
    step(made, ended)
    assert made.state == Event.State.FINISHED
    return made


def rating(player: Player, mu: float, sigma: float = 60.0, **fields: Any) -> Rating:
    """A player's rating after a game at noon, ranked for a hundred days unless it is said."""
    row = {"pool": pool(), "games": 40, "latest": NOON, "ranked_until": NOON + timedelta(days=100)}
    return Rating.objects.create(player=player, mu=mu, sigma=sigma, **{**row, **fields})


def evenings(
    number: int,
    players: Sequence[Player],
    *,
    seed: int = 1,
    rules: RuleSet = CLASSIC_24,
    tables: int = TABLES,
    rounds: int = ROUNDS,
) -> list[int]:
    """Write rated events that have finished, one every six hours; return their keys in order.

    Each is for partnerships drawn from `players`, at so many tables in so many rounds; who wins is
    chance, and one game in twenty is stopped by time.
    """
    host = club(f"Club {seed} {rules.name}")
    numbers = iter(range(number))
    written: list[int] = []
    while some := list(islice(numbers, TOGETHER)):
        with transaction.atomic():
            made = Event.objects.bulk_create(
                Event(
                    club=host,
                    name=f"Evening {n + 1}",
                    rules_data=rules_to_data(rules),
                    created_by=players[0],
                    format="round_robin",
                    minimum=2,
                    capacity=2 * tables,
                    registration_opens=starts - timedelta(days=1),
                    registration_closes=starts,
                    starts=starts,
                    state=Event.State.FINISHED,
                    ended=starts + (rounds + 1) * MINUTE,
                )
                for n, starts in ((n, NOON + n * timedelta(hours=6)) for n in some)
            )
            _Writer(Random(f"{seed} {some[0]}"), made, players, tables, rounds).write()
        written += [event.pk for event in made]
    return written


def all_have_met(
    of: Club, players: Sequence[Player], start: datetime, *, hands: int, seconds: int, **fields: Any
) -> Event:
    """Write a finished event of heads-up in which all have met all; its games are to be rated.

    The first player has won all matches, the others by chance; each took so many seconds, and the
    next round began at once. `place`: in the room each match has only its score.
    """
    made = event(
        of, rules=HEADS_UP, format="round_robin", match=Event.Match.DEALS, deals=hands,
        starts=start, minimum=2, state=Event.State.FINISHED, to_rate=True, **fields,
    )  # fmt: skip
    entries, rng = let_in(made, players), Random(start.isoformat())
    sides, games, now, took = [], [], start, timedelta(seconds=seconds)
    for number, draw in enumerate(round_robin.draws(range(len(players))), start=1):
        round_ = Round.objects.create(event=made, number=number, drawn=now, called=now)
        now += took
        matches = [
            Pairing(
                round=round_, number=match.table, in_room=made.place == Event.Place.ROOM,
                state=Pairing.State.DECIDED, how=Pairing.How.PLAYED, rated=True, played_out=True,
                decided=now,
            )
            for match in draw.pairings
        ]  # fmt: skip
        for pairing, match in zip(matches, draw.pairings, strict=True):
            met = [entry for side in match.sides for entry in side]
            winner = met.index(0) if 0 in met else rng.randrange(2)
            score = (2 * hands, 0) if winner == 0 else (0, 2 * hands)
            pairing.winner, pairing.scores = winner, [score]
            sides += [
                PairingEntry(round=round_, pairing=pairing, entry=entries[one], side=side)
                for side, one in enumerate(met)
            ]
            if not pairing.in_room:
                pairing.table = Table.objects.create(
                    rules_data=made.rules_data, host=players[0], state=Table.State.FINISHED
                )
                games.append(
                    match_game(pairing, score, started=now - took, ended=now, stood_in="0" * hands)
                )
        Pairing.objects.bulk_create(matches)
    PairingEntry.objects.bulk_create(sides)
    Game.objects.bulk_create(games)
    made.ended = now
    made.save(update_fields=["ended"])
    return made


class _Writer:
    """Writes entries, rounds, matches and games of some events, each kind at once."""

    def __init__(
        self, rng: Random, events: list[Event], players: Sequence[Player], tables: int, rounds: int
    ) -> None:
        self.rng = rng
        self.events = events
        self.players = players
        self.tables = tables
        self.rounds = rounds

    def write(self) -> None:
        entries = Entry.objects.bulk_create(
            Entry(event=event, state=Entry.State.ENTERED, arrival=arrival + 1)
            for event in self.events
            for arrival in range(2 * self.tables)
        )
        size = self.events[0].team_size
        EntryPlayer.objects.bulk_create(self._entered(entries, size))
        played = Round.objects.bulk_create(
            Round(event=event, number=number + 1)
            for event in self.events
            for number in range(self.rounds)
        )
        at = Table.objects.bulk_create(
            Table(
                rules_data=round_.event.rules_data,
                host=self.players[0],
                state=Table.State.FINISHED,
                reserved=True,
            )
            for round_ in played
            for _table in range(self.tables)
        )
        pairings = Pairing.objects.bulk_create(
            Pairing(
                round=played[n // self.tables],
                number=n % self.tables + 1,
                table=table,
                state=Pairing.State.DECIDED,
                how=Pairing.How.PLAYED,
                rated=True,
                played_out=True,
                decided=_ended(played[n // self.tables]),
            )
            for n, table in enumerate(at)
        )
        PairingEntry.objects.bulk_create(self._drawn(pairings, entries))
        Game.objects.bulk_create(self._game(pairing) for pairing in pairings)

    def _entered(self, entries: list[Entry], size: int) -> Iterator[EntryPlayer]:
        many = 2 * self.tables
        for at in range(0, len(entries), many):
            chosen = iter(self.rng.sample(self.players, many * size))
            for entry in entries[at : at + many]:
                for position in range(size):
                    yield EntryPlayer(
                        event=entry.event, entry=entry, player=next(chosen), position=position
                    )

    def _drawn(self, pairings: list[Pairing], entries: list[Entry]) -> Iterator[PairingEntry]:
        many = 2 * self.tables
        for at in range(0, len(pairings), self.tables):
            first = at // self.tables // self.rounds * many
            drawn = iter(self.rng.sample(entries[first : first + many], many))
            for pairing in pairings[at : at + self.tables]:
                for side in (0, 1):
                    yield PairingEntry(
                        round=pairing.round, pairing=pairing, entry=next(drawn), side=side
                    )

    def _game(self, pairing: Pairing) -> Game:
        score = self.rng.choice([(10, self.rng.randrange(10)), (self.rng.randrange(10), 10)])
        stopped = self.rng.random() < 0.05
        return match_game(pairing, score, stopped=stopped)


def match_game(pairing: Pairing, score: tuple[int, int], number: int = 1, **fields: Any) -> Game:
    """A game of a match that persons have played to a score, not saved.

    It ended by its rules unless `stopped` says that time was up; then the score may be a tie.
    """
    stopped = fields.pop("stopped", False)
    if stopped:
        score = (score[0] // 2, score[1] // 2)
    first, second = score
    return Game(
        table=pairing.table,
        number=number,
        rules_data=pairing.round.event.rules_data,
        secret=b"",
        commitment=b"",
        mixed=b"",
        first_dealer=0,
        state=Game.State.ABANDONED if stopped else Game.State.OVER,
        score_0=first,
        score_1=second,
        winner=-1 if stopped else int(second > first),
        noted=True,
        published=True,
        **{
            "started": timezone.now(),
            "ended": _ended(pairing.round),
            "stood_in": "0" * HANDS,
            **fields,
        },
    )


def _ended(round_: Round) -> datetime:
    """When the games of a round ended."""
    return round_.event.starts + round_.number * MINUTE
