"""House players, each with its own name."""

from collections.abc import Iterable
from itertools import chain, count, islice

from games.lookalikes import skeleton_of
from games.models import Player

#: The first four also sit at tables, by position.
NAMES = (
    "Rowan", "Hazel", "Alder", "Linden", "Aspen", "Briar", "Cedar", "Elm",
    "Fern", "Holly", "Ivy", "Juniper", "Laurel", "Maple", "Myrtle", "Oak",
    "Olive", "Poplar", "Privet", "Quince", "Rush", "Sage", "Sorrel", "Spruce",
    "Tansy", "Thorn", "Willow", "Yarrow", "Yew", "Larch", "Heather", "Clover",
)  # fmt: skip


def house_players(number: int) -> list[Player]:
    """Return the first `number` house players, creating those that are missing."""
    numbered = (f"{name} {more}" for more in count(2) for name in NAMES)
    return _named(list(islice(chain(NAMES, numbered), number)))


def house_player(position: int, players: int, beside: Iterable[str]) -> Player:
    """Return a house player for a seat whose name shares no word with the names `beside`."""
    heard = {skeleton_of(word) for name in beside for word in name.split()}
    usual = NAMES[position]
    others = (name for name in NAMES[players:] if skeleton_of(name) not in heard)
    return _named([next(others, usual) if skeleton_of(usual) in heard else usual])[0]


def _named(names: list[str]) -> list[Player]:
    house = Player.objects.filter(kind=Player.Kind.HOUSE, name__in=names).order_by("-pk")
    known = {player.name: player for player in house}  # the oldest of two with one name
    missing = [
        Player(name=name, skeleton=skeleton_of(name), kind=Player.Kind.HOUSE)
        for name in names
        if name not in known
    ]
    known.update({player.name: player for player in Player.objects.bulk_create(missing)})
    return [known[name] for name in names]
