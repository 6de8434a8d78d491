"""The tables of the database that years of club life fill, and the columns given row by row."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Final

from games.engine.rules import RULE_SETS, rules_to_data
from games.models import Game, GameSeat, Performance, Player, Seat, Table, User
from games.shuffle.secret_box import seal
from tests.load.bulk import Sheet, finish
from tests.load.samples import COLUMNS
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
    RatingChange,
    Round,
    Season,
    Trophy,
)

ROUNDS: Final = 8
#: The published rule sets as they are stored, by key.
DATA: Final = {key: json.dumps(rules_to_data(rules)) for key, rules in RULE_SETS.items()}


class Sheets:
    """The rows of everything, model by model."""

    def __init__(self, now: datetime) -> None:
        sealed, plain = seal(bytes(32)), bytes(32)
        self.users = Sheet(User, ("email",), password="!")
        self.players = Sheet(Player, ("name", "kind", "user_id", "private", "country"), created=now)
        self.clubs = Sheet(Club, ("name", "slug", "joining", "country", "invite_token"))
        self.members = Sheet(Membership, ("club_id", "player_id", "role", "joined"), news=False)
        self.seasons = Sheet(Season, ("club_id", "name", "first_day", "last_day"))
        self.events = Sheet(
            Event,
            ("club_id", "name", "rules_data", "created_by_id", "format", "capacity",
             "registration_opens", "registration_closes", "starts", "started", "ended"),
            rounds=ROUNDS, state=Event.State.FINISHED,
        )  # fmt: skip
        self.entries = Sheet(
            Entry, ("event_id", "arrival", "seed", "lot", "place"), state=Entry.State.CHECKED_IN
        )
        self.entered = Sheet(EntryPlayer, ("event_id", "entry_id", "player_id", "position"))
        self.trophies = Sheet(Trophy, ("event_id", "player_id", "place", "entrants"))
        self.rounds = Sheet(Round, ("event_id", "number", "called", "over"))
        self.pairings = Sheet(
            Pairing,
            ("round_id", "number", "table_id", "winner", "points_0", "points_1", "games_0",
             "games_1", "decided"),
            state=Pairing.State.DECIDED, how=Pairing.How.PLAYED, rated=True, played_out=True,
        )  # fmt: skip
        self.drawn = Sheet(PairingEntry, ("round_id", "pairing_id", "entry_id", "side", "position"))
        self.tables = Sheet(
            Table, ("rules_data", "open", "host_id", "created", "reserved", "title", "back"),
            invite_token="never-given-away", state=Table.State.FINISHED,
        )  # fmt: skip
        self.seats = Sheet(Seat, ("table_id", "position", "player_id", "since", "last_seen"))
        self.games = Sheet(
            Game,
            ("id", "table_id", "rules_data", "started", "ended", "moved", "deal_number", "score_0",
             "score_1", "winner", "stood_in"),
            number=1, secret=sealed, commitment=plain, mixed=plain, first_dealer=0, noted=True,
            published=True, state=Game.State.OVER,
        )  # fmt: skip
        self.game_seats = Sheet(GameSeat, ("game_id", "position", "player_id"))
        self.performances = Sheet(
            Performance,
            ("game_id", "player_id", "partner_id", "left_id", "right_id", "position", "rules",
             "ended", "result", "points", "against", *COLUMNS),
        )  # fmt: skip
        self.pools = Sheet(Pool, ("key",))
        self.ratings = Sheet(
            Rating, ("pool_id", "player_id", "mu", "sigma", "games", "latest", "ranked_until")
        )
        self.changes = Sheet(
            RatingChange,
            ("pool_id", "pairing_id", "player_id", "position", "side", "winner", "expected",
             "mu_before", "sigma_before", "mu_after", "sigma_after", "at"),
            number=1,
        )  # fmt: skip

    def finish(self) -> None:
        """Write what is held back."""
        finish([sheet for sheet in vars(self).values() if isinstance(sheet, Sheet)])
