"""What somebody would like to play, in words."""

from django import template

from games import rule_words
from games.engine.rules import RULE_SETS
from games.models import Pair
from games.seats import wishes

register = template.Library()


@register.simple_tag
def wish_of(pair: Pair) -> str:
    """Return the game for which a partner is asked: "Classic, 24 cards, to 5, relaxed, rated"."""
    words = [
        rule_words.brief(RULE_SETS[pair.rules]),
        wishes.pace_of(pair.turn_seconds).name.lower(),
    ]
    return ", ".join([*words, "rated"] if pair.rated else words)
