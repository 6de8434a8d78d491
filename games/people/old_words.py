"""Whether somebody has chosen the old words of the calls, such as "I assist".

The choice is one of those of `euchre_site.pages.look`: stored with the account, or in a cookie.
"""

from collections.abc import Mapping
from typing import Final

from games.models import User

#: The cookie of a visitor's choices of appearance.
LOOK_COOKIE: Final = "bower_look"
#: The value of the choice, which no other choice has.
OF_OLD: Final = "of-old"


def wants_old_words(user: object, cookies: Mapping[str, str]) -> bool:
    kept = user.look if isinstance(user, User) else ""
    return OF_OLD in (kept or cookies.get(LOOK_COOKIE, "")).split(".")
