"""Players without an account, entered by a name only; they play in the room."""

from collections.abc import Iterable, Sequence

from django.core.exceptions import ValidationError

from games.models import Player
from games.people.identity import checked_name
from tournaments.models import Event, WalkIn
from tournaments.refusals import RefusedError


def made(event: Event, people: Sequence[Player | str]) -> list[Player]:
    """Return the players of an entry; a name among them becomes a walk-in of the event.

    Raises RefusedError ``online`` or ``house`` if the event can have none, ``name``, 422, or
    ``taken`` if somebody in the event has the name.
    """
    return [one if isinstance(one, Player) else _walk_in(event, one) for one in people]


def _walk_in(event: Event, text: str) -> Player:
    if event.place == Event.Place.ONLINE:
        words = (
            "This event is played online, where everybody needs an account and a browser. Walk-ins"
            " play in the room only."
        )
        raise RefusedError("online", words)
    if event.sit_out == Event.SitOut.HOUSE or event.entries.filter(house=True).exists():
        words = (
            "House players play in this event. They sit online only and walk-ins in the room only,"
            " so nobody could seat them together."
        )
        raise RefusedError("house", words)
    try:
        name = checked_name(text)
    except ValidationError as error:
        raise RefusedError("name", " ".join(error.messages), 422) from error
    if event.entered_players.filter(player__name__iexact=name).exists():
        words = f"Somebody called {name} is in the event already: add a letter or a surname."
        raise RefusedError("taken", words)
    player = Player.objects.create(name=name)
    WalkIn.objects.create(event=event, player=player)
    return player


def check_online(event: Event, players: Iterable[Player]) -> None:
    """Raise RefusedError if one of these is a walk-in and cannot play online."""
    walk_in = event.walk_ins.filter(player__in=players).select_related("player").first()
    if walk_in is not None:
        name = walk_in.player.name
        words = f"{name} has no account, so {name} plays at tables in the room only."
        raise RefusedError("walk-in", words)


def check_house(event: Event) -> None:
    """Raise RefusedError if there are walk-ins, whom house players cannot meet."""
    if event.walk_ins.filter(player__entries__event=event).exists():
        words = "Walk-ins play in this event: they sit in the room only and house players online."
        raise RefusedError("walk-in", words)
