"""The pages that explain the formats of events, and what they are made of beside their words."""

from dataclasses import dataclass
from typing import Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from tournaments.formats.standings import USUAL_ORDERS
from tournaments.formats.tie_breaks import TieBreak
from tournaments.guide.format_examples import example_of
from tournaments.models import Event
from tournaments.models.events import LARGEST, LARGEST_OTHERWISE

TWO_STAGES: Final = "two_stages"
ALONE: Final = "Each player alone"
TOGETHER: Final = "Partnerships, or single players in a game for two"

#: What each tie-break counts and what it is good for.
MEANINGS: Final = {
    TieBreak.WINS: "Matches won. A tie counts half.",
    TieBreak.BUCHHOLZ_CUT_1: "The wins of everybody you have met, added up, without the lowest of "
    "them. Whoever has met stronger opponents stands before whoever has met weaker ones.",
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


@dataclass(frozen=True, slots=True)
class FormatInfo:
    """A format in short. brief: one sentence. entry: who enters. players: how many it takes."""

    key: str
    name: str
    brief: str
    entry: str
    players: str
    rounds: str


def _between(key: str, least: int, what: str) -> str:
    return f"{least} to {LARGEST.get(key, LARGEST_OTHERWISE):,} {what}"


FORMATS: Final = {
    info.key: info
    for info in (
        FormatInfo(
            "rotation",
            Event.Format.ROTATION.label,
            "A new partner every round, and everybody plays with and against everybody alike.",
            ALONE,
            _between("rotation", 4, "players"),
            "As many as there is time for; 7 are complete for 8 players, 9 for 9.",
        ),
        FormatInfo(
            "progressive",
            Event.Format.PROGRESSIVE.label,
            "Winners move up a table and part, so that the best meet at the head table.",
            ALONE,
            _between("progressive", 4, "players"),
            "As many as there is time for.",
        ),
        FormatInfo(
            "swiss",
            Event.Format.SWISS.label,
            "Every round you meet a partnership that has won as often as you have.",
            TOGETHER,
            _between("swiss", 2, "partnerships"),
            "Few: 4 for 8 partnerships, 6 for 32.",
        ),
        FormatInfo(
            "round_robin",
            Event.Format.ROUND_ROBIN.label,
            "Everybody plays everybody, once or several times.",
            TOGETHER,
            _between("round_robin", 2, "partnerships"),
            "One fewer than partnerships, or as many as partnerships if their number is odd.",
        ),
        FormatInfo(
            "single_elimination",
            Event.Format.SINGLE.label,
            "Whoever loses is out, and the last two play the final.",
            TOGETHER,
            _between("single_elimination", 2, "partnerships"),
            "3 for 5 to 8 partnerships, 4 for 9 to 16, 5 for 17 to 32.",
        ),
        FormatInfo(
            "double_elimination",
            Event.Format.DOUBLE.label,
            "Whoever has lost twice is out, so that one bad match costs nobody the event.",
            TOGETHER,
            _between("double_elimination", 2, "partnerships"),
            "About twice as many as with single elimination.",
        ),
        FormatInfo(
            TWO_STAGES,
            "Two stages",
            "All play some rounds of one format, and the best of them a knock-out.",
            "As in the first stage",
            "As in the first stage",
            "Those of both stages.",
        ),
    )
}


def meanings(key: str) -> list[tuple[str, str]]:
    """Return the tie-breaks of a format in their usual order, each with what it counts."""
    order = USUAL_ORDERS.get(key)
    return [(which.label, MEANINGS[which]) for which in (*order, TieBreak.LOT)] if order else []


@require_safe
def format_list(request: HttpRequest) -> HttpResponse:
    """List the formats with what each is good for."""
    return render(request, "tournaments/guide/list.html", {"formats": FORMATS.values()})


@require_safe
def format_page(request: HttpRequest, format_key: str) -> HttpResponse:
    """Explain one format to players and directors, with a worked example."""
    if format_key not in FORMATS:
        raise Http404
    context = {
        "shown": FORMATS[format_key],
        "example": example_of(format_key),
        "tie_breaks": meanings(format_key),
        "formats": FORMATS.values(),
    }
    return render(request, f"tournaments/guide/{format_key}.html", context)
