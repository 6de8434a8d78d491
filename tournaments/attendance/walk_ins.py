"""Players without an account, entered by a name only; they play in the room."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import count
from typing import Any

from django.db.models import QuerySet

from games.models import Player
from tournaments.attendance import on_paper
from tournaments.changes import row_images, row_locks
from tournaments.events import acts
from tournaments.models import (
    Act,
    Club,
    Correction,
    Event,
    ListedName,
    ScoreLine,
    SeasonChange,
    WalkIn,
)
from tournaments.models.walk_ins import new_code
from tournaments.refusals import RefusedError
from tournaments.results import place_owners


def made(event: Event, people: Sequence[Player | ListedName | str]) -> list[Player]:
    """Return the players of an entry: members, people on the club's list, and names.

    A name is the person of that name on the list, or somebody new, who stays on it. Who is on paper
    becomes a walk-in of the event. Raises RefusedError ``online`` or ``house`` if the event can
    have none, ``name``, 422, ``taken`` if somebody in the event has the name, or as `on_paper`.
    """
    return [one if isinstance(one, Player) else _walk_in(event, one) for one in people]


def _walk_in(event: Event, who: ListedName | str) -> Player:
    row = on_paper.named(event.club, who) if isinstance(who, str) else who
    row = row and on_paper.held(row)
    if row and row.player:
        return row.player
    check_place(event)
    known = row.plays_as if row else None
    typed_again = isinstance(who, str) and on_paper.is_in(event, known)
    name = (known or row).name if row and not typed_again else str(who)
    name = free_name(event, name, None if typed_again else known)
    row = row or ListedName.objects.create(club=event.club, name=name)
    player = on_paper.plays_as(row, name)
    WalkIn.objects.get_or_create(event=event, player=player, defaults={"listed": row})
    return player


def check_place(event: Event) -> None:
    """Raise RefusedError ``online`` or ``house`` if the event can have no walk-ins."""
    if event.place == Event.Place.ONLINE:
        words = (
            "This event is played online, where everybody needs an account and a browser. Walk-ins"
            " play in the room only."
        )
        raise RefusedError("online", words)
    if with_house(event):
        words = (
            "House players play in this event. They sit online only and walk-ins in the room only,"
            " so nobody could seat them together."
        )
        raise RefusedError("house", words)


def with_house(event: Event) -> bool:
    return event.sit_out == Event.SitOut.HOUSE or event.entries.filter(house=True).exists()


def free_name(event: Event, text: str, but: Player | None = None) -> str:
    """Return a name that nobody else in the event has; raise RefusedError otherwise."""
    name = on_paper.tidy_name(text)
    others = event.entered_players.exclude(player=but)
    owners = (one for one in place_owners.first_players(event).values() if one != but)
    owned = name.casefold() in {owner.name.casefold() for owner in owners}
    if owned or others.filter(player__name__iexact=name).exists():
        words = f"Somebody called {name} is in the event already: add a letter or a surname."
        raise RefusedError("taken", words)
    return name


def renew_code(walk_in: WalkIn, by: Player, *, reason: str, now: datetime) -> None:
    """Give a walk-in another code, as when the card was lost; the old one opens nothing at once."""
    reason = acts.reason(reason)
    with row_locks.changing(walk_in.event) as event:
        row = event.walk_ins.select_related("event", "player").get(pk=walk_in.pk)
        row.code = new_code()
        row.save(update_fields=["code"])
        _record(row, Act.Kind.CODE, by, reason, now)


def rename(walk_in: WalkIn, text: str, by: Player, *, reason: str, now: datetime) -> None:
    """Give a walk-in another name, on all nights, or with an empty one none: "Walk-in 3".

    The old name is replaced in the events' texts too, and nothing keeps it. Raises RefusedError
    ``name``, 422, ``taken`` if on one of the nights somebody else has the name, or ``changed`` if
    one of them is changing just now.
    """
    reason = acts.reason(reason)
    with row_locks.changing(walk_in.event) as event:
        row = event.walk_ins.select_related("event", "player").get(pk=walk_in.pk)
        listed = ListedName.objects.select_for_update().filter(plays_as=row.player)
        list(listed)
        mine = Event.objects.filter(walk_ins__player=row.player).order_by("pk")
        # Others lock the club and its nights before this event: who waited here would deadlock.
        nights = list(mine.select_for_update(of=("self",), skip_locked=True))
        if len(nights) < mine.count():
            raise RefusedError("changed", f"{row} is on a night that is changing now: try again.")
        if not text.strip():
            there = Player.objects.filter(entries__event__in=nights).exclude(pk=row.player_id)
            taken = set(there.values_list("name", flat=True))
            others = event.walk_ins.filter(pk__lt=row.pk).count()
            numbered = (f"Walk-in {number}" for number in count(others + 1))
            text = next(name for name in numbered if name not in taken)
        for night in nights:
            free_name(night, text, row.player)
        name = on_paper.tidy_name(text)
        _record(row, Act.Kind.NAME, by, reason, now)
        name_everywhere(row.player, name, nights, event.club)
        listed.update(name=name)


def name_everywhere(player: Player, name: str, events: Iterable[Event], club: Club) -> None:
    """Give somebody on paper another name, in the texts of events and of the club's seasons too."""
    old, player.name = player.name, name
    player.save(update_fields=["name"])
    _replace([(SeasonChange.objects.filter(season__club=club), "words")], old, name)
    for event in events:
        texts: list[tuple[QuerySet[Any], str]] = [
            (event.notices.all(), "text"),
            (event.acts.all(), "reason"),
            (Correction.objects.filter(pairing__round__event=event), "reason"),
            (ScoreLine.objects.filter(pairing__round__event=event), "said"),
        ]
        word = _replace(texts, old, name)
        for act, images in row_images.acts_with_rows(event.acts.all(), row_images.with_words(old)):
            for _model, _image, values in images:
                for field in {"reason", "said"} & values.keys():
                    text = word.sub(lambda _found: name, values[field])
                    values[field] = text[:200]
            act.save(update_fields=["kept"])
        row_locks.changed(event)


def _record(walk_in: WalkIn, kind: Act.Kind, by: Player, reason: str, now: datetime) -> None:
    event = walk_in.event
    entry = event.entries.filter(players__player=walk_in.player).first()
    after = {"players": [walk_in.player_id]}
    acts.record(event, kind, by, now, on=entry, reason=reason, after=after)


def _replace(texts: Iterable[tuple[QuerySet[Any], str]], old: str, name: str) -> re.Pattern[str]:
    """Replace a name in texts; return the pattern that finds it."""
    word = re.compile(rf"(?<!\w){re.escape(old)}(?!\w)")
    for rows, field in texts:
        longest = rows.model._meta.get_field(field).max_length
        for row in rows.filter(**{f"{field}__contains": old}):
            text = word.sub(lambda _found: name, getattr(row, field))
            setattr(row, field, text[:longest])
            row.save(update_fields=[field])
    return word


def check_online(event: Event, players: Iterable[Player]) -> None:
    """Raise RefusedError if one of these is a walk-in and cannot play online."""
    walk_in = event.walk_ins.filter(player__in=players).select_related("player").first()
    if walk_in is not None:
        name = walk_in.player.name
        words = f"{name} has no account, so {name} plays at tables in the room only."
        raise RefusedError("walk-in", words)


def check_house(event: Event) -> None:
    """Raise RefusedError if there are walk-ins, whom house players cannot meet."""
    if event.walk_ins.filter(player__entries__event=event).exists():
        words = "Walk-ins play in this event: they sit in the room only and house players online."
        raise RefusedError("walk-in", words)
