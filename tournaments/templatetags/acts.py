"""What directors find, links to their acts on it, and the parts of their console."""

import hashlib
import re

from django import template
from django.template import Context
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from tournaments import family_names
from tournaments.search.folding import fold
from tournaments.search.searching import words_of

register = template.Library()

#: What changes on a clock by itself: `manage.js` counts on from what the page was sent.
_CLOCK = re.compile(
    r' data-left="[^"]*" data-share="[^"]*"| stroke-dasharray="[^"]*"'
    r'|<time datetime="PT[^"]*" role="timer">[^<]*'
)
#: Line breaks and indents of templates.
_SPACES = re.compile(r"\s+")


@register.simple_block_tag(takes_context=True)
def part(
    context: Context,
    content: str,
    key: str,
    *,
    tag: str = "div",
    attributes: str = "",
    stamp: str = "",
) -> SafeString:
    """Return a part of a page that is sent again only if it has changed, as an element.

    key: its id. attributes: further ones, as HTML. stamp: what changes with it; without one it is a
    digest of the content. It is noted in `parts` of the context, if that is there.
    """
    content = _SPACES.sub(" ", content).strip()
    digest = hashlib.sha256(f"{attributes} {_CLOCK.sub('', content)}".encode())
    stamp = stamp or digest.hexdigest()[:8]
    element = mark_safe(f'<{tag} id="{key}" data-stamp="{stamp}"{attributes}>{content}</{tag}>')  # noqa: S308 - the content is rendered, the rest named by templates
    if "parts" in context:
        context["parts"][key] = (stamp, element)
    return element


register.filter(family_names.listed)
register.filter(family_names.split_name)


@register.filter
def marked(name: str, searched: str) -> SafeString:
    """Return a name with the beginnings of words that a search was for marked."""
    words = words_of(searched)
    return format_html_join(" ", "{}", ((_marked(one, words),) for one in name.split(" ")))


def _marked(name: str, words: list[str]) -> SafeString:
    """Return one word of a name; the longest word of the search that it begins with is marked."""
    folded = fold(name).lstrip()
    longest = max((len(word) for word in words if folded.startswith(word)), default=0)
    if not longest:
        return format_html("{}", name)
    # Letters such as "ß" fold to two, and accents to none.
    ends = (end for end in range(1, len(name) + 1) if len(fold(name[:end]).lstrip()) >= longest)
    end = next(ends, len(name))
    return format_html("<mark>{}</mark>{}", name[:end], name[end:])
