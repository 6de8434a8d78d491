"""Saying something at a table: who may, what, and to whom.

Every function that stores something raises TalkError if it may not be done, and stores nothing
then.
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Final, NamedTuple

from django.db import transaction
from django.utils import timezone

from games.access import Access
from games.models import Game, Player, Sanction, Table, TalkLine
from games.models.tables import BEGUN
from games.refusals import VerbError
from games.sockets import loop, news
from games.talk import pace, rooms, words
from games.talk.phrases import PHRASES

Channel = TalkLine.Channel
#: Topic: something has been said at a table, or somebody hears it otherwise than before.
TALK: Final = "talk"
#: Topic: somebody may say something else than before, wherever they are.
FREEDOM: Final = "freedom"

HASTY: Final = "Too much at once; wait a moment."
RESTS: Final = "Wait a moment before the next phrase."
NO_PHRASE: Final = "There is no such phrase."
CLOSED: Final = "This table is closed."
WATCHERS_LOG_IN: Final = "Log in to talk with the other spectators."
WATCHERS_APART: Final = (
    "Somebody on your account, in your browser or at your address plays here, so you cannot talk "
    "with the spectators."
)
RATED: Final = "Only phrases while this game is played; talk is free when it is over."
ONLY_PHRASES: Final = "Only phrases are used at this table."
ALONE: Final = "You play these deals alone: there is no talk."
SEALED: Final = "Only phrases until all tables have played these deals."


class TalkError(VerbError):
    STATUS: ClassVar = {
        "malformed": 400,
        "not here": 403,
        "gone": 404,
        "held back": 422,
        "too fast": 429,
    }


class Freedom(NamedTuple):
    """What somebody may say at a table: phrases, free words, and why not everything."""

    phrases: bool
    free: bool
    why: str = ""


FREE: Final = Freedom(phrases=True, free=True)


def freedom_of_players(talk: str, state: str, *, sealed: bool, solo: bool = False) -> Freedom:
    """Return what the players of a table may say to each other.

    talk: the table's rule. sealed: other tables still play its deals. solo: `Table.solo`.
    """
    if solo:
        return Freedom(phrases=False, free=False, why=ALONE)
    if state == Table.State.CLOSED:
        return Freedom(phrases=False, free=False, why=CLOSED)
    if talk == Table.Talk.PHRASES:
        return Freedom(phrases=True, free=False, why=ONLY_PHRASES)
    if sealed:
        return Freedom(phrases=True, free=False, why=SEALED)
    if talk == Table.Talk.AFTER and state in BEGUN:
        return Freedom(phrases=True, free=False, why=RATED)
    return FREE


def freedom_of_watchers(talk: str, *, watching: bool, account: bool) -> Freedom:
    """Return what somebody who watches may say to the others who do."""
    if not watching:
        why = WATCHERS_APART if account else WATCHERS_LOG_IN
        return Freedom(phrases=False, free=False, why=why)
    if talk == Table.Talk.PHRASES:
        return Freedom(phrases=True, free=False, why=ONLY_PHRASES)
    return FREE


def sanctioned(freedom: Freedom, sanction: Sanction | None) -> Freedom:
    """Return what is left of somebody's freedom under a warning or a silence."""
    if sanction is None:
        return freedom
    free = freedom.free and sanction.until is None
    return Freedom(freedom.phrases, free, sanction.in_words())


def say_phrase(access: Access, player: Player, number: int, now: datetime) -> TalkLine:
    """Say a set phrase; `access` is the player's to the table.

    Raises TalkError: ``malformed``, ``not here`` or ``too fast``.
    """
    if not 0 <= number < len(PHRASES):
        raise TalkError("malformed", NO_PHRASE)
    freedom = freedom_of(access, player)
    if not freedom.phrases:
        raise TalkError("not here", freedom.why)
    if not pace.may_say_phrase(player.pk, now):
        raise TalkError("too fast", RESTS)
    return _store(access, player, now, phrase=number)


def say(access: Access, player: Player, text: str, now: datetime) -> TalkLine:
    """Say something in one's own words; `access` is the player's to the table.

    Raises TalkError: ``not here``, ``held back`` or ``too fast``.
    """
    freedom = freedom_of(access, player)
    if not freedom.free:
        raise TalkError("not here", freedom.why)
    try:
        checked = words.checked(text)
    except words.WordsError as error:
        raise TalkError("held back", str(error)) from error
    return _store(access, player, now, words=checked)


def freedom_of(access: Access, player: Player) -> Freedom:
    table = access.table
    asking = (table.pk, frozenset([player.pk]))
    room = rooms.read([asking])[asking]
    if access.seat is not None:
        freedom = freedom_of_players(table.talk, table.state, sealed=table.sealed, solo=table.solo)
    else:
        freedom = freedom_of_watchers(
            table.talk,
            watching=player.pk in room.watching,
            account=player.user_id is not None,
        )
    return sanctioned(freedom, room.sanction_of(player.pk, timezone.now()))


def _store(
    access: Access, player: Player, now: datetime, *, phrase: int | None = None, words: str = ""
) -> TalkLine:
    table = access.table
    channel = Channel.WATCHERS if access.spectator else Channel.PLAYERS
    if not pace.may_say(player.pk, table.pk, channel, now):
        raise TalkError("too fast", HASTY)
    game = Game.objects.filter(table=table).order_by("-number").only("pk", "version").first()
    line = TalkLine.objects.create(
        table=table,
        channel=channel,
        player=player,
        phrase=phrase,
        words=words,
        game=game,
        version=game.version if game is not None else 0,
        at=now,
    )
    transaction.on_commit(lambda: announce(table.pk))
    return line


def announce(table_id: int) -> None:
    """Announce from any thread that people at a table hear something else than before."""
    loop.spawn(news.publish(TALK, {"table": table_id}))


def announce_freedom(player_id: int) -> None:
    """Announce from any thread that a player may say something else, playing or watching."""
    loop.spawn(news.publish(FREEDOM, {"player": player_id}))
