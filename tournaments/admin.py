"""Read-only admin pages of clubs, events, ratings, letters and webhooks; see `games.admin`.

Invitation tokens, calendar tokens, webhook keys and the texts of letters are not shown.
"""

from django.contrib import admin

from games.admin import ReadOnlyAdmin
from tournaments.models import (
    Act,
    Announcement,
    Club,
    Correction,
    Delivery,
    Division,
    DivisionPlayer,
    Entry,
    EntryPlayer,
    Event,
    HouseRules,
    JoinRequest,
    KeptApart,
    Letter,
    Membership,
    Notice,
    Pairing,
    PairingEntry,
    Pool,
    Rating,
    RatingChange,
    RatingHold,
    RetiredCode,
    RoomTable,
    Round,
    ScoreLine,
    Season,
    SeasonChange,
    SeasonTeam,
    SitOut,
    Substitution,
    TeamPlayer,
    Trophy,
    WalkIn,
    Webhook,
)


@admin.register(Club)
class ClubAdmin(ReadOnlyAdmin):
    shown = ("name", "slug", "about", "joining", "country", "recognised", "closed", "created")
    changed = ("about", "country", "recognised")
    found_by = ("pk", "slug")
    search_help_text = "The word of its address, or a number."


@admin.register(Membership)
class MembershipAdmin(ReadOnlyAdmin):
    """Members and their roles; a club's own pages change them."""

    shown = ("club", "player", "role", "news", "joined")
    found_by = ("pk", "club", "player")
    list_select_related = ("club", "player")


@admin.register(JoinRequest)
class JoinRequestAdmin(ReadOnlyAdmin):
    shown = ("club", "player", "words", "asked")
    found_by = ("pk", "club", "player")
    list_select_related = ("club", "player")


@admin.register(HouseRules)
class HouseRulesAdmin(ReadOnlyAdmin):
    shown = ("club", "name")
    found_by = ("pk", "club")
    list_select_related = ("club",)


@admin.register(Season)
class SeasonAdmin(ReadOnlyAdmin):
    shown = ("club", "name", "first_day", "last_day", "rule_data", "movers", "team_best")
    found_by = ("pk", "club")
    list_select_related = ("club",)


@admin.register(Division)
class DivisionAdmin(ReadOnlyAdmin):
    shown = ("season", "number", "name")
    found_by = ("pk", "season")
    list_select_related = ("season__club",)


@admin.register(SeasonTeam)
class SeasonTeamAdmin(ReadOnlyAdmin):
    shown = ("season", "name")
    found_by = ("pk", "season", "name")
    list_select_related = ("season__club",)


@admin.register(TeamPlayer)
class TeamPlayerAdmin(ReadOnlyAdmin):
    shown = ("season", "team", "player", "substitute")
    found_by = ("pk", "season", "team", "player")
    list_select_related = ("season__club", "team__season__club", "player")


@admin.register(DivisionPlayer)
class DivisionPlayerAdmin(ReadOnlyAdmin):
    shown = ("season", "division", "player")
    found_by = ("pk", "season", "division", "player")
    list_select_related = ("season__club", "division__season__club", "player")


@admin.register(SeasonChange)
class SeasonChangeAdmin(ReadOnlyAdmin):
    shown = ("season", "by", "at", "before", "after", "words")
    found_by = ("pk", "season")
    list_select_related = ("season__club", "by")


@admin.register(Announcement)
class AnnouncementAdmin(ReadOnlyAdmin):
    shown = ("club", "author", "subject", "text", "at")
    found_by = ("pk", "club", "author")
    list_select_related = ("club", "author")


@admin.register(Event)
class EventAdmin(ReadOnlyAdmin):
    shown = (
        "club",
        "name",
        "about",
        "format",
        "place",
        "state",
        "starts",
        "due",
        "paused",
        "started",
        "final_at",
        "ended",
        "rated",
        "capacity",
        "created_by",
        "trouble",
        "tries",
    )
    list_filter = ("state",)
    found_by = ("pk", "club")
    list_select_related = ("club", "created_by")


@admin.register(Notice)
class NoticeAdmin(ReadOnlyAdmin):
    shown = ("event", "by", "at", "text", "public")
    found_by = ("pk", "event")
    list_select_related = ("event", "by")


@admin.register(Entry)
class EntryAdmin(ReadOnlyAdmin):
    shown = ("event", "state", "arrival", "made", "here", "house", "seed", "place", "missed")
    found_by = ("pk", "event")
    list_select_related = ("event",)


@admin.register(EntryPlayer)
class EntryPlayerAdmin(ReadOnlyAdmin):
    shown = ("event", "entry", "player", "position", "active")
    found_by = ("pk", "event", "player")
    list_select_related = ("event", "entry", "player")


@admin.register(Substitution)
class SubstitutionAdmin(ReadOnlyAdmin):
    shown = ("entry", "position", "player", "until", "at")
    found_by = ("pk", "entry", "player")
    list_select_related = ("entry", "player")


