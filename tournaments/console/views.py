"""The director's page, the log of acts, and results set by hand."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, render, resolve_url
from django.template.loader import render_to_string
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games.answers import by_script, page_or_part
from games.models import Player
from games.numbers import parse_number
from games.sockets.html_frames import partials
from tournaments.access import club_of, event_of
from tournaments.acts import after, correcting, log, previews, undoing
from tournaments.acts.house_players import HouseForm
from tournaments.acts.message_to_all import WordsForm
from tournaments.acts.page import directed
from tournaments.acts.starting_and_ending import CancelForm
from tournaments.answers import SeeOther, refused_at, typed
from tournaments.console import manage_page
from tournaments.console.forms import ResultForm
from tournaments.demonstration import house_events
from tournaments.events import director_calls
from tournaments.events.notices import record_csv
from tournaments.models import Act, Event, Pairing
from tournaments.refusals import RefusedError
from tournaments.results import corrections, possible
from tournaments.results.match_lines import MatchLine
from tournaments.room_scores import card_page, cards, writing
from tournaments.standings import conflicts_of_interest

ACTS_A_PAGE = 50


@require_safe
@never_cache
def manage_event(request: HttpRequest, event_id: int) -> HttpResponse:
    """Show the director's page: `round` in the query is the round whose tables are shown, `open`
    the table whose acts are.

    A script names the parts and stamps that its page `have`s, "console-clock:1f…,table-7:03…", and
    gets those that have changed, or 204; and `busy`, the open table if it has a form to fill in.
    """
    event, by = directed(request, event_id)
    number, opened, busy = (
        parse_number(request.GET.get(name, "")) for name in ("round", "open", "busy")
    )
    have = request.GET.get("have") if by_script(request) else None
    known = None if have is None else dict(pair.partition(":")[::2] for pair in have.split(","))

    def sent(name: str) -> QueryDict | None:
        return typed(request, resolve_url(name, event.pk))

    page = manage_page.read(
        event, by, timezone.now(), number, opened=opened, known=known, busy=busy
    )
    if page.shown and not by_script(request):
        if number not in (None, page.shown):
            messages.warning(request, f"Round {number} has not been drawn.")
        elif opened is not None and opened not in page.states:
            messages.warning(request, f"Round {page.shown} has no table {opened}.")
    context: dict[str, Any] = {
        "event": event,
        "page": page,
        "cancel_form": CancelForm(sent("cancel_event")),
        "house_form": HouseForm(sent("add_house_entries")),
        "words_form": WordsForm(sent("tell_event")),
    }
    if known is not None and known.get("now") == page.structure:
        parts: dict[str, tuple[str, str]] = {}
        render_to_string("tournaments/console/_now.html", context | {"parts": parts}, request)
        changed = {key: html for key, (stamp, html) in parts.items() if known.get(key) != stamp}
        for key in [one for one in changed if one.startswith("table-")]:
            changed.pop(f"at-{key.partition('-')[2]}", None)  # it is in there
        return HttpResponse(partials(changed), status=200 if changed else 204)
    return page_or_part(
        request, "tournaments/console/manage.html", "tournaments/console/_now.html", context
    )


@require_safe
def event_record(request: HttpRequest, event_id: int) -> HttpResponse:
    event, _ = directed(request, event_id)
    answer = HttpResponse(record_csv(event), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="event-{event.pk}-record.csv"'
    return answer


@require_safe
def event_acts(request: HttpRequest, event_id: int) -> HttpResponse:
    """List what directors did to an event, for the club's members and the event's players."""
    access = event_of(request, event_id)
    if not (access.membership or access.entry or access.directs):
        raise PermissionDenied
    rows = log.rows_of(access.event)
    page = Paginator(rows, ACTS_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "event": access.event,
        "access": access,
        "page": page,
        "lines": log.lines_of(
            access.event,
            page.object_list,
            access.player if access.directs else None,
            timezone.now(),
        ),
    }
    return render(request, "tournaments/console/acts.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@refused_at("undo_act", "event_id", "act_id")
def undo_act(request: HttpRequest, event_id: int, act_id: int) -> HttpResponse:
    """Show what undoing an act would change, or why it cannot be undone; or undo it.

    Field `seen`: the digest of the preview that was shown.
    """
    event, by = directed(request, event_id)
    act = get_object_or_404(log.rows_of(event).select_related("event"), pk=act_id)
    back = after.back_to(request, event, resolve_url("event_acts", event.pk))

    def verb() -> None:
        undoing.undo(act, by, timezone.now())

    if request.method == "POST":
        previews.carry_out(event, verb, request.POST.get("seen", ""))
        messages.success(request, "Undone.")
        return SeeOther(back)
    (line,) = log.lines_of(event, [act])
    context: dict[str, object] = {"event": event, "line": line, "back": back}
    try:
        context["preview"] = previews.preview(event, verb)
    except RefusedError as error:
        context["refusal"] = error
    return render(request, "tournaments/console/undo.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@refused_at("manage_event", "event_id")
def set_result(request: HttpRequest, event_id: int, number: int, table: int) -> HttpResponse:
    """Set or correct the result of a match; fields `winner`, `ended`, the points, `reason`.

    What a ruling will change is shown before it is stored. Field `seen`: the digest of the result
    that the page has shown, without it none; `will`: that of the changes shown; `edit`: the form is
    asked for again, with what was entered.
    """
    event, by = directed(request, event_id)
    found = manage_page.match_at(event, number, table)
    if found is None:
        raise Http404
    pairing, match = found
    conflicts_of_interest.check_result(event, pairing, by)
    posted = request.POST if request.method == "POST" else None
    initial = _initial(event, pairing, match)
    form = ResultForm(posted, initial=initial, event=event, pairing=pairing, match=match)
    edits = "edit" in request.POST
    status = 200 if posted is None or edits else 422
    later = event.played_rounds.filter(number__gt=number).order_by("number").last()
    context: dict[str, object] = {"event": event, "match": match, "pairing": pairing}
    back = f"{resolve_url('manage_event', event.pk)}?round={number}"
    back = after.back_to(request, event, back)
    context |= {"form": form, "later": later, "back": back, "found": after.found_in(request)}
    if form.is_valid() and not edits:
        context["seen"] = seen = request.POST.get("seen", correcting.OPEN)
        try:
            if preview := _set_or_preview(form, by, seen, request.POST.get("will")):
                context["preview"] = preview
                return render(request, "tournaments/console/result_will.html", context)
        except RefusedError as error:
            pairing, match = manage_page.match_at(event, number, table) or found
            context |= {"match": match, "pairing": pairing}
            form.add_error(None, error.message)
            status = error.status
        else:
            act = pairing.acts.filter(kind=Act.Kind.RESULT).order_by("-pk").first()
            done = f"The result of table {table} has been set."
            after.say_done(request, event, done, act)
            return SeeOther(back)
    if pairing.in_room:
        context["card"] = card_page.history_of(event, pairing)
    context["seen"] = "" if match.sealed else correcting.digest(event, pairing)
    context["corrections"] = [
        {
            "row": one,
            "before": corrections.in_words(one.before),
            "after": corrections.in_words(one.after),
        }
        for one in pairing.corrections.select_related("by")
    ]
    return render(request, "tournaments/console/result.html", context, status=status)


@require_POST
def answer_call(request: HttpRequest, event_id: int, number: int, table: int) -> HttpResponse:
    """Answer the call of a table for a director."""
    event, by = directed(request, event_id)
    rows = Pairing.objects.select_related("round__event")
    match = get_object_or_404(rows, round__event=event, round__number=number, number=table)
    director_calls.answer(match, by)
    return SeeOther(resolve_url("manage_event", event.pk))


def _set_or_preview(
    form: ResultForm, by: Player, seen: str, will: str | None
) -> previews.Preview | None:
    """Set a result, or return what it would change if it is a ruling and that was not shown yet."""
    pairing, reason = form.pairing, form.cleaned_data["reason"]

    def verb() -> None:
        correcting.set_result(
            pairing, by, form.ruling, reason=reason, now=timezone.now(), seen=seen
        )

    if not correcting.needs_reason(pairing) and form.ruling.ended != possible.FORFEIT:
        verb()
    elif will is None:
        return previews.preview(form.event, verb)
    else:
        previews.carry_out(form.event, verb, will)
    return None


def _initial(event: Event, pairing: Pairing, match: MatchLine) -> dict[str, object]:
    """Return the present result as initial values of the form."""
    initial: dict[str, object] = {}
    if match.sealed:
        return initial
    if pairing.in_room:
        initial = {f"lone_{side}": count for side, count in enumerate(pairing.lone_hands)}
    values = corrections.result_of(event, pairing)
    scores = values["scores"]
    if pairing.in_room and pairing.state != Pairing.State.DECIDED:
        return initial | _from_card(event, pairing)
    if pairing.state == Pairing.State.DECIDED:
        initial |= {"winner": str(pairing.winner), "ended": values["ended"]}
    else:
        scores = [game.score for game in match.games]
        if possible.most_games(event, pairing) == 1 and scores:
            scores = [[sum(score[side] for score in scores) for side in (0, 1)]]
    for game, score in enumerate(scores):
        for side in (0, 1):
            initial[possible.field(event, pairing, game, side)] = score[side]
    return initial


def _from_card(event: Event, pairing: Pairing) -> dict[str, object]:
    """Return what the score card says as initial values, if it has come to its end."""
    card = cards.card_of(event, pairing, writing.lines_of(pairing))
    ended, _why = cards.ending(event, pairing, card, event.paused or timezone.now())
    if not ended:
        return {}
    ruling = cards.ruling_of(event, pairing, card, ended)
    initial: dict[str, object] = {"winner": str(ruling.winner), "ended": ended}
    initial |= {f"lone_{side}": count for side, count in enumerate(card.lone)}
    for game, score in enumerate(ruling.scores):
        for side in (0, 1):
            initial[possible.field(event, pairing, game, side)] = score[side]
    return initial


@require_POST
@refused_at("club", "slug")
def watch_house_players(request: HttpRequest, slug: str) -> HttpResponse:
    """Start a short event of house players."""
    access = club_of(request, slug, "direct")
    if access.player is None:
        raise PermissionDenied
    event = house_events.start_house_event(access.club, access.player, timezone.now())
    return SeeOther(resolve_url("event", event.pk))
