"""The export of everything the site stores about a person; docs/own-data.md documents the fields.

Of running games it contains only the player's own actions, and no cards of others.
"""

import io
import json
import zipfile
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import structlog
from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import DatabaseError
from django.db.models import Q

from euchre_site.own_data import relations, sessions, stored_names
from games.engine.seats import compass
from games.models import Game, GameEvent, GameSeat, GameSubstitute, Performance, Player, Token
from games.models.shared_deals import sealed
from games.people import friends
from games.records.game_files import record_file
from games.records.outcomes import outcome_of
from games.review import reviewing
from tournaments.changes import row_images
from tournaments.models import Act, EntryPlayer, Membership, PairingEntry, RatingHold, Webhook

log = structlog.get_logger(__name__)

FORMAT: Final = "Bower own data"
VERSION: Final = 1
#: Number of game records in one file, which limits time and memory for making it.
GAMES_A_FILE: Final = 200
#: Exported fields of the player.
PLAYER_FIELDS: Final = (
    "id", "name", "kind", "created", "country", "about", "private", "seen_by", "named_watching",
    "cut_for_me", "reverses_packets", "quick",
)  # fmt: skip
#: Fields of a performance that are exported elsewhere, or are about others.
_NOT_FIGURES: Final = {"id", "game", "player", "partner", "left", "right"}


def games_of(player: Player) -> list[UUID]:
    """Return the games that a player was counted in or acted in, the oldest first.

    Those whose deals other tables still play can be taken away later.
    """
    counted = GameSeat.objects.filter(player=player).values("game")
    acted = GameEvent.objects.filter(player=player).order_by().values("game").distinct()
    helped = GameSubstitute.objects.filter(player=player).values("game")
    theirs = Q(pk__in=counted) | Q(pk__in=acted) | Q(pk__in=helped)
    games = Game.objects.filter(~sealed(), theirs)
    return list(games.order_by("started", "pk").values_list("pk", flat=True))


def files(games: Sequence[UUID]) -> list[Sequence[UUID]]:
    """Split games into files; there is always a first file."""
    return [games[at : at + GAMES_A_FILE] for at in range(0, max(1, len(games)), GAMES_A_FILE)]


def zip_file(player: Player, games: Sequence[UUID], *, first: bool, now: datetime) -> bytes:
    """Return one ZIP file: records of games, and in the first file all other data."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        if first:
            packed.writestr("data.json", as_json(data(player, now)))
        ended = Game.objects.filter(~sealed(), pk__in=games, ended__isnull=False)
        ended = ended.select_related("table__shared_deals")
        for game in ended.order_by("started", "pk"):
            try:
                packed.writestr(f"games/{game.pk}.json", record_file(game))
            except DatabaseError:
                raise
            except Exception:
                log.exception("game not exported", game=str(game.pk))
    return made.getvalue()


def as_json(found: Any) -> str:
    return json.dumps(found, cls=_Encoder, ensure_ascii=False, indent=1) + "\n"


def data(player: Player, now: datetime) -> dict[str, Any]:
    found: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "site": settings.SITE_URL,
        "made": now,
        "account": _account(player),
        "player": {name: getattr(player, name) for name in PLAYER_FIELDS},
        "sessions": sessions.sessions_of(player),
        "entries": _entries(player),
        "friends": _friends(player, now),
        "program_tokens": list(
            Token.objects.filter(player__owner=player).values("player_id", "created", "used")
        ),
        "webhooks": _webhooks(player),
        "rating_holds": _holds(player),
        "games": _games(player),
        "results_without_play": _figures(Performance.objects.filter(player=player, game=None)),
    }
    for owner in (player.user, player):
        for rows, those in relations.relations_of(owner) if owner is not None else ():
            if rows.section:
                found[rows.section] = list(those.order_by("pk").values(*rows.fields))
    for section, row in _removed_rows(player):
        found[section].append(row)
    return found


def _removed_rows(player: Player) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield sections and rows of one's own that acts of directors removed, and undos restore."""
    done = Act.objects.filter(event__in=stored_names.events_of(player), undone_by=None)
    about_them = Q(rows_text__contains=f'_id": {player.pk}')
    for act, images in row_images.acts_with_rows(done.order_by("pk"), about_them):
        for model, image, values in images:
            for field in model._meta.concrete_fields if image["after"] is None else ():
                rows = relations.RELATIONS.get(f"{model._meta.label}.{field.name}")
                if rows and rows.section and values.get(field.attname) == player.pk:
                    known = values | {
                        name: act.event_id for name in rows.fields if name.endswith("event_id")
                    }
                    yield rows.section, {name: known.get(name) for name in rows.fields}


