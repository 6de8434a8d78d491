"""People on a club's list: who is meant by a name, and as which player they play every night."""

from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet

from games.models import Player
from games.people.identity import checked_name
from tournaments.models import Club, Event, ListedName
from tournaments.refusals import RefusedError


def named(club: Club, text: str) -> ListedName | None:
    """Return the person of exactly this name on a club's list; None if there is nobody.

    Raises RefusedError ``several``, 422, if more than one has it.
    """
    rows = club.listed_names.filter(name__iexact=" ".join(text.split()))
    found = {row.pk: row for row in map(person_of, rows.select_related("joined_to"))}
    if len(found) > 1:
        words = f"Several people on the club’s list are called {text}: choose one of them there."
        raise RefusedError("several", words, 422)
    return next(iter(found.values()), None)


def person_of(row: ListedName) -> ListedName:
    """Return the line that a line has been joined to, or itself."""
    return row.joined_to or row


def lines_of(row: ListedName) -> QuerySet[ListedName]:
    """Return a person's line and those that were joined to it."""
    return ListedName.objects.filter(Q(pk=row.pk) | Q(joined_to=row))


def held(row: ListedName) -> ListedName:
    """Return a person's line as stored and lock it, so that nobody claims or joins it meanwhile.

    Raises RefusedError ``no name``, 404, if it was taken off the list.
    """
    rows = ListedName.objects.select_for_update(of=("self",))
    found = rows.filter(pk=row.pk).first()
    if found is None:
        raise RefusedError("no name", f"{row.name} is no longer on the club’s list.", 404)
    return held(found.joined_to) if found.joined_to else found


def plays_as(row: ListedName, name: str) -> Player:
    """Return the player of a person on paper, made before their first night; the line is `held`."""
    if row.plays_as is None:
        row.plays_as = Player.objects.create(name=name)
        row.save(update_fields=["plays_as"])
    return row.plays_as


def is_in(event: Event, player: Player | None) -> bool:
    return event.entered_players.filter(player=player, active=True).exists()


def tidy_name(text: str) -> str:
    """Return a name as players have them; raise RefusedError ``name``, 422."""
    try:
        return checked_name(text)
    except ValidationError as error:
        raise RefusedError("name", " ".join(error.messages), 422) from error
