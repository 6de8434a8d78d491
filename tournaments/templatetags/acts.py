"""What directors find, and links to their acts on it."""

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from tournaments import family_names
from tournaments.acts import after
from tournaments.search.folding import fold
from tournaments.search.searching import words_of

register = template.Library()


@register.filter
def returning(path: str, found: object) -> str:
    """Return the path of an act that leads back to the people found by these words, if any."""
    return after.returning(path, str(found or ""))


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
