"""The page of an act that asks for a reason or a remark and shows first what it will change.

What the act needs to know is chosen by a form that is sent with GET, so that a link can lead to the
page with everything chosen. The form below the changes sends the reason, the choices and the digest
of what was shown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django import forms
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render

from tournaments.answers import SeeOther, refused
from tournaments.directing import after_acts, previews
from tournaments.directing.forms import ReasonForm, RemarkForm
from tournaments.models import Event
from tournaments.refusals import RefusedError

#: The reason of an act while only its changes are asked for.
PREVIEW = "–"


@dataclass(frozen=True, slots=True)
class ActPage:
    """An act as its page names it.

    verb: does the act, given the reason. deed: the button, which says what it does. until: when it
    can be undone. choice: what has to be chosen, bound once it is. stop: whether it takes results
    away. back: the path of the page that it returns to, unless it was chosen for somebody found.
    leads_to: another path once it is done. never: why it cannot succeed whatever is chosen, so that
    nothing is asked. rather: when something else may be meant. instead: the words and paths of what
    does work then, or may be meant. said: the form of the reason, or of a remark.
    """

    title: str
    explains: str
    deed: str
    done: str
    until: str
    verb: Callable[[str], None]
    back: str
    choice: forms.Form | None = None
    stop: bool = False
    leads_to: str = ""
    never: str = ""
    rather: str = ""
    instead: tuple[tuple[str, str], ...] = ()
    said: type[ReasonForm | RemarkForm] = ReasonForm

    @property
    def chosen(self) -> bool:
        return self.choice is None or self.choice.is_valid()

    @property
    def picked(self) -> list[tuple[str, str]]:
        """The names and values of what was chosen."""
        values = [(one.html_name, one.value()) for one in self.choice or ()]
        return [(name, value) for name, value in values if value is not None]


def choice_in(request: HttpRequest) -> QueryDict | None:
    """Return the fields that choose what an act needs to know; None before anything is chosen."""
    fields = request.POST if request.method == "POST" else request.GET
    return fields if fields.keys() - {"found"} else None


def answer(request: HttpRequest, event: Event, page: ActPage) -> HttpResponse:
    """Show the page of an act, or do the act if it changes what its page has shown.

    Field `seen`: the digest of what was shown.
    """
    back = after_acts.back_to(request, event, page.back)
    context: dict[str, object] = {"event": event, "page": page, "back": back}
    if page.never:
        status = 409 if request.method == "POST" else 200
        return render(request, "tournaments/directing/act.html", context, status=status)
    form = page.said(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid() and page.chosen:
        reason = form.cleaned_data["reason"]
        try:
            act = previews.carry_out(event, lambda: page.verb(reason), request.POST.get("seen", ""))
        except RefusedError as error:
            return refused(request, error, request.get_full_path())
        after_acts.say_done(request, event, page.done, act)
        return SeeOther(page.leads_to or back)
    context |= {"form": form, "found": after_acts.found_in(request)}
    if page.chosen:
        try:
            context["preview"] = previews.preview(event, lambda: page.verb(PREVIEW))
        except RefusedError as error:
            context["refusal"] = error
    wrong = request.method == "POST" or (page.choice is not None and page.choice.errors)
    return render(request, "tournaments/directing/act.html", context, status=422 if wrong else 200)
