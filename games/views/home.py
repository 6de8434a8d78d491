"""The home page and the page that explains the rule sets."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games import rule_words
from games.engine.rules import RULE_SETS
from games.services import lobby
from games.services.identity import player_of

LIVE_TABLES = 4


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Show what a visitor can do now: his seats, a game at once, tables to watch, his results."""
    player = player_of(request)
    yours = lobby.your_tables(player)
    own = {line.table_id for line in yours}
    running = lobby.running_tables(player, most=LIVE_TABLES + lobby.MOST_OWN)
    context = {
        "yours": yours,
        "live": [line for line in running if line.table_id not in own][:LIVE_TABLES],
        "results": lobby.results_of(player),
        "rule_sets": [(key, rule_words.brief(rules)) for key, rules in RULE_SETS.items()],
    }
    return render(request, "games/home.html", context)


@require_safe
def rules(request: HttpRequest) -> HttpResponse:
    """Explain each published rule set from its data."""
    sets = [
        {
            "key": rules.key,
            "name": rules.name,
            "goal": rule_words.goal(rules),
            "facts": rule_words.facts(rules),
            "points": rule_words.points(rules),
        }
        for rules in RULE_SETS.values()
    ]
    return render(request, "games/rules.html", {"rule_sets": sets})
