"""The submitted values of a refused form, to fill it in again."""

from django import template
from django.template import Context

from games.answers import typed as typed_into

register = template.Library()


@register.simple_tag(takes_context=True)
def typed(context: Context, path: str, field: str, otherwise: str = "") -> str:
    request = context.get("request")
    fields = typed_into(request, path) if request is not None else None
    return otherwise if fields is None else fields.get(field, otherwise)
