"""The page of an act that asks for a reason and shows first what it will change.

What the act needs to know is chosen by a form that is sent with GET, so that a link can lead to the
page with everything chosen. The form below the changes sends the reason, the choices and the digest
of what was shown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from tournaments.answers import SeeOther, refused
from tournaments.directing import previews
from tournaments.directing.forms import ReasonForm
from tournaments.models import Event
from tournaments.refusals import RefusedError

#: The reason of an act while only its changes are asked for.
PREVIEW = "–"


@dataclass(frozen=True, slots=True)
class ActPage:
    """An act as its page names it.

    verb: does the act, given the reason. deed: the button, which says what it does. until: when it
    can be undone. choice: what has to be chosen, bound once it is. stop: whether it takes results
    away. back: the path of the page that it returns to. never: why it cannot succeed whatever is
    chosen, so that nothing is asked. instead: the words and paths of what does work then.
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
    never: str = ""
    instead: tuple[tuple[str, str], ...] = ()

    @property
    def chosen(self) -> bool:
        return self.choice is None or self.choice.is_valid()

    @property
    def picked(self) -> list[tuple[str, str]]:
        """The names and values of what was chosen."""
        values = [(one.html_name, one.value()) for one in self.choice or ()]
        return [(name, value) for name, value in values if value is not None]


def answer(request: HttpRequest, event: Event, page: ActPage) -> HttpResponse:
    """Show the page of an act, or do the act if it changes what its page has shown.

    Field `seen`: the digest of what was shown.
    """
    if page.never:
        status = 409 if request.method == "POST" else 200
        context: dict[str, object] = {"event": event, "page": page}
        return render(request, "tournaments/directing/act.html", context, status=status)
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid() and page.chosen:
        reason = form.cleaned_data["reason"]
        try:
            previews.carry_out(event, lambda: page.verb(reason), request.POST.get("seen", ""))
        except RefusedError as error:
            return refused(request, error, request.get_full_path())
        messages.success(request, page.done)
        return SeeOther(page.back)
    context = {"event": event, "page": page, "form": form}
    if page.chosen:
        try:
            context["preview"] = previews.preview(event, lambda: page.verb(PREVIEW))
        except RefusedError as error:
            context["refusal"] = error
    wrong = request.method == "POST" or (page.choice is not None and page.choice.errors)
    return render(request, "tournaments/directing/act.html", context, status=422 if wrong else 200)
