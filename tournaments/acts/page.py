"""The page of an act that asks for a reason or a remark and shows first what it will change.

What the act needs to know is chosen by a form that is sent with GET, so that a link can lead to the
page with everything chosen. The form below the changes sends the reason, the choices and the digest
of what was shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect

from games.answers import by_script
from games.models import Player
from games.people.identity import player_of
from tournaments.access import event_for
from tournaments.acts import after, previews
from tournaments.answers import SeeOther, refused
from tournaments.models import Event
from tournaments.refusals import RefusedError

if TYPE_CHECKING:
    from tournaments.acts.base import DirectorAct

#: The reason of an act while only its changes are asked for.
PREVIEW = "–"


class ReasonForm(forms.Form):
    reason = forms.CharField(
        label="Reason, read by all members",
        max_length=200,
        help_text="It appears with your name in the director’s log. At most 200 characters.",
    )


class RemarkForm(forms.Form):
    reason = forms.CharField(
        label="Remark, read by all members",
        max_length=200,
        required=False,
        help_text="If there is something to say about it. At most 200 characters.",
    )


@dataclass(frozen=True, slots=True)
class ActPage:
    """An act as its page names it.

    verb: does the act, given the reason and the time. submit_label: the button, which says what it
    does. until: when it can be undone. choice: what has to be chosen, bound once it is. stop:
    whether it takes results away. leads_to: another path once it is done. blocked_reason: why it
    cannot succeed whatever is chosen, so that nothing is asked. suggestion: when something else may
    be meant. alternatives: the words and paths of what does work then, or may be meant. hidden:
    names and values that its form repeats. find_again: where somebody else is found if it cannot be
    done. told: what else is said once it is done. said: the form of the reason, or of a remark.
    """

    title: str
    explains: str | Callable[[], str]
    submit_label: str
    done: str
    until: str
    verb: Callable[[str, datetime], object]
    choice: forms.Form | None = None
    stop: bool = False
    leads_to: str = ""
    blocked_reason: str = ""
    suggestion: str = ""
    alternatives: tuple[tuple[str, str], ...] = ()
    hidden: tuple[tuple[str, object], ...] = ()
    find_again: str = ""
    told: Callable[[], Iterable[str]] = tuple
    said: type[ReasonForm | RemarkForm] = ReasonForm
    template: str = "tournaments/console/act.html"
    shown: Mapping[str, object] = field(default_factory=dict)

    @property
    def chosen(self) -> bool:
        return self.choice is None or self.choice.is_valid()

    @property
    def picked(self) -> list[tuple[str, object]]:
        """The names and values of what was chosen."""
        values = [*self.hidden, *((one.html_name, one.value()) for one in self.choice or ())]
        return [(name, value) for name, value in values if value is not None]


def choice_in(request: HttpRequest) -> QueryDict | None:
    """Return the fields that choose what an act needs to know; None before anything is chosen."""
    fields = request.POST if request.method == "POST" else request.GET
    return fields if fields.keys() - {"found", "door"} else None


def directed(request: HttpRequest, event_id: int) -> tuple[Event, Player]:
    """Return the event and its director; raise Http404 if hidden, else PermissionDenied."""
    access = event_for(player_of(request), event_id, request.session)
    if access.player is None or not access.directs:
        raise PermissionDenied
    return access.event, access.player


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def answer(request: HttpRequest, event_id: int, act: DirectorAct, **where: int) -> HttpResponse:
    """Show the page of an act, or do the act if it changes what its page has shown.

    It leads back to where the act says, unless it was chosen for somebody found. Fields: those of
    the act's choice; `reason`; `seen`, the digest of what was shown.
    """
    event, by = directed(request, event_id)
    try:
        target = act.target(event, **where)
        page = act.page(request, event, by, target)
    except RefusedError as error:
        return refused(request, error, after.back_to(request, event))
    back = after.back_to(request, event, act.back(event, target))
    context: dict[str, object] = {"event": event, "page": page, "back": back}
    if page.blocked_reason:
        return _shown(request, page, context, 409 if request.method == "POST" else 200)
    # The console has other forms, too, with ids of their own.
    form = page.said(request.POST if request.method == "POST" else None, auto_id="act_%s")

    def do(reason: str = PREVIEW) -> object:
        return page.verb(reason, timezone.now())

    if request.method == "POST" and form.is_valid() and page.chosen:
        reason, seen = form.cleaned_data["reason"], request.POST.get("seen", "")
        try:
            row = previews.carry_out(event, lambda: do(reason), seen)
        except RefusedError as error:
            if not by_script(request):
                return refused(request, error, request.get_full_path())
            return _shown(request, page, context | {"refusal": error})
        after.say_done(request, event, page.done, row if act.undoable else None)
        for words in page.told():
            messages.success(request, words)
        return _done(request, page, back)
    context |= {"form": form, "found": after.found_in(request)}
    if page.chosen:
        try:
            context["preview"] = previews.preview(event, do)
        except RefusedError as error:
            context["refusal"] = error
    wrong = request.method == "POST" or (page.choice is not None and page.choice.errors)
    return _shown(request, page, context, 422 if wrong else 200)


def _done(request: HttpRequest, page: ActPage, back: str) -> HttpResponse:
    if not by_script(request):
        return SeeOther(page.leads_to or back)
    if page.leads_to:
        return HttpResponseClientRedirect(page.leads_to)
    return render(request, "tournaments/console/_act_done.html")


def _shown(
    request: HttpRequest, page: ActPage, context: dict[str, object], status: int = 200
) -> HttpResponse:
    """Show an act on its page, or under its table on the console, where scripts swap in no 4xx.

    One with a page of its own has no room there.
    """
    if by_script(request) and page.shown:
        return HttpResponseClientRedirect(request.get_full_path())
    if by_script(request):
        return render(request, "tournaments/console/_act_page.html", context)
    return render(request, page.template, context, status=status)


@require_POST
def press(request: HttpRequest, event_id: int, act: DirectorAct, **where: int) -> HttpResponse:
    """Do an act that asks nothing more, and say so where it was pressed."""
    event, by = directed(request, event_id)
    target = act.target(event, **where)
    back = after.back_to(request, event, act.back(event, target))
    try:
        done = act.press(request, target, by, timezone.now())
    except RefusedError as error:
        return refused(request, error, back)
    row = target.acts.filter(kind=act.kind, undone_by=None).first() if act.undoable else None
    after.say_done(request, event, done, row)
    return SeeOther(back)


def wrong_in(form: forms.Form) -> str:
    """Return what is wrong with the fields of a form in a sentence for each."""
    return " ".join(
        f"{form[name].label}: {error}" for name, errors in form.errors.items() for error in errors
    )
