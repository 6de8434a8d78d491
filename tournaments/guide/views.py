"""The pages that explain the formats of events."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from tournaments.guide.format_pages import FORMATS, page_of


@require_safe
def format_list(request: HttpRequest) -> HttpResponse:
    """List the formats with what each is good for."""
    return render(request, "tournaments/guide/list.html", {"formats": FORMATS.values()})


@require_safe
def format_page(request: HttpRequest, format_key: str) -> HttpResponse:
    """Explain one format to players and directors, with a worked example."""
    if format_key not in FORMATS:
        raise Http404
    context = {"page": page_of(format_key), "formats": FORMATS.values()}
    return render(request, f"tournaments/guide/{format_key}.html", context)
