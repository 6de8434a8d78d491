"""The picture of a finished game's preview."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from games.access import game_for
from games.sharing import previews


@require_safe
def game_picture(request: HttpRequest, game_id: UUID) -> HttpResponse:
    """Send the picture of a game that everybody may see, or 404."""
    _access, game = game_for(None, game_id)
    preview = previews.of_game(game)
    if preview is None:
        raise Http404
    return previews.answer(request, preview)