@admin.register(WalkIn)
class WalkInAdmin(ReadOnlyAdmin):
    shown = ("event", "player", "made")
    found_by = ("pk", "event", "player")
    list_select_related = ("event", "player")


@admin.register(KeptApart)
class KeptApartAdmin(ReadOnlyAdmin):
    shown = ("event", "one", "other", "kind")
    found_by = ("pk", "event")
    list_select_related = ("event", "one", "other")


@admin.register(Trophy)
class TrophyAdmin(ReadOnlyAdmin):
    shown = ("event", "player", "place", "entrants")
    found_by = ("pk", "event", "player")
    list_select_related = ("event", "player")


@admin.register(Round)
class RoundAdmin(ReadOnlyAdmin):
    shown = ("event", "number", "stage", "called", "ends", "over")
    found_by = ("pk", "event")
    list_select_related = ("event",)


@admin.register(SitOut)
class SitOutAdmin(ReadOnlyAdmin):
    shown = ("round", "entry")
    found_by = ("pk", "round", "entry")
    list_select_related = ("round__event", "entry")


@admin.register(Pairing)
class PairingAdmin(ReadOnlyAdmin):
    to_table = "table"
    shown = (
        "round",
        "number",
        "table",
        "state",
        "how",
        "winner",
        "points_0",
        "points_1",
        "games_0",
        "games_1",
        "rated",
        "decided",
    )
    list_filter = ("state",)
    found_by = ("pk", "round", "table")
    list_select_related = ("round__event", "table")


@admin.register(PairingEntry)
class PairingEntryAdmin(ReadOnlyAdmin):
    shown = ("round", "pairing", "entry", "side", "position")
    found_by = ("pk", "round", "pairing", "entry")
    list_select_related = ("round__event", "pairing", "entry")


@admin.register(RoomTable)
class RoomTableAdmin(ReadOnlyAdmin):
    shown = ("event", "number")
    found_by = ("pk", "event")
    list_select_related = ("event",)


@admin.register(RetiredCode)
class RetiredCodeAdmin(ReadOnlyAdmin):
    shown = ("table",)
    found_by = ("pk", "table")
    list_select_related = ("table__event",)


@admin.register(ScoreLine)
class ScoreLineAdmin(ReadOnlyAdmin):
    shown = ("pairing", "kind", "side", "number", "values", "said", "player", "at")
    list_filter = ("kind",)
    found_by = ("pk", "pairing", "player")
    list_select_related = ("pairing__round__event", "player")


@admin.register(Correction)
class CorrectionAdmin(ReadOnlyAdmin):
    shown = ("pairing", "by", "at", "before", "after", "reason")
    found_by = ("pk", "pairing", "by")
    list_select_related = ("pairing", "by")


@admin.register(Act)
class ActAdmin(ReadOnlyAdmin):
    shown = ("event", "kind", "by", "at", "round", "pairing", "entry", "reason", "before", "after")
    list_filter = ("kind",)
    found_by = ("pk", "event", "by")
    list_select_related = ("event", "by", "round__event", "pairing", "entry")


@admin.register(Pool)
class PoolAdmin(ReadOnlyAdmin):
    shown = ("key", "revision", "busy_until", "model")
    found_by = ("pk", "key")


@admin.register(Rating)
class RatingAdmin(ReadOnlyAdmin):
    shown = ("pool", "player", "mu", "sigma", "games", "latest", "ranked_until", "opponents")
    found_by = ("pk", "player")
    list_select_related = ("pool", "player")


@admin.register(RatingChange)
class RatingChangeAdmin(ReadOnlyAdmin):
    shown = (
        "pool",
        "pairing",
        "game",
        "number",
        "player",
        "side",
        "winner",
        "expected",
        "weight",
        "mu_before",
        "mu_after",
        "at",
    )
    found_by = ("pk", "player", "pairing")
    list_select_related = ("pool", "pairing", "game__table", "player")


@admin.register(RatingHold)
class RatingHoldAdmin(ReadOnlyAdmin):
    """Matches and quick games held back from rating; staff decide on them on their own page."""

    shown = ("pairing", "game", "reason", "found", "state", "made", "by", "decided", "words")
    list_filter = ("state",)
    found_by = ("pk", "pairing")
    list_select_related = ("pairing", "game__table", "by")


@admin.register(Webhook)
class WebhookAdmin(ReadOnlyAdmin):
    """Webhooks, without their signing keys."""

    shown = ("club", "url", "created", "failures", "paused")
    found_by = ("pk", "club")
    list_select_related = ("club",)


@admin.register(Delivery)
class DeliveryAdmin(ReadOnlyAdmin):
    shown = ("webhook", "key", "created", "due", "attempts", "status", "trouble", "arrived")
    list_filter = ("due",)
    found_by = ("pk", "webhook")
    list_select_related = ("webhook__club",)


@admin.register(Letter)
class LetterAdmin(ReadOnlyAdmin):
    shown = ("user", "address", "subject", "made", "due", "sent", "tries", "reminds_of")
    list_filter = ("due",)
    found_by = ("pk", "user")
    list_select_related = ("user", "reminds_of")
