"""Reporting a line to the moderators, with what was said around it and the moment of the game."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from django.db import IntegrityError, transaction

from games.access import Access
from games.models import Player, TalkLine, TalkReport
from games.people import limits
from games.talk import rooms
from games.talk.speaking import TalkError

#: How many lines before and after a reported one are kept with it.
AROUND: Final = 10
#: The most open reports of one player.
MAX_OPEN: Final = 20
THANKS: Final = "Thank you. A moderator reads it."
NO_LINE: Final = "That line is no longer here."
YOURSELF: Final = "You cannot report yourself."
MANY: Final = f"You already have {MAX_OPEN} open reports."
TOO_FAST: Final = "Too many reports in ten minutes. Wait a little."


def heard_line(access: Access, player: Player, number: int) -> TalkLine:
    """Return a line of the table that the player has heard; raise TalkError ``gone`` otherwise."""
    line = TalkLine.objects.select_related("player").filter(table=access.table, pk=number).first()
    if line is None or not _hears(access, player, line):
        raise TalkError("gone", NO_LINE)
    return line


def report(access: Access, reporter: Player, number: int, reason: str, now: datetime) -> None:
    """Report a line; reporting it again is harmless.

    Raises TalkError: ``gone``, ``yourself``, ``many`` or ``too fast``.
    """
    line = heard_line(access, reporter, number)
    if line.player_id == reporter.pk:
        raise TalkError("yourself", YOURSELF)
    mine = TalkReport.objects.filter(reporter=reporter)
    if mine.filter(line=number).exists():
        return
    if mine.filter(decided=None).count() >= MAX_OPEN:
        raise TalkError("many", MANY)
    if not limits.may_report(reporter):
        raise TalkError("too fast", TOO_FAST)
    try:
        with transaction.atomic():
            TalkReport.objects.create(
                player=line.player,
                reporter=reporter,
                reason=reason,
                table=access.table,
                game_id=line.game_id,
                version=line.version,
                line=line.pk,
                lines=_around(access, reporter, line),
                made=now,
            )
    except IntegrityError:  # sent twice at the same moment
        return


def _hears(access: Access, player: Player, line: TalkLine) -> bool:
    if line.channel == TalkLine.Channel.PLAYERS:
        return access.seat is not None or line.phrase is not None
    asking = (access.table.pk, frozenset([player.pk]))
    return access.spectator and player.pk in rooms.read([asking])[asking].watching


def _around(access: Access, reporter: Player, line: TalkLine) -> list[dict[str, Any]]:
    same = TalkLine.objects.filter(table=line.table_id, channel=line.channel)
    if access.spectator and line.channel == TalkLine.Channel.PLAYERS:
        same = same.exclude(phrase=None)  # only what the reporter has heard
    before = list(same.filter(pk__lt=line.pk).order_by("-pk")[:AROUND])[::-1]
    after = list(same.filter(pk__gt=line.pk).order_by("pk")[:AROUND])
    return [
        {
            "line": one.pk,
            "player": one.player_id,
            "phrase": one.phrase,
            "words": one.words,
            "at": one.at.isoformat(),
        }
        for one in (*before, line, *after)
    ]
