"""The preview of a link to a game, for the head of its page."""

from typing import Any

from django import template

from games.models import Game
from games.sharing import previews

register = template.Library()


@register.inclusion_tag("games/sharing/_preview.html")
def game_preview(game: Game) -> dict[str, Any]:
    return {"preview": previews.of_game(game)}
