"""Players: who they are, and what everybody may know of them."""

from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Field, Router, Schema

from games.api.callers import ApiRequest
from games.api.people import PlayerRef, ref_of
from games.models import Player
from games.records.reading import shows_record
from tournaments.access import clubs_shown
from tournaments.models import Trophy
from tournaments.ratings.api import PlayerRating, rating_out

router = Router(tags=["Players"])


class ClubRef(Schema):
    """A club."""

    slug: str
    name: str


class TrophyOut(Schema):
    """A prize of honour: one of the first three places of an event."""

    event: int
    name: str
    place: int
    entrants: int


class PlayerOut(Schema):
    """A player; of one who keeps his record private no more than his name."""

    player: PlayerRef
    private: bool
    owner: PlayerRef | None = Field(description="Whose program it is.")
    country: str = Field(description="ISO 3166, or empty.")
    clubs: list[ClubRef] = Field(description="Those of the player’s that you may see.")
    ratings: list[PlayerRating]
    trophies: list[TrophyOut] = Field(description="The newest first.")


@router.get("{int:player_id}", response=PlayerOut)
def player(request: ApiRequest, player_id: int) -> PlayerOut:
    """A player."""
    found = get_object_or_404(Player.objects.select_related("owner"), pk=player_id)
    told = PlayerOut(
        player=ref_of(found),
        private=found.private,
        owner=ref_of(found.owner) if found.owner else None,
        country="",
        clubs=[],
        ratings=[],
        trophies=[],
    )
    if shows_record(found, request.auth.player):
        now = timezone.now()
        shown = clubs_shown(request.auth.player, request.auth.session)
        trophies = Trophy.objects.filter(player=found, event__club__in=shown)
        told.country = found.country
        told.clubs = [
            ClubRef(slug=club.slug, name=club.name)
            for club in shown.filter(memberships__player=found)
        ]
        told.ratings = [
            rating_out(rating, now)
            for rating in found.ratings.select_related("pool").order_by("pool__key")
        ]
        told.trophies = [
            TrophyOut(
                event=one.event_id, name=one.event.name, place=one.place, entrants=one.entrants
            )
            for one in trophies.select_related("event").order_by("-event__starts", "-event")
        ]
    return told