class _Encoder(DjangoJSONEncoder):
    def default(self, o: Any) -> Any:
        return bytes(o).hex() if isinstance(o, bytes | memoryview) else super().default(o)


def _account(player: Player) -> dict[str, Any] | None:
    if player.user is None:
        return None
    fields = ("email", "date_joined", "last_login", "is_active", "is_staff", "look")
    return {name: getattr(player.user, name) for name in fields}


def _friends(player: Player, now: datetime) -> list[dict[str, Any]]:
    """Return friends and open requests; whether one was declined is known to the other only."""
    return [
        *({"name": one.player.name, "since": one.since} for one in friends.friends_of(player)),
        *({"name": one.name, "asked": "by you"} for one in friends.asked_by(player, now)),
        *({"name": one.name, "asked": "you"} for one in friends.asking(player, now)),
    ]


def _entries(player: Player) -> list[dict[str, Any]]:
    lines = EntryPlayer.objects.filter(player=player).order_by("pk")
    lines = lines.select_related("entry", "event__club").prefetch_related("entry__players__player")
    drawn: dict[int, list[dict[str, Any]]] = {}
    for one in (
        PairingEntry.objects.filter(~sealed("pairing__table"), entry__players__player=player)
        .select_related("pairing__round")
        .order_by("round__number")
    ):
        match = one.pairing
        drawn.setdefault(one.entry_id, []).append(
            {
                "round": match.round.number,
                "table": match.number,
                "side": one.side,
                "state": match.state,
                "how": match.how,
                "winner": match.winner,
                "points": match.points,
                "decided": match.decided,
            }
        )
    return [
        {
            "event": line.event_id,
            "name": line.event.name,
            "club": line.event.club.slug,
            "starts": line.event.starts,
            "state": line.entry.state,
            "active": line.active,
            "made": line.entry.made,
            "seed": line.entry.seed,
            "place": line.entry.place,
            "partners": [
                {"id": other.player_id, "name": other.player.name}
                for other in line.entry.players.all()
                if other.player_id != player.pk
            ],
            "matches": drawn.get(line.entry_id, []),
        }
        for line in lines
    ]


def _webhooks(player: Player) -> list[Any]:
    owned = Membership.objects.filter(player=player, role=Membership.Role.OWNER).values("club")
    hooks = Webhook.objects.filter(club__in=owned).order_by("pk")
    return list(hooks.values("club__slug", "url", "created", "failures", "paused"))


def _holds(player: Player) -> list[Any]:
    mine = PairingEntry.objects.filter(entry__players__player=player).values("pairing")
    games = GameSeat.objects.filter(player=player).values("game")
    holds = RatingHold.objects.filter(Q(pairing__in=mine) | Q(game__in=games)).order_by("pk")
    columns = ("pairing__round__event_id", "game_id", "reason", "made", "state", "decided")
    return list(holds.values(*columns))


def _games(player: Player) -> list[dict[str, Any]]:
    figures = {
        one.pop("game_id"): one
        for one in _figures(Performance.objects.filter(player=player, game__isnull=False))
    }
    seats = dict(GameSeat.objects.filter(player=player).values_list("game", "position"))
    games = Game.objects.filter(pk__in=games_of(player)).select_related("table", "review")
    return [
        _game(player, game, seats.get(game.pk), figures.get(game.pk))
        for game in games.order_by("started", "pk")
    ]


def _game(
    player: Player, game: Game, seat: int | None, figures: dict[str, Any] | None
) -> dict[str, Any]:
    ended = game.ended is not None
    found = {
        "id": game.pk,
        "table": game.table_id,
        "title": game.table.title,
        "number": game.number,
        "rules": game.rules.name,
        "seat": compass(game.rules.players, seat) if seat is not None else None,
        "started": game.started,
        "ended": game.ended,
        "state": game.state,
        "score": outcome_of(game).score if ended else (game.score_0, game.score_1),
        "file": f"games/{game.pk}.json" if ended else None,
        "figures": figures,
        "review": reviewing.own_part(game, seat) if seat is not None else None,
    }
    if not ended:
        mine = GameEvent.objects.filter(game=game, player=player).order_by("seq")
        found["own_actions"] = list(mine.values("seq", "at", "by", "action"))
    return found


def _figures(rows: Any) -> list[dict[str, Any]]:
    names = [
        field.attname
        for field in Performance._meta.concrete_fields
        if field.name not in _NOT_FIGURES
    ]
    return list(rows.order_by("ended", "pk").values("game_id", *names))
