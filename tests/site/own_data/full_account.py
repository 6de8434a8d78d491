"""An account with rows in every relation: Maeve's, whose names can be searched for."""

from datetime import timedelta
from typing import Any, NamedTuple

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.apps import apps
from django.db.models import JSONField, TextField
from django.db.models.fields import CharField
from django.test import Client
from django.utils import timezone

from games.models import (
    About,
    Avoidance,
    Ban,
    Contribution,
    Friendship,
    Game,
    Invitation,
    LastHere,
    Mute,
    Player,
    Proposal,
    Puzzle,
    PuzzleProgress,
    QuietHours,
    Report,
    Sanction,
    Scope,
    SeatRequest,
    Seeker,
    SeenFrom,
    Shuffle,
    SolvedStep,
    Table,
    TalkLine,
    TalkReport,
    Trace,
    User,
)
from games.people import identity
from games.programs import programs, tokens
from games.shuffle import shared
from tests.factories import PASSWORD, member, play_out, table
from tests.tournaments import build
from tournaments.acts import message_to_all
from tournaments.clubs import clubs, members
from tournaments.entering import entering
from tournaments.models import (
    Club,
    Correction,
    DailyDeal,
    DailyReminder,
    Entry,
    Event,
    FairPlayAct,
    FairPlayMatter,
    FairPlayMeasure,
    FeedKey,
    Letter,
    Membership,
    Pairing,
    Rating,
    RatingChange,
    RatingHold,
    ScoreLine,
    Trophy,
)
from tournaments.seasons import divisions, seasons, teams
from tournaments.seasons.rule import Rule
from tournaments.seasons.teams import WantedTeam
from tournaments.webhooks import webhooks

BEFORE, NAME = "Brigid Byrne", "Maeve Moran"
ADDRESS = "maeve.moran@example.org"


class Life(NamedTuple):
    """Maeve's account, and what belongs to it.

    ben owns the club, in which Maeve directs. past, coming: a finished and an upcoming event of
    the club. game: a finished game of no event.
    """

    maeve: Player
    ben: Player
    club: Club
    past: Event
    coming: Event
    game: Game


def named(name: str, address: str) -> Player:
    """Make a member with a confirmed address."""
    user = User.objects.create_user(address, PASSWORD)
    EmailAddress.objects.create(user=user, email=address, verified=True, primary=True)
    return Player.objects.create(name=name, user=user)


def _on_record(past: Event, maeve: Player) -> None:
    """Let Maeve correct, dispute and judge the first match of an event."""
    match = Pairing.objects.filter(round__event=past)[0]
    Correction.objects.create(
        pairing=match, by=maeve, before={}, after={}, reason=f"{NAME} counted again."
    )
    ScoreLine.objects.create(
        pairing=match, key="key-1", kind="dispute", side=0, player=maeve, said=f"{NAME} miscounted."
    )
    RatingHold.objects.create(
        pairing=match,
        reason="few",
        found="21 matches",
        by=maeve,
        state="passed",
        words=f"{NAME} knows them.",
    )


def _list_and_calendar(of: Club, who: Player) -> None:
    """Put somebody on a club's list, and another name by them; they chose notifications."""
    FeedKey.objects.create(player=who)
    who.notification_choices.create(kind="day_before", way="mail", on=False)
    who.push_devices.create(endpoint="https://example.com/", p256dh="p", auth="a", name="Chrome")
    QuietHours.objects.create(player=who, starts="22:30", ends="07:30", zone="Europe/Dublin")
    deals, now = shared.make_for_solo_tables(timezone.now()), timezone.now()
    daily = DailyDeal.objects.create(
        day="2026-03-01", opens=now - timedelta(days=1), closes=now, closed=now, deals=deals
    )
    daily.tries.create(player=who, points=[1, -1, 2, 1], ended=True, percents=[50] * 4, percent=50)
    DailyReminder.objects.create(player=who, hour=18, zone="Europe/Dublin", due=now)
    of.listed_names.create(name=NAME, email="m@example.com", player=who)
    of.listed_names.create(name="Somebody", added_by=who)
    of.past_results.create(day="2019-05-04", event="Spring", place=1, player=who, added_by=who)


