"""Previews of links to finished games, as sites show them that somebody posts the link to.

They are made for readers without an account: only games that everybody may open have one.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.cache import patch_cache_control

from games import rule_words
from games.answers import unless_known
from games.models import Game
from games.people import limits
from games.picture.cast import cast_of
from games.picture.phrases import together
from games.records.finished import ScoreSheet, running
from games.records.outcomes import outcome_of
from games.sharing import pictures
from games.sharing.pictures import Card

#: For how long others may keep a picture, in seconds.
MAX_AGE: Final = 300
TOO_MANY: Final = "Many pictures of links have been asked for; try again in ten minutes."


class LinkPreview(NamedTuple):
    """The preview of a link; `picture` is the path of its picture."""

    card: Card
    path: str
    picture: str

    @property
    def description(self) -> str:
        return " · ".join(self.card.lines)

    @property
    def link(self) -> str:
        return f"{settings.SITE_URL}{self.path}"

    @property
    def picture_link(self) -> str:
        return f"{settings.SITE_URL}{self.picture}"


def of_game(game: Game) -> LinkPreview | None:
    """Return the preview of a game; None unless everybody may see it; game: with its table."""
    if running(game) or game.table.sealed or not game.table.open:
        return None
    seats = game.seats.select_related("player").order_by("position")
    players = tuple(seat.player for seat in seats)
    cast = cast_of(tuple(player.name for player in players))
    sides = (together(cast, 0), together(cast, 1))
    title = rule_words.brief(game.rules)
    sheet = ScoreSheet(title, players, sides, outcome_of(game), (), ())
    lines = (f"{sides[0]} against {sides[1]}", f"A game of euchre: {title}")
    card = Card(sheet.headline, lines, "h")
    return LinkPreview(
        card, reverse("game", args=[game.pk]), reverse("game_picture", args=[game.pk])
    )


def answer(request: HttpRequest, preview: LinkPreview) -> HttpResponse:
    """Return a preview's picture, which is the same for everybody; 429 after many new ones."""
    data = pictures.kept(preview.card)
    if data is None and limits.may_draw(request):
        data = pictures.png(preview.card)
    if data is None:
        return HttpResponse(
            TOO_MANY,
            status=429,
            content_type="text/plain; charset=utf-8",
            headers={"Retry-After": str(limits.TEN_MINUTES)},
        )
    picture = HttpResponse(data, content_type="image/png")
    response = unless_known(request, picture, pictures.digest(data))
    patch_cache_control(response, max_age=MAX_AGE, public=True)
    return response
