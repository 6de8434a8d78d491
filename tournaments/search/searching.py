"""Searching people, clubs and events by the beginnings of words, within what a viewer may see.

An invitation-only or closed club and its events are found by those alone who may open them, drafts
by nobody. A person whose record is private is found by themselves and by members of their clubs.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from django.contrib.sessions.backends.base import SessionBase
from django.db.models import Case, IntegerField, Q, QuerySet, Value, When
from django.db.models.functions import Concat, Lower

from games.models import Player
from tournaments.calendar import catalogue
from tournaments.events.states import UPCOMING
from tournaments.models import Club, Event, Membership
from tournaments.search.folding import Folded, fold

MAX_LENGTH: Final = 60
#: More words than this narrow no search, but cost time.
MAX_WORDS: Final = 5
#: Letters that a search needs; one is enough in scripts that write words with one sign.
MIN_LETTERS: Final = 2


class Searcher(NamedTuple):
    player: Player | None
    session: SessionBase


def words_of(text: str) -> list[str]:
    """Return the folded words of a search; none if it is too short."""
    text = text.replace("\0", "")[:MAX_LENGTH]
    words = fold(text).split()[:MAX_WORDS]
    letters = sum(len(word) for word in words)
    short = letters < MIN_LETTERS and text.isascii()
    return [] if short else words


def clubs(viewer: Searcher, words: Sequence[str]) -> QuerySet[Club]:
    """Return clubs, the best match first, then those with most members."""
    found = _matching(catalogue.clubs(viewer.player, viewer.session), Folded("name"), words)
    return found.filter(closed=None).order_by("rank", "-members", Lower("name"), "pk")


def events(viewer: Searcher, words: Sequence[str]) -> QuerySet[Event]:
    """Return events by their names and their clubs': those to come and running, then the latest."""
    text = Folded(Concat("name", Value(" "), "club__name"))
    found: QuerySet[Event] = _matching(catalogue.events(viewer.player, viewer.session), text, words)
    open_ones = When(state__in=(*UPCOMING, Event.State.RUNNING), then=Value(0))
    cancelled = When(state=Event.State.CANCELLED, then=Value(2))
    when = Case(open_ones, cancelled, default=Value(1), output_field=IntegerField())
    return found.annotate(when=when).order_by("when", "-starts", "-pk")


def people(viewer: Searcher, words: Sequence[str]) -> QuerySet[Player]:
    """Return people and programs, the best match first, then members of the viewer's clubs."""
    known = Q(user__is_active=True) | Q(demonstration=True) | Q(kind=Player.Kind.PROGRAM)
    found = Player.objects.filter(known, former=False).exclude(kind=Player.Kind.HOUSE)
    shown, near = Q(private=False), Q(pk=None)
    if viewer.player is not None:
        own = Membership.objects.filter(player=viewer.player, club__closed=None).values("club")
        near = Q(pk__in=Membership.objects.filter(club__in=own).values("player"))
        shown |= near | Q(pk=viewer.player.pk)
    far = Case(When(near, then=Value(0)), default=Value(1), output_field=IntegerField())
    matching = _matching(found.filter(shown), Folded("name"), words).annotate(far=far)
    ordered: QuerySet[Player] = matching.order_by("rank", "far", Lower("name"), "pk")
    return ordered


SEARCHES: Final[dict[str, Callable[[Searcher, Sequence[str]], QuerySet[Any]]]] = {
    "clubs": clubs,
    "events": events,
    "people": people,
}


def _matching(rows: QuerySet[Any], text: Folded, words: Sequence[str]) -> QuerySet[Any]:
    """Keep rows in whose text each word begins a word; `rank` is 0 if all of it does, in order."""
    texts: QuerySet[Any] = rows.annotate(folded=text)
    for word in words:
        texts = texts.filter(folded__contains=f" {word}")
    whole = " " + " ".join(words)
    rank = Case(
        When(folded=whole, then=Value(0)),
        When(folded__startswith=whole, then=Value(1)),
        default=Value(2),
        output_field=IntegerField(),
    )
    ranked: QuerySet[Any] = texts.annotate(rank=rank)
    return ranked
