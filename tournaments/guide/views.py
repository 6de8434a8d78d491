"""Pages that explain the formats of events."""

from collections.abc import Mapping
from typing import Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import select_template
from django.views.decorators.http import require_safe

from tournaments.formats.base import Format
from tournaments.formats.registry import FORMATS
from tournaments.formats.tie_breaks import TieBreak
from tournaments.guide.format_examples import EXAMPLES, example_of

TWO_STAGES: Final = "two_stages"

#: What each tie-break counts, for players.
MEANINGS: Final = {
    TieBreak.DUPLICATE: "On each deal your result less the mean of the other tables’ in your "
    "direction, in points; or with matchpoints the share of the other tables that you beat, less "
    "one half. Over all deals these are added up.",
    TieBreak.WINS: "Matches won. A tie counts half.",
    TieBreak.BUCHHOLZ_CUT_1: "The wins of everybody you have met, added up, without the lowest of "
    "them. Those who met stronger opponents are placed before those who met weaker ones.",
    TieBreak.BUCHHOLZ: "The same with the lowest.",
    TieBreak.HEAD_TO_HEAD: "The wins among those who are still tied. It decides only where no "
    "match that they have not played against each other could change it.",
    TieBreak.POINT_DIFFERENCE: "The points you have scored less those scored against you, over "
    "all matches.",
    TieBreak.SONNEBORN_BERGER: "The wins of everybody you have beaten, and half the wins of "
    "everybody you have tied with. A win over a strong opponent counts for more.",
    TieBreak.LONE_HANDS: "Hands that your side played alone and in which it took all five tricks.",
    TieBreak.LOT: "A number drawn when the event starts, from a seed that is kept with it: 1 goes "
    "first. Anybody can draw it again and get the same.",
}


class TwoStages(Format):
    """Any format followed by a knock-out of the best; the guide explains it like a format."""

    key = TWO_STAGES
    name = "Two stages"
    brief = "All play some rounds of one format, and the best of them a knock-out."
    who_enters = "As in the first stage"
    how_many = "As in the first stage"
    length = "Those of both stages."


PAGES: Final[Mapping[str, Format]] = {**FORMATS, TWO_STAGES: TwoStages()}


def meanings(key: str) -> list[tuple[str, str]]:
    """Return the usual tie-breaks of a format in order, with what each counts."""
    order = PAGES[key].usual_order
    return [(which.label, MEANINGS[which]) for which in (*order, TieBreak.LOT)] if order else []


@require_safe
def format_list(request: HttpRequest) -> HttpResponse:
    return render(request, "tournaments/guide/list.html", {"formats": PAGES.values()})


@require_safe
def format_page(request: HttpRequest, format_key: str) -> HttpResponse:
    if format_key not in PAGES:
        raise Http404
    own = f"tournaments/guide/{format_key}.html"
    template = select_template([own, "tournaments/guide/page.html"])
    context = {
        "shown": PAGES[format_key],
        "explained": template.template.name == own,
        "example": example_of(format_key) if format_key in EXAMPLES else None,
        "tie_breaks": meanings(format_key),
        "formats": PAGES.values(),
    }
    return HttpResponse(template.render(context, request))
