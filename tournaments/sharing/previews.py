"""Previews of links to clubs, events and their results.

They are made for readers without an account: clubs by invitation, closed ones and drafts have none.
"""

from django.urls import reverse

from games.sharing.pictures import Card
from games.sharing.previews import LinkPreview
from tournaments.events import event_words
from tournaments.events.timetable import start_in_words
from tournaments.models import Club, Event
from tournaments.standings.winners import names_of, outcomes_of
from tournaments.templatetags.clubs import emblem


def is_everybodys(club: Club) -> bool:
    """Return whether visitors may see a club."""
    return club.closed is None and club.joining != Club.Joining.INVITATION


def of_club(club: Club) -> LinkPreview | None:
    if not is_everybodys(club):
        return None
    members = club.memberships.count()
    count = f"{members} member{'' if members == 1 else 's'} · {club.get_joining_display()}"
    about = " ".join(club.about.split())
    lines = ("Euchre club", count, *([about[:160]] if about else []))
    path, picture = (reverse(name, args=[club.slug]) for name in ("club", "club_picture"))
    return LinkPreview(Card(club.name, lines, emblem(club)), path, picture)


def of_event(event: Event, path: str = "") -> LinkPreview | None:
    """Return the preview of an event, or of its page at `path`; event: with its club."""
    if event.state == Event.State.DRAFT or not is_everybodys(event.club):
        return None
    winners = names_of(outcomes_of([event])).get(event.pk, "")
    if event.state == Event.State.FINISHED:
        last = f"Won by {winners}" if winners else "Finished"
    elif event.state == Event.State.CANCELLED:
        last = "Cancelled"
    elif event.started is not None:
        last = "Being played"
    else:
        last = start_in_words(event)
    lines = (event.club.name, last, event_words.game_in_words(event))
    card = Card(event.name, tuple(line for line in lines if line), emblem(event.club))
    own = reverse("event", args=[event.pk])
    return LinkPreview(card, path or own, reverse("event_picture", args=[event.pk]))
