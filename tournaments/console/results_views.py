"""Entering the results of a round's tables in the room in one screen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from games.answers import by_script
from games.models import Player
from tournaments.acts import correcting
from tournaments.acts.page import directed
from tournaments.answers import SeeOther
from tournaments.console.forms import TIE, ResultForm
from tournaments.models import Act, Event, Pairing
from tournaments.refusals import RefusedError
from tournaments.results import matches, possible
from tournaments.results.match_lines import MatchLine, matches_of, teams_drawn
from tournaments.room_scores import card_page
from tournaments.room_scores.card_page import CardState


class ResultLine(NamedTuple):
    """A table in the list: what was `typed` for both sides, and why it was not kept, or empty.

    card: as long as it is not decided. act: how a director entered the result. sure: the score by
    the card that the director has been shown and overrules. single: it has one score to enter.
    """

    match: MatchLine
    card: CardState | None
    act: Act | None
    single: bool
    typed: tuple[str, str] = ("", "")
    wrong: str = ""
    sure: str = ""

    @property
    def number(self) -> int:
        return self.match.pairing.number

    @property
    def asks(self) -> bool:
        """Whether its points can be typed here."""
        return self.single and self.match.pairing.in_room and not self.match.decided

    @property
    def state(self) -> str:
        if self.wrong:
            return "wrong"
        return "kept" if self.act else "signed" if self.match.decided else "missing"


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def enter_results(request: HttpRequest, event_id: int, number: int) -> HttpResponse:
    """Show the tables of a round and enter the results that were typed; others hold up none.

    Fields: `points_7_0` and `points_7_1` of table 7; `sure_7`, the score by its card that a page
    has shown, which the director overrules. `only`: a script enters this table alone, and gets its
    line and what is missing. They may be in the address, too: with `then`, "console", a button of
    the console enters what a table has signed.
    """
    event, by = directed(request, event_id)
    if not event.played_rounds.filter(number=number).exists():
        raise Http404
    lines = _lines_of(event, number)
    if request.method == "POST":
        fields = {**request.GET.dict(), **request.POST.dict()}
        only = fields.get("only", "")
        lines = [
            _entered(fields, event, by, line)
            if line.asks and only in ("", str(line.number))
            else line
            for line in lines
        ]
        wrong = {line.number: line for line in lines if line.wrong}
        lines = [wrong.get(line.number, line) for line in _lines_of(event, number)]
        if not wrong and "then" in fields:
            return SeeOther(f"{resolve_url('manage_event', event.pk)}?round={number}#table-{only}")
        if not wrong and not only:
            return SeeOther(resolve_url("enter_results", event.pk, number))
        lines = [line for line in lines if only in ("", str(line.number))]
    every = _lines_of(event, number) if request.method == "POST" else lines
    context = {
        "event": event,
        "number": number,
        "lines": lines,
        "tables": len(every),
        "done": sum(line.match.decided for line in every),
        "missing": [line for line in every if line.asks],
        "only": by_script(request),
    }
    status = 422 if any(line.wrong for line in lines) and not by_script(request) else 200
    page = "_result_lines" if by_script(request) else "results"
    return render(request, f"tournaments/console/{page}.html", context, status=status)


def _lines_of(event: Event, number: int) -> list[ResultLine]:
    rows = Pairing.objects.filter(round__event=event, round__number=number).select_related("round")
    found = matches_of(event, rows, teams_drawn(event))
    cards = card_page.states_of(event, [one.pairing for one in found])
    entered = event.acts.filter(kind=Act.Kind.RESULT, pairing__in=rows, undone_by=None)
    acts = {act.pairing_id: act for act in entered.order_by("pk").defer("kept")}
    return [
        ResultLine(
            one,
            cards.get(one.pairing.pk),
            acts.get(one.pairing.pk) if one.decided else None,
            possible.most_games(event, one.pairing) == 1,
        )
        for one in found
    ]


def _entered(fields: Mapping[str, str], event: Event, by: Player, line: ResultLine) -> ResultLine:
    """Enter the result of a table and return its line as it was; or its line with what is wrong."""
    first, second = (fields.get(f"points_{line.number}_{side}", "").strip() for side in (0, 1))
    if not (first or second):
        return line
    typed = line._replace(typed=(first[:3], second[:3]))
    pairing, card = line.match.pairing, line.card.card if line.card else None
    by_card = "–".join(map(str, card.points)) if card is not None and card.complete else ""
    if by_card not in ("", f"{first}–{second}", fields.get(f"sure_{line.number}", "")):
        words = f"The table’s phone wrote {by_card}. Enter once more keeps {first}–{second}."
        return typed._replace(wrong=words, sure=by_card)
    data: dict[str, Any] = {"ended": possible.PLAYED, "winner": TIE, "reason": ""}
    for side, points in enumerate((first, second)):
        data[possible.field(event, pairing, 0, side)] = points
        data[f"lone_{side}"] = card.lone[side] if card else 0
    if first.isdecimal() and second.isdecimal():
        data["winner"] = matches.leader(int(first[:4]), int(second[:4]))
    form = ResultForm(data, event=event, pairing=pairing, match=line.match)
    if not form.is_valid():
        return typed._replace(
            wrong=" ".join(str(one) for errors in form.errors.values() for one in errors)
        )
    try:
        correcting.set_result(
            pairing, by, form.ruling, reason="", now=timezone.now(), seen=correcting.OPEN
        )
    except RefusedError as error:
        return typed._replace(wrong=error.message)
    return line