def _more_of_a_club(club: Club, maeve: Player) -> None:
    """Let Maeve announce something, and change how a season counts."""
    now = timezone.now()
    clubs.announce(club, maeve, f"{NAME} writes", f"Yours, {NAME}.", now)
    season = seasons.make(club, name="Today", first_day=now.date(), last_day=now.date())
    seasons.set_rule(season, Rule(best=8), maeve)
    divisions.set_up(season, ["First"], 0, maeve)
    divisions.place(season, {maeve.pk: season.divisions.get().pk}, maeve)
    teams.set_up(season, [WantedTeam("Wheel", (maeve,), ())], 4, maeve)


def _make_friends(maeve: Player, earlier: Player) -> None:
    """Let Maeve be the friend of an earlier player, and ask a later one."""
    later = Player.objects.create(name="Later")
    Friendship.objects.create(low=maeve, high=later, low_asked=True)
    LastHere.objects.create(player=maeve, at=timezone.now())
    Friendship.objects.create(low=earlier, high=maeve, low_asked=True, agreed=timezone.now())


def _look_for_a_seat(maeve: Player, other: Table) -> None:
    """Let her ask for a seat, look for a quick game, and be seen at a table."""
    SeatRequest.objects.create(table=other, player=maeve, position=1)
    SeatRequest.objects.create(table=other, player=other.host, position=2)
    game = {"rules": "classic-24", "turn_seconds": 45}
    Seeker.objects.create(player=maeve, due=timezone.now(), **game)
    TalkLine.objects.create(table=other, channel="players", player=maeve, words=f"{NAME} here")
    Sanction.objects.create(player=maeve, reason="Rude", by_name="Opal")
    Mute.objects.create(by=maeve, other=other.host)
    Mute.objects.create(by=other.host, other=maeve)
    TalkReport.objects.create(
        player=maeve, reporter=other.host, reason="rude", table=other, line=1,
        lines=[{"line": 1, "player": maeve.pk, "words": "Hello"}],
    )  # fmt: skip
    TalkReport.objects.create(player=other.host, reporter=maeve, reason="rude", table=other, line=2)
    Avoidance.objects.create(by=maeve, other=other.host)
    Avoidance.objects.create(by=other.host, other=maeve)
    for by, to in ((maeve, other.host), (other.host, maeve)):
        Invitation.objects.create(table=other, by=by, to=to, until=timezone.now())
    Trace.objects.create(table=other, player=maeve, kind="session", digest="d1")
    SeenFrom.objects.create(table=other, player=maeve, digest="d2")


def _learn(maeve: Player) -> None:
    assert maeve.user is not None
    SolvedStep.objects.create(user=maeve.user, lesson="bowers", number=1)
    PuzzleProgress.objects.create(user=maeve.user, attempts={"7": [1, True, False]}, best=4)


def _ways_in(of: Player) -> None:
    Authenticator.objects.create(user=of.user, type="totp", data={"secret": "s3cret"})
    SocialAccount.objects.create(user=of.user, provider="google", uid="1234")


