"""Games that stay as they are, because their result may still be objected to."""

from django.db.models import Exists, OuterRef, Q

from games.records import archiving
from tournaments.events.states import OVER
from tournaments.models import FairPlayMatter, Pairing, RatingHold


def contested() -> Q:
    """Return the condition that a game's event goes on, or a case about it is open.

    To be used in a query of games.
    """
    matters = FairPlayMatter.objects.filter(games=OuterRef("pk"), closed=None)
    matches = Pairing.objects.filter(table=OuterRef("table"))
    played_on = matches.exclude(round__event__state__in=OVER)
    holds = RatingHold.objects.filter(state=RatingHold.State.WAITING)
    held = holds.filter(game=OuterRef("pk"))
    held_match = holds.filter(pairing__table=OuterRef("table"))
    return Q(Exists(matters)) | Q(Exists(played_on)) | Q(Exists(held)) | Q(Exists(held_match))


archiving.wait_while(contested)
