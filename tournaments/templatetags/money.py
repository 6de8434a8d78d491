"""Amounts of money in templates."""

from django import template

from tournaments import prize_money
from tournaments.models import Event

register = template.Library()


@register.filter
def money(amount: int, event: Event) -> str:
    """Format an amount in an event's currency, without its name: "5.00"."""
    return prize_money.amount_in_words(amount, event.currency)


@register.filter
def terms_words(event: Event) -> str:
    """Return where the money of an entry goes."""
    return prize_money.terms_in_words(event.terms, event.currency)


@register.filter
def prizes_words(event: Event) -> str:
    """Return the prizes by place: "50%; 30%; 20%"."""
    return prize_money.prizes_in_words(event.terms.prizes, event.currency)
