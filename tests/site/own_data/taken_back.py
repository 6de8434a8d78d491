"""A round that a director took back, whose rows have names of that director in their texts."""

from django.utils import timezone

from games.models import Player
from tests.tournaments import build
from tests.tournaments.build import ruled
from tests.tournaments.console.first_round import running
from tournaments.acts import correcting, drawing_again
from tournaments.models import Act, Event, Membership, RatingHold, ScoreLine


def taken_back(by: Player, other: Player) -> Act:
    """Correct, dispute and judge a match, and take its round back."""
    now, club = timezone.now(), build.club()
    for one in (by, other):
        build.joined(club, one, Membership.Role.DIRECTOR)
    event = running(other, 8, place=Event.Place.ROOM, format="progressive")
    match = build.latest(event).pairings.order_by("number")[0]
    correcting.set_result(match, by, ruled(0, (5, 3)), reason="", now=now)
    correcting.set_result(match, by, ruled(0, (5, 4)), reason=f"{by.name} misread.", now=now)
    ScoreLine.objects.create(
        pairing=match, key="key-1", kind="dispute", side=0, player=by, said=f"{by.name} asks.",
        address="a1b2",
    )  # fmt: skip
    RatingHold.objects.create(
        pairing=match, reason="club", by=by, found=f"Asked by {by.name}", words=f"So says {by.name}"
    )
    drawing_again.take_back(
        event, by, 1, reason=f"{by.name} saw it.", override=True, now=timezone.now()
    )
    return event.acts.get(kind=Act.Kind.TAKE_BACK)