def live() -> Life:
    """Let Maeve, formerly Brigid, do everything that stores a row."""
    now = timezone.now()
    earlier = Player.objects.create(name="Earlier")
    maeve, ben = named(BEFORE, ADDRESS), member("Ben")
    _make_friends(maeve, earlier)
    club = build.club()
    build.joined(club, ben, Membership.Role.OWNER)
    build.joined(club, maeve, Membership.Role.DIRECTOR)
    others = [member(name) for name in ("Iris", "Jonah")]
    past = build.rated(maeve, ben, *others, of=club, created_by=maeve)
    message_to_all.post_message(
        build.event(club, name="Old", created_by=maeve), maeve, f"{BEFORE} brings tea.", now
    )
    Player.objects.filter(pk=maeve.pk).update(created=now - timedelta(days=900))
    maeve.refresh_from_db()
    identity.rename(maeve, NAME)
    _more_of_a_club(club, maeve)
    coming = build.event(
        club, name="Next", capacity=4, minimum=4, created_by=ben,
        starts=now + timedelta(days=1), registration_closes=now + timedelta(days=1),
    )  # fmt: skip
    for who in (maeve, ben, *others):
        entering.register(coming, who, now)
    entering.register(coming, member("Silas"), now)
    webhooks.make(club, "https://example.org/euchre")
    webhooks.event_finished(past, now)
    assert maeve.user
    Ban.objects.create(user=maeve.user, reason="Words", by_name="Opal", lifted=now)
    for who, whom in ((maeve, ben), (ben, maeve)):
        Report.objects.create(
            reporter=who, about=About.PLAYER, about_id=whom.pk, about_name=whom.name, reason="other"
        )
        matter = club.fair_play_matters.create(
            player=whom, opened_by=who, kind=FairPlayMatter.Kind.CLOCK, sign="one",
            said=f"{whom.name} took long.",
        )  # fmt: skip
        matter.acts.create(
            kind=FairPlayAct.Kind.NOTE, by=who, role="director", words=f"{NAME} was asked."
        )
    _on_record(past, maeve)
    Trophy.objects.get_or_create(event=past, player=maeve, defaults={"place": 1, "entrants": 4})
    asked = build.club("Other", joining=Club.Joining.APPROVAL)
    build.joined(asked, ben, Membership.Role.OWNER)
    members.join(asked, maeve, words=f"I am {NAME}.")
    _list_and_calendar(asked, maeve)
    tokens.make(maeve, "My notes", [Scope.READ], None, now)
    programs.make(maeve, f"{NAME} Bot", now)
    _learn(maeve)
    _ways_in(maeve)
    at = table(maeve, ben, house_seats=(2, 3))
    game = play_out(at, by="person")
    for who, whom in ((maeve, ben), (ben, maeve)):
        FairPlayMeasure.objects.create(game=game, event=past, player=who, partner=whom, ended=now)
    Puzzle.objects.create(game=game, player=maeve, hand=1, step=0, position=0, gap=0.5)
    at.refresh_from_db()
    Proposal.objects.create(
        game=game, kind="claim", position=0, player=maeve, until=now, deal_number=1, version=1,
        cards=0, state="declined", answered_by=maeve,
    )  # fmt: skip
    other = table(ben, house_seats=(3,))
    _look_for_a_seat(maeve, other)
    club.table_calls.create(table=other, by=maeve, until=now)
    shuffle = Shuffle.objects.filter(table=other)[0]
    Contribution.objects.create(shuffle=shuffle, position=1, player=maeve, commitment=b"c" * 32)
    assert Rating.objects.filter(player=maeve).exists()
    assert RatingChange.objects.filter(player=maeve).exists()
    assert ben.user is not None
    Letter.objects.create(
        key="event 99999 of others", user=ben.user, subject="x", text=f"{NAME} Street is closed."
    )
    return Life(maeve, ben, club, past, coming, game)


def browser(who: Player) -> Client:
    """Return a browser that has logged in by password."""
    client = Client()
    assert who.user is not None
    client.post("/accounts/login/", {"login": who.user.email, "password": PASSWORD})
    return client


def confirm(client: Client, then: str) -> Any:
    """Type the password again for a path; return the response."""
    fields = {"password": PASSWORD, "next": then}
    return client.post("/accounts/reauthenticate/", fields, follow=True)


def stored_texts() -> dict[str, str]:
    """Return every text in the database, by table, column and row."""
    found = {}
    for model in apps.get_models(include_auto_created=True):
        for field in model._meta.concrete_fields:
            if isinstance(field, CharField | TextField | JSONField):
                rows: Any = model._default_manager.values_list("pk", field.attname)
                for key, value in rows:
                    found[f"{model._meta.label}.{field.name} {key}"] = str(value)
    return found


def seekers(of: Event) -> list[str]:
    """Return the states of an event's entries, in order of arrival."""
    return list(Entry.objects.filter(event=of).order_by("arrival").values_list("state", flat=True))
