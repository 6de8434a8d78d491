"""Whose a name is: free ones, and friendly ones for guests.

A friendly name is a mood or a colour and a bird or a plant, so that nobody real is named.
"""

import re
import secrets
import unicodedata
from functools import lru_cache
from typing import Final

from django.conf import settings
from django.db.models import Q

from games.lookalikes import skeleton_of
from games.models import Player
from games.people.house_players import NAMES as HOUSE_NAMES

FIRST = """
Amber Autumn Bright Calm Clever Copper Dusky Early Gentle Golden Hazel Honest Jolly Kindly Late
Little Lucky Maple Marsh Meadow Mellow Merry Misty Morning Mossy Nimble Northern Orchard Patient
Quick Quiet River Rosy Russet Shady Silver Snowy Spring Steady Sunny Tidy Velvet Wild Winter
"""
SECOND = """
Acorn Alder Aster Avocet Birch Bittern Bluebell Bunting Chickadee Clover Crane Curlew Dipper Dove
Dunlin Egret Elm Fern Finch Grouse Hawthorn Heron Ivy Jay Juniper Kestrel Kinglet Lapwing Lark
Linnet Magpie Martin Nuthatch Oriole Osprey Petrel Pipit Plover Poppy Primrose Puffin Quail Raven
Robin Rook Sandpiper Siskin Snipe Sorrel Sparrow Starling Swallow Swift Tansy Teal Tern Thistle
Thrush Towhee Turnstone Vireo Warbler Waxwing Whimbrel Woodcock Wren Yarrow
"""


#: What nobody is called, since it tells what somebody is here.
OFFICES: Final = """
Admin Administrator Club Dealer Director Everybody Guest House Member Moderator Nobody Operator
Owner Player Program Referee Robot Site Spectator Staff Support System Team Umpire You
"""
#: What may follow such a name, or a house player's, and still be one: a number, as in a skeleton.
NUMBERED: Final = re.compile(r"(?:[2-9l][0-9lo]*)?")
#: What signs are, by their general category in Unicode.
SIGNS: Final = ("Lm", "Sc", "Sk", "Sm", "So")
#: How often another friendly name is tried before one is numbered.
TRIES: Final = 8


def friendly_name() -> str:
    """Return a free name such as "Quiet Heron"; about 3,000 exist, so two guests may share one."""
    for _ in range(TRIES):
        name = f"{secrets.choice(FIRST.split())} {secrets.choice(SECOND.split())}"
        if free(name):
            return name
    return f"{name} {secrets.randbelow(9_000) + 1_000}"


def free(name: str, besides: Player | None = None) -> bool:
    """Whether somebody may be called so: nobody who owns a name could be taken for them.

    Members and programs own their names, and house players; a guest does not.

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
    return not owners.filter(skeleton=skeleton).exists()


@lru_cache(maxsize=1)
def _reserved_words() -> frozenset[str]:
    names = [*OFFICES.split(), "House player", "Bower", settings.SITE_NAME, *HOUSE_NAMES]
    return frozenset(map(skeleton_of, names))
