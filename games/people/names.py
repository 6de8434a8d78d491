"""Whose a name is: free ones, and friendly ones for guests.

A friendly name is a mood or a colour and a bird or a plant, so that nobody real is named.
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
#: Words that guests were given before, among them the names of house players.
PAST_FIRST: Final = "Hazel Late Maple Shady"
PAST_SECOND: Final = "Alder Clover Elm Fern Ivy Juniper Sorrel Tansy Yarrow"
_ADJECTIVES: Final = frozenset(f"{FIRST} {PAST_FIRST}".split())
_NOUNS: Final = frozenset(f"{SECOND} {PAST_SECOND}".split())

#: What nobody is called, since it tells what somebody is here.
OFFICES: Final = """
Admin Administrator Club Dealer Director Everybody Guest House Member Moderator Nobody Operator
Owner Player Program Referee Robot Site Spectator Staff Support System Team Umpire You
"""
#: What may follow such a name, or a house player's, and still be one: a number, as in a skeleton.
NUMBERED: Final = re.compile(r"(?:[2-9l][0-9lo]*)?")
#: What signs are, by their general category in Unicode.
SIGNS: Final = ("Lm", "Sc", "Sk", "Sm", "So")
#: How many past names of a player are known.
PAST_KEPT: Final = 50
#: For how long nobody is given the name of an account that was deleted.
HELD_FOR: Final = timedelta(days=90)
#: What those are called who have deleted their account, and what were their programs; a number
#: follows.
FORMER: Final = ("Former player", "Former program")
#: How often another friendly name is tried before one is numbered.
TRIES: Final = 8


def friendly_name(beside: Iterable[str] = ()) -> str:
    """Return a free name such as "Quiet Heron"; about 2,300 exist, so two guests may share one.

    beside: the names of those at the same table, of which it repeats no word.
    """
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
    """Return the skeletons of all words in some names."""
    return {skeleton_of(word) for name in names for word in name.split()}


def called(name: str) -> str:
    """Return what somebody is called in a sentence: the first word, of a friendly name the noun.

    "Ben Okafor" is "Ben", "Quiet Heron" is "Heron".
    """
    first, *rest = name.split()
    return " ".join(rest) if first in _ADJECTIVES and rest and rest[0] in _NOUNS else first


def free(name: str, besides: Player | None = None) -> bool:
    """Whether somebody may be called so: nobody who owns a name could be taken for them.

    Members and programs own their names, and house players; a guest does not. A name whose owner
    has deleted the account is nobody's for a while.

    besides: whoever asks for the name, whose own it may be.
    """
    skeleton = skeleton_of(name)
    # The house's names, and offices, are reserved, also with a number or a sign.
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
    """Give nobody a name for a while, nor one that looks like it."""
    HeldName.objects.update_or_create(
        digest=_digest(skeleton_of(name)), defaults={"until": now + HELD_FOR}
    )


def forget_held(now: datetime) -> None:
    """Forget the names that have been held for long enough."""
    old = HeldName.objects.filter(until__lte=now)
    if old.exists():  # asking takes no turn to write
        old.delete()


def note_past(player: Player, name: str) -> None:
    """Note what a player was called until now, so that it is found if they want to be forgotten."""
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
