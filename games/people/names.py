"""Names: which are free, and friendly ones for guests.

A friendly name is a mood or colour and a bird or plant, so it is never a real person's.
"""

import re
import secrets
import unicodedata
from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final

from django.conf import settings
from django.db.models import Q
from django.utils import timezone
from django.utils.crypto import salted_hmac

from games.lookalikes import skeleton_of
from games.models import HeldName, PastName, Player
from games.people.house_players import NAMES as HOUSE_NAMES

FIRST = """
Amber Autumn Bright Calm Clever Copper Dusky Early Gentle Golden Honest Jolly Kindly Little Lucky
Marsh Meadow Mellow Merry Misty Morning Mossy Nimble Northern Orchard Patient Quick Quiet River
Rosy Russet Silver Snowy Spring Steady Sunny Tidy Velvet Wild Winter
"""
SECOND = """
Acorn Aster Avocet Birch Bittern Bluebell Bunting Chickadee Crane Curlew Dipper Dove Dunlin Egret
Finch Grouse Hawthorn Heron Jay Kestrel Kinglet Lapwing Lark Linnet Magpie Martin Nuthatch Oriole
Osprey Petrel Pipit Plover Poppy Primrose Puffin Quail Raven Robin Rook Sandpiper Siskin Snipe
Sparrow Starling Swallow Swift Teal Tern Thistle Thrush Towhee Turnstone Vireo Warbler Waxwing
Whimbrel Woodcock Wren
"""
#: Words of earlier friendly names, among them house players' names.
PAST_FIRST: Final = "Hazel Late Maple Shady"
PAST_SECOND: Final = "Alder Clover Elm Fern Ivy Juniper Sorrel Tansy Yarrow"
_ADJECTIVES: Final = frozenset(f"{FIRST} {PAST_FIRST}".split())
_NOUNS: Final = frozenset(f"{SECOND} {PAST_SECOND}".split())

#: Names nobody may take because they describe a role.
OFFICES: Final = """
Admin Administrator Club Dealer Director Everybody Guest House Member Moderator Nobody Operator
Owner Player Program Referee Robot Site Spectator Staff Support System Team Umpire You
"""
#: A number may follow such a name, or a house player's; as it looks in a skeleton.
NUMBERED: Final = re.compile(r"(?:[2-9l][0-9lo]*)?")
#: Unicode general categories of signs.
SIGNS: Final = ("Lm", "Sc", "Sk", "Sm", "So")
#: Past names kept per player.
PAST_KEPT: Final = 50
#: How long the name of a deleted account stays reserved.
HELD_FOR: Final = timedelta(days=90)
#: Names of deleted accounts and their programs; a number follows.
FORMER: Final = ("Former player", "Former program")
#: Attempts at a friendly name before one gets a number.
TRIES: Final = 8


def friendly_name(beside: Iterable[str] = ()) -> str:
    """Return a free name such as "Quiet Heron" that shares no word with the names `beside`."""
    heard = words_of(beside)
    first, second = (
        [word for word in words.split() if skeleton_of(word) not in heard]
        for words in (FIRST, SECOND)
    )
    for _ in range(TRIES):
        name = f"{secrets.choice(first)} {secrets.choice(second)}"
        if free(name):
            return name
    return f"{name} {secrets.randbelow(9_000) + 1_000}"


def words_of(names: Iterable[str]) -> set[str]:
    return {skeleton_of(word) for name in names for word in name.split()}


def called(name: str) -> str:
    """Return "Ben" for "Ben Okafor", and the noun of a friendly name: "Heron" for "Quiet Heron"."""
    first, *rest = name.split()
    return " ".join(rest) if first in _ADJECTIVES and rest and rest[0] in _NOUNS else first


def free(name: str, besides: Player | None = None) -> bool:
    """Return True if a name neither belongs to another player than `besides` nor looks like theirs.

    Members, programs, house players and, for a while, deleted accounts own their names.
    """
    skeleton = skeleton_of(name)
    # Names of the house and of roles are reserved, also with a number or a sign.
    signs = {one for one in skeleton if unicodedata.category(one) in SIGNS}
    plain = "".join(one for one in skeleton if one not in signs)
    words = _reserved_words()
    if any(plain.startswith(word) and NUMBERED.fullmatch(plain, len(word)) for word in words):
        return False
    owners = Player.objects.filter(Q(user__isnull=False) | Q(kind=Player.Kind.PROGRAM))
    if besides is not None:
        owners = owners.exclude(pk=besides.pk)
    if owners.filter(skeleton=skeleton).exists():
        return False
    return not HeldName.objects.filter(digest=_digest(skeleton), until__gt=timezone.now()).exists()


def hold(name: str, now: datetime) -> None:
    HeldName.objects.update_or_create(
        digest=_digest(skeleton_of(name)), defaults={"until": now + HELD_FOR}
    )


def forget_held(now: datetime) -> None:
    old = HeldName.objects.filter(until__lte=now)
    if old.exists():  # on SQLite a query needs no write lock
        old.delete()


def record_past_name(player: Player, name: str) -> None:
    """Record a player's old name, so that deleting the account can remove it from texts."""
    if name and name != player.name:
        PastName.objects.create(player=player, name=name)
        older = player.past_names.order_by("-until", "-pk").values_list("pk", flat=True)[PAST_KEPT:]
        PastName.objects.filter(pk__in=list(older)).delete()


def _digest(skeleton: str) -> str:
    return salted_hmac("games.held_name", skeleton, algorithm="sha256").hexdigest()


@lru_cache(maxsize=1)
def _reserved_words() -> frozenset[str]:
    names = [*OFFICES.split(), "House player", *FORMER, "Bower", settings.SITE_NAME, *HOUSE_NAMES]
    return frozenset(map(skeleton_of, names))
