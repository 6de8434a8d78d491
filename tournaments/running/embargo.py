"""Reviews of an event's games wait until the whole event is over.

A review tells players how they and the others decide, which would help them in later rounds.
"""

from typing import Any, Final

from django.dispatch import receiver

from games.models import Game
from games.review import embargo
from tournaments.models import Event, Pairing

#: States of an event in which nobody plays any more.
OVER: Final = (Event.State.FINISHED, Event.State.CANCELLED)


@receiver(embargo.asked)
def wait_for_the_event(game: Game, **_kwargs: Any) -> str:
    match = Pairing.objects.filter(table=game.table_id).select_related("round__event").first()
    if match is None or match.round.event.state in OVER:
        return ""
    return f"The review opens when {match.round.event.name} is over."
