"""The shapes in which the pages and verbs of clubs and events answer."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from games import answers
from games.answers import SeeOther, by_script, typed
from tournaments.refusals import RefusedError

__all__ = ["SeeOther", "account_needed", "by_script", "refused", "typed"]


def refused(request: HttpRequest, error: RefusedError, back: str) -> HttpResponse:
    """Answer a verb that was not done, as `games.answers.refused` does.

    back: the path of a page that has its form.
    """
    return answers.refused(request, error.message, error.status, back, error.remedy)


def account_needed(request: HttpRequest, what: str, back: str) -> HttpResponse:
    """Answer a guest or visitor who asks for something that only an account can have.

    what: what needs the account, as the start of a sentence: "Joining a club". back: the path
    that logging in or signing up leads to.
    """
    if by_script(request):
        text = f"{what} needs an account: sign up or log in."
        return HttpResponse(text, status=403, content_type="text/plain")
    context = {"what": what, "back": back}
    return render(request, "tournaments/account_needed.html", context, status=403)
