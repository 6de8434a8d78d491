"""Responses shared by the views of clubs and events."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from games import answers
from games.answers import SeeOther, by_script, refused_at, typed
from tournaments.refusals import RefusedError

__all__ = ["SeeOther", "account_needed", "by_script", "refused", "refused_at", "typed"]


def refused(request: HttpRequest, error: RefusedError, back: str) -> HttpResponse:
    """Answer a refused action, like `games.answers.refused`; back: the path of the form's page."""
    return answers.refused(request, error.message, error.status, back, error.remedy)


def account_needed(request: HttpRequest, what: str, back: str) -> HttpResponse:
    """Answer a guest or visitor that an account is needed; `what` starts the sentence."""
    if by_script(request):
        text = f"{what} needs an account: sign up or log in."
        return HttpResponse(text, status=403, content_type="text/plain")
    context = {"what": what, "back": back}
    return render(request, "tournaments/account_needed.html", context, status=403)
