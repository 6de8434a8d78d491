"""An event whose first round is being played, its results, and the end of a round."""

from games.models import Player
from tests.tournaments import build
from tests.tournaments.build import NOON, ruled
from tournaments.acts import correcting
from tournaments.models import Act, Event, Pairing


def running(ada: Player, players: int = 8, **fields: object) -> Event:
    """An event of Ada's club whose first round is being played."""
    event = build.event(ada.memberships.get().club, **{"rounds": 3, "round_minutes": 20, **fields})
    build.enter(event, players)
    build.begin(event)
    build.arrive(event)
    build.step(event, NOON)
    return event


def first_table(event: Event) -> Pairing:
    return build.latest(event).pairings.get(number=1)


def set_result(event: Event, by: Player, winner: int = 0, match: Pairing | None = None) -> Act:
    """Set the result of a match, of the first table unless it is said."""
    score = (5, 3) if winner == 0 else (3, 5)
    match = match or first_table(event)
    correcting.set_result(match, by, ruled(winner, score), reason="So it was.", now=NOON)
    return event.acts.latest("pk")


def end_round(event: Event) -> None:
    """Let all games of the present round end, and draw the next."""
    for pairing in build.latest(event).pairings.filter(state=Pairing.State.PLAYING):
        build.win(pairing, 0, (5, 2))
    build.step(event, NOON)
