"""Which notifications a person has chosen; the defaults are those of the kinds."""

from collections.abc import Collection, Mapping
from typing import TypeAlias

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from games.models import NotificationChoice, Player
from games.notifying.kinds import KINDS, NotificationKind, Way

#: Whether each kind is sent in each of its ways.
Choices: TypeAlias = Mapping[tuple[str, Way], bool]


def choices_of(player: Player) -> Choices:
    found = {(kind.key, way): on for kind in KINDS.values() for way, on in kind.ways.items()}
    for kind, way, on in player.notification_choices.values_list("kind", "way", "on"):
        if (kind, way) in found:
            found[kind, Way(way)] = on
    return found


def choose(player: Player, wanted: Choices) -> None:
    """Store choices; those not mentioned stay as they are, unknown ones are ignored."""
    with transaction.atomic():
        Player.objects.select_for_update(no_key=True).get(pk=player.pk)
        kept = {**choices_of(player), **wanted}
        player.notification_choices.all().delete()
        NotificationChoice.objects.bulk_create(
            NotificationChoice(player=player, kind=kind.key, way=way, on=kept[kind.key, way])
            for kind in KINDS.values()
            for way, usual in kind.ways.items()
            if kept[kind.key, way] != usual
        )


def wants(kind: NotificationKind, way: Way, player: str = "pk") -> Q:
    """Return the condition that a player, found by a lookup, gets a kind in a way."""
    choice = NotificationChoice.objects.filter(
        player=OuterRef(player), kind=kind.key, way=way, on=not kind.ways[way]
    )
    return ~Q(Exists(choice)) if kind.ways[way] else Q(Exists(choice))


def wanting(kind: NotificationKind, way: Way, players: Collection[Player]) -> list[Player]:
    """Return those of some players who get a kind in a way, in one query."""
    if way not in kind.ways:
        return []
    found = Player.objects.filter(wants(kind, way), pk__in=[one.pk for one in players])
    known = set(found.values_list("pk", flat=True))
    return [one for one in players if one.pk in known]
