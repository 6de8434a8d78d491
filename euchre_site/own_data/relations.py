"""All relations to an account or its player: what is exported, and whether they are deleted.

A new model needs a line here for every field that refers to `User` or `Player`; a test checks all
models. Documented in docs/own-data.md.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Model, QuerySet

from games.models import Player, User


@dataclass(frozen=True)
class Rows:
    """The rows of a relation.

    section: their name in the export; empty if they are exported elsewhere. fields: the exported
    lookups. goes: whether they are deleted with the account. why: why they stay or are exported
    elsewhere.
    """

    section: str = ""
    fields: tuple[str, ...] = ()
    goes: bool = False
    why: str = ""


#: By relation: the model, and its field that refers to the account or player.
RELATIONS: Final[Mapping[str, Rows]] = {
    # Of the account
    "games.Player.user": Rows(why="the section `player`; it stays without a name"),
    "games.User_groups.user": Rows("groups", ("group__name",), goes=True),
    "games.User_user_permissions.user": Rows(
        "permissions", ("permission__codename",), goes=True
    ),
    "games.Deletion.user": Rows("deletion", ("asked", "due"), goes=True),
    "games.SolvedStep.user": Rows("lessons", ("lesson", "number", "at"), goes=True),
    "games.PuzzleProgress.user": Rows(
        "puzzle_set", ("attempts", "rush", "best"), goes=True
    ),
    "games.Ban.user": Rows("bans", ("made", "until", "reason", "lifted"), goes=True),
    "account.EmailAddress.user": Rows("addresses", ("email", "verified", "primary"), goes=True),
    "mfa.Authenticator.user": Rows(
        "second_factor", ("type", "created_at", "last_used_at"), goes=True
    ),
    "socialaccount.SocialAccount.user": Rows(
        "logins_elsewhere", ("provider", "uid", "date_joined", "last_login"), goes=True
    ),
    "admin.LogEntry.user": Rows(
        "admin_log", ("action_time", "object_repr", "change_message"), goes=True
    ),
    "tournaments.Letter.user": Rows("letters", ("made", "subject", "text", "sent"), goes=True),
    # Of the player: names, programs and tokens
    "games.PastName.player": Rows("past_names", ("name", "until"), goes=True),
    "games.Takeaway.player": Rows("takeaways", ("asked", "made"), goes=True),
    "games.Token.player": Rows(
        "tokens", ("name", "scopes", "created", "expires", "used"), goes=True
    ),
    "games.Player.owner": Rows(
        "programs", ("id", "name", "created", "country", "private"),
        why="others have played with them; they stay without their names",
    ),
    "games.Report.reporter": Rows(
        "reports", ("made", "about", "about_name", "reason", "words", "decided"),
        why="the site's staff decide on them",
    ),
    "tournaments.FeedKey.player": Rows("calendar_feed", ("player_id",), goes=True),
    "games.NotificationChoice.player": Rows("notifications", ("kind", "way", "on"), goes=True),
    "games.PushDevice.player": Rows("push_devices", ("name", "made", "used"), goes=True),
    "games.QuietHours.player": Rows(
        "quiet_hours", ("on", "starts", "ends", "days", "zone", "own_rounds"), goes=True
    ),
    # The daily deal
    "tournaments.DailyTry.player": Rows(
        "daily_deals",
        (
            "daily__day", "daily__club__slug", "began", "points", "ended", "percents", "percent",
            "place", "same_address",
        ),
        why="part of the day's result",
    ),
    "tournaments.DailyReminder.player": Rows("daily_reminder", ("hour", "zone", "due"), goes=True),
    # Clubs
    "tournaments.Membership.player": Rows(
        "clubs", ("club__name", "club__slug", "role", "news", "home", "joined"), goes=True
    ),
    "tournaments.JoinRequest.player": Rows(
        "join_requests", ("club__name", "club__slug", "words", "asked"), goes=True
    ),
    "tournaments.ListedName.player": Rows(
        "club_lists", ("club__slug", "name", "email", "added"), goes=True
    ),
    "tournaments.ListedName.plays_as": Rows(why="people on paper have no account"),
    "tournaments.ListedName.added_by": Rows(
        "names_listed", ("club__slug", "added"), why="the list is the club's"
    ),
    "tournaments.PastResult.player": Rows(
        "past_results", ("club__slug", "day", "event", "place", "points"),
        why="part of the event's result",
    ),
    "tournaments.PastResult.added_by": Rows(
        "past_results_imported", ("club__slug", "added"), why="the results are the club's"
    ),
    "tournaments.Announcement.author": Rows(
        "announcements", ("club__slug", "at", "subject", "text"), why="words of the club"
    ),
    "tournaments.DivisionPlayer.player": Rows(
        "divisions", ("season__club__slug", "season__name", "division__name"),
        why="part of the season's table",
    ),
    "tournaments.TeamPlayer.player": Rows(
        "teams", ("season__club__slug", "season__name", "team__name", "substitute"),
        why="part of the season's table",
    ),
    "tournaments.SeasonChange.by": Rows(
        "season_changes", ("season__club__slug", "season__name", "at", "before", "after", "words"),
        why="the log of a season is its players'",
    ),
    "tournaments.ClubCall.by": Rows(
        "calls_to_tables", ("club__slug", "table_id", "made", "until"), goes=True
    ),
    # Events
    "tournaments.Event.created_by": Rows(
        "events_made", ("id", "name", "club__slug", "created", "starts", "state"),
        why="others play in them",
    ),
    "tournaments.Notice.by": Rows(
        "event_record", ("event_id", "event__name", "at", "text", "public"),
        why="the record of an event is its players'",
    ),
    "tournaments.Entry.invited": Rows(
        "partner_invitations", ("event_id", "event__name", "made", "state"),
        why="they are turned down before the account goes",
    ),
    "tournaments.EntryPlayer.player": Rows(
        why="the section `entries`; results are the others' too"
    ),
    "tournaments.Substitution.player": Rows(
        "seats_left", ("entry__event_id", "until", "at"), why="names who played which match"
    ),
    "tournaments.WalkIn.player": Rows(why="people on paper have no account"),
    "tournaments.WalkIn.claimed_by": Rows(
        "claims", ("event_id", "event__name", "made"), why="the results are the others' too"
    ),
    "tournaments.Trophy.player": Rows(
        "trophies", ("event_id", "event__name", "place", "entrants"),
        why="part of the event's result",
    ),
    "tournaments.Correction.by": Rows(
        "corrections", ("pairing__round__event_id", "at", "before", "after", "reason"),
        why="part of the event's record",
    ),
    "tournaments.ScoreLine.player": Rows(
        "room_scores",
        ("pairing__round__event_id", "kind", "side", "number", "values", "said", "at"),
        why="part of the event's record",
    ),
    "tournaments.Act.by": Rows(
        "acts_as_director", ("event_id", "kind", "at", "reason", "before", "after"),
        why="part of the event's record",
    ),
    # Fair play
    "tournaments.FairPlayMeasure.player": Rows(
        "fair_play_figures",
        (
            *("game_id", "event_id", "ended", "calls", "held", "gained", "lost", "left_behind"),
            *("turns_behind", "turns_level", "turns_ahead"),
            *("late_behind", "late_level", "late_ahead"),
        ),
        why="figures of games that are the others' too",
    ),
    "tournaments.FairPlayMeasure.partner": Rows(why="another player's figures of the same game"),
    "tournaments.FairPlayMatter.player": Rows(
        "fair_play", ("club__slug", "kind", "said", "opened"), why="the record of a club"
    ),
    "tournaments.FairPlayMatter.opened_by": Rows(
        "fair_play_opened", ("club__slug", "kind", "opened"), why="the record of a club"
    ),
    "tournaments.FairPlayAct.by": Rows(
        "fair_play_acts", ("matter__club__slug", "kind", "role", "words", "at"),
        why="the record of a club",
    ),
    # Ratings
    "tournaments.Rating.player": Rows(
        "ratings",
        ("pool__key", "mu", "sigma", "games", "latest", "ranked_until", "opponents"),
        why="others' ratings follow from it",
    ),
    "tournaments.RatingChange.player": Rows(
        "rating_changes",
        (
            *("pool__key", "pairing__round__event_id", "pairing__round__number", "game_id"),
            *("number", "at", "side", "winner", "expected", "weight"),
            *("mu_before", "sigma_before", "mu_after", "sigma_after"),
        ),
        why="others' ratings follow from it",
    ),
    "tournaments.RatingHold.by": Rows(
        "holds_decided", ("pairing__round__event_id", "game_id", "state", "decided", "words"),
        why="part of how others are rated",
    ),
    # Tables and games
    "games.Table.host": Rows(
        "tables_made", ("id", "title", "created", "state", "open"), why="others play there"
    ),
    "games.Seat.player": Rows(
        "seats", ("table_id", "position", "since", "last_seen", "missing_since"),
        why="seats of finished games record who played; the player leaves all others",
    ),
    "games.SeatRequest.player": Rows(
        "seat_requests", ("table_id", "position", "asked", "refused"), goes=True
    ),
    "games.Seeker.player": Rows(
        "looking_for_a_game", ("rules", "turn_seconds", "rated", "since"), goes=True
    ),
    "games.Avoidance.by": Rows("not_with", ("other__name", "since"), goes=True),
    "games.Avoidance.other": Rows(why="known only to whoever chose it", goes=True),
    "games.Friendship.low": Rows(why="the section `friends`", goes=True),
    "games.Friendship.high": Rows(why="the section `friends`", goes=True),
    "games.LastHere.player": Rows("last_here", ("at",), goes=True),
    "games.Invitation.by": Rows(
        "invited_others", ("to__name", "table_id", "made", "until"), goes=True
    ),
    "games.Invitation.to": Rows(
        "invited_to_tables", ("by__name", "club", "table_id", "made", "until", "declined"),
        goes=True,
    ),
    "games.TalkLine.player": Rows(
        "said_at_tables", ("table_id", "channel", "phrase", "words", "at"), goes=True
    ),
    "games.Mute.by": Rows("muted", ("other__name", "since"), goes=True),
    "games.Mute.other": Rows(why="known only to whoever chose it", goes=True),
    "games.TalkReport.player": Rows(why="the moderators decide on it; its words go after a while"),
    "games.TalkReport.reporter": Rows(
        "lines_reported", ("made", "table_id", "reason", "decided"),
        why="the moderators decide on it",
    ),
    "games.Sanction.player": Rows(
        "talk_decisions", ("made", "until", "reason", "lifted"), goes=True
    ),
    "games.TakenCase.by": Rows(why="which moderator has a case open"),
    "games.TakenCase.proposed_by": Rows(why="which moderator proposes to close an account"),
    "games.GameSeat.player": Rows(why="the section `games`; games are the others' too"),
    "games.GameEvent.player": Rows(why="the section `games`; games are the others' too"),
    "games.GameSubstitute.player": Rows(why="the section `games`; games are the others' too"),
    "games.Performance.player": Rows(why="the section `games`, as figures"),
    "games.Performance.partner": Rows(why="another player's figures of the same game"),
    "games.Performance.left": Rows(why="another player's figures of the same game"),
    "games.Performance.right": Rows(why="another player's figures of the same game"),
    "games.Puzzle.player": Rows(
        "puzzles", ("game_id", "hand", "step", "tries", "solved", "shown"), goes=True
    ),
    "games.Proposal.player": Rows(
        "proposals", ("game_id", "kind", "made", "state"), why="part of the game's log"
    ),
    "games.Proposal.answered_by": Rows(
        "declined", ("game_id", "kind", "made"), why="part of the game's log"
    ),
    "games.Contribution.player": Rows(
        "shuffle_numbers", ("shuffle_id", "position", "commitment", "number"), goes=True
    ),
    "games.Trace.player": Rows(
        "seen_at_tables", ("table_id", "kind", "digest"),
        why="keeps one person from two hands of a running game; gone when the next one begins",
    ),
    "games.SeenFrom.player": Rows(
        "seen_at_event_tables", ("table_id", "at", "digest"),
        why="finds games played against oneself; gone after 30 days",
    ),
}  # fmt: skip


def all_relations() -> Iterator[tuple[str, type[User | Player], Any]]:
    for target in (User, Player):
        for relation in target._meta.get_fields(include_hidden=True):
            if relation.auto_created and not relation.concrete:
                field: Any = relation.field  # type: ignore[union-attr]
                yield f"{field.model._meta.label}.{field.name}", target, field


def relations_of(owner: Model) -> Iterator[tuple[Rows, QuerySet[Any]]]:
    for name, target, field in all_relations():
        if isinstance(owner, target) and name in RELATIONS:
            yield RELATIONS[name], field.model.objects.filter(**{field.name: owner})


def delete_rows(owner: Model) -> None:
    for rows, found in relations_of(owner):
        if rows.goes:
            found.delete()
