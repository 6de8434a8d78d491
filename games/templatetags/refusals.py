"""What was typed into a form that has been refused, for the page it stands on."""

from django import template
from django.template import Context

from games.answers import typed as typed_into

register = template.Library()


@register.simple_tag(takes_context=True)
def typed(context: Context, path: str, field: str, otherwise: str = "") -> str:
    """Return what was typed into a field of the form sent to `path`, if that was just refused.

    otherwise: what the field begins with when nothing was.
    """
    request = context.get("request")
    fields = typed_into(request, path) if request is not None else None
    return otherwise if fields is None else fields.get(field, otherwise)
