"""The list of the published rule sets, and the page of each."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.views.decorators.http import require_http_methods, require_safe

from games import rule_words
from games.engine.rules import RULE_SETS
from games.guide.examples import examples_of
from games.guide.rule_pages import page_of
from games.lessons import asking
from games.picture.phrases import NUMBERS

_NUMBERS = (*NUMBERS, "seven", "eight", "nine", "ten", "eleven", "twelve")


@require_safe
def rules(request: HttpRequest) -> HttpResponse:
    sets = [
        {
            "key": rules.key,
            "name": rules.name,
            "goal": rule_words.goal(rules),
            "about": rule_words.ABOUT.get(rules.key, ""),
            "facts": rule_words.facts(rules),
            "points": rule_words.points(rules),
            "whole": True,
        }
        for rules in RULE_SETS.values()
    ]
    context = {"rule_sets": sets, "number": _NUMBERS[len(sets)]}
    return render(request, "games/guide/rules.html", context)


@require_safe
def rule_set(request: HttpRequest, name: str) -> HttpResponse:
    if name not in RULE_SETS:
        raise Http404("There is no such game.")
    others = [rules for rules in RULE_SETS.values() if rules.key != name]
    context = {"page": page_of(RULE_SETS[name]), "others": others}
    return render(request, "games/guide/rule_set.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def rule_example(request: HttpRequest, name: str, example: str) -> HttpResponse:
    """Ask an example of a rule set; take an answer (`action`, `alone`) by POST."""
    examples = examples_of(RULE_SETS[name]) if name in RULE_SETS else ()
    number = next((at for at, one in enumerate(examples) if one.slug == example), None)
    if number is None:
        raise Http404("There is no such example.")
    found, here = examples[number], resolve_url("rule_example", name, example)
    if request.method == "POST":
        return asking.reply(request, asking.given(request, found.step), here)
    following = examples[number + 1] if number + 1 < len(examples) else None
    context = {
        "rules": RULE_SETS[name],
        "example": found,
        "place": number + 1,
        "places": len(examples),
        "following": following,
        **asking.asked(request, found.step, here),
    }
    return render(request, "games/guide/example.html", context)
