"""What a day's link and its text show elsewhere: the date and squares, and nothing of the cards."""

from typing import Final

from django.conf import settings
from django.urls import reverse

from games.figures import signed
from games.sharing.pictures import Card
from games.sharing.previews import LinkPreview
from tournaments.daily import tries
from tournaments.models import DailyDeal, DailyTry
from tournaments.sharing import previews

#: Points for us, one point less, and more; in words for those who do not see them.
UP, LESS, DOWN = "up", "less", "down"
SQUARES: Final = {UP: "\N{LARGE GREEN SQUARE}", LESS: "⬜", DOWN: "⬛"}


def square_of(points: int) -> str:
    if points > 0:
        return UP
    return DOWN if points < -1 else LESS


def text_of(daily: DailyDeal, mine: DailyTry) -> str:
    """Return the lines to show to friends; without a percentage while the day is open."""
    squares = "".join(SQUARES[square_of(points)] for points in mine.points or ())
    percent = f": {mine.percent:.1f} %" if mine.percent is not None else ""
    name = f"{settings.SITE_NAME} daily deal"
    if daily.club is not None:
        name += f" of {daily.club}"
    unit = "point" if abs(mine.total) == 1 else "points"
    return "\n".join(
        (
            f"{name}, {daily.day.day} {daily.day:%B}{percent}",
            f"{squares} {signed(mine.total)} {unit}",
            f"{settings.SITE_URL}{tries.path_of(daily)}",
        )
    )


def preview_of(daily: DailyDeal) -> LinkPreview | None:
    """Return the preview of a day; None unless everybody may see it."""
    club = daily.club
    if club is not None and not previews.is_everybodys(club):
        return None
    date = f"{daily.day:%A} {daily.day.day} {daily.day:%B}"
    lines = (date, "Four deals, the same cards for everybody", "One try, about four minutes")
    name, keys = ("club_daily_picture", [club.slug]) if club else ("daily_picture", [])
    picture = reverse(name, args=[*keys, daily.day])
    return LinkPreview(Card(tries.title_of(club), lines, "s"), tries.path_of(daily), picture)
