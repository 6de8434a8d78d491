"""The list of the published rule sets, and the page of each."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games import rule_words
from games.engine.rules import RULE_SETS
from games.guide.rule_pages import page_of


@require_safe
def rules(request: HttpRequest) -> HttpResponse:
    sets = [
        {
            "key": rules.key,
            "name": rules.name,
            "goal": rule_words.goal(rules),
            "facts": rule_words.facts(rules),
            "points": rule_words.points(rules),
            "whole": True,
        }
        for rules in RULE_SETS.values()
    ]
    return render(request, "games/guide/rules.html", {"rule_sets": sets})


@require_safe
def rule_set(request: HttpRequest, name: str) -> HttpResponse:
    if name not in RULE_SETS:
        raise Http404("There is no such game.")
    others = [rules for rules in RULE_SETS.values() if rules.key != name]
    context = {"page": page_of(RULE_SETS[name]), "others": others}
    return render(request, "games/guide/rule_set.html", context)
