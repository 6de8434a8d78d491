"""The page that finds people, clubs and events."""

from typing import Any, Final

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games.answers import by_script, page_or_part
from games.people import limits
from games.people.addresses import client_address
from games.people.identity import player_of
from tournaments.search.searching import MAX_LENGTH, SEARCHES, Searcher, words_of

#: Found of each kind on the first page, and on a page of one kind.
FEW: Final = 5
A_PAGE: Final = 20
#: Searches a minute, of one player and of visitors from one address; the script asks as one types.
OF_PLAYER: Final = 60
OF_ADDRESS: Final = 240
TOO_OFTEN: Final = "Too many searches in a minute. Wait a little, then search again."


@require_safe
@never_cache
def search(request: HttpRequest) -> HttpResponse:
    """Find by the words `q`; `what` is `clubs`, `events` or `people` for a page of one kind."""
    text = request.GET.get("q", "").replace("\0", "").strip()[:MAX_LENGTH]
    what = request.GET.get("what", "")
    words = words_of(text)
    player = player_of(request)
    context: dict[str, Any] = {"q": text, "what": what if what in SEARCHES else "", "words": words}
    if words and _too_often(request, player.pk if player else None):
        if by_script(request):
            return HttpResponse(TOO_OFTEN, status=429, content_type="text/plain")
        context["refused"] = TOO_OFTEN
        return render(request, "tournaments/search/search.html", context, status=429)
    if words:
        viewer = Searcher(player, request.session)
        kinds = [what] if what in SEARCHES else list(SEARCHES)
        each = A_PAGE if what in SEARCHES else FEW
        context["found"] = {
            kind: Paginator(SEARCHES[kind](viewer, words), each).get_page(
                request.GET.get("page") if what in SEARCHES else 1
            )
            for kind in kinds
        }
        context["nothing"] = not any(page.paginator.count for page in context["found"].values())
    page, part = "tournaments/search/search.html", "tournaments/search/_found.html"
    return page_or_part(request, page, part, context)


def _too_often(request: HttpRequest, player_id: int | None) -> bool:
    """Count a search; a whole club may sit behind one address."""
    now = timezone.now()
    if player_id is not None:
        return limits.count(f"search-{player_id}", OF_PLAYER, now).exceeded
    return limits.count(f"search-{client_address(request)}", OF_ADDRESS, now).exceeded
