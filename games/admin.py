"""Admin pages for people, tables and games, for what the office has no page for.

The pages show only the columns named here: no shuffle's secret, no hidden card, no token and no
invitation. Almost nothing can be edited, because a form would bypass the invariants that the site's
own functions maintain.
"""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db.models import ForeignKey, Model, Q, QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property

from games.lookalikes import skeleton_of
from games.models import (
    Avoidance,
    Ban,
    Contribution,
    Friendship,
    Game,
    GameEvent,
    GameSeat,
    Heartbeat,
    Invitation,
    LastHere,
    LogLine,
    Mute,
    OperatorAct,
    Pair,
    Performance,
    Player,
    Proposal,
    Puzzle,
    Report,
    Review,
    Sanction,
    Seat,
    SeatRequest,
    Seeker,
    SharedDeals,
    Shuffle,
    StandingPlace,
    StandingTable,
    Table,
    TalkLine,
    TalkReport,
    TaskFailure,
    Token,
    User,
)
from games.models.shared_deals import sealed
from games.numbers import MAX_BIGINT

if TYPE_CHECKING:
    ModelPages = admin.ModelAdmin[Any]
    Pages = Paginator[Any]
else:  # Django's classes cannot be subscripted at run time
    ModelPages, Pages = admin.ModelAdmin, Paginator

#: The most rows that are counted and can be paged to.
COUNTED = 10_000


class ShortPaginator(Pages):
    """A paginator of the first rows, which avoids counting millions of them."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        return int(rows[:COUNTED].count())


class ReadOnlyAdmin(ModelPages):
    """Read-only pages of a model.

    `shown` are the columns, `changed` those that can be edited after all, and `found_by` those that
    are searched for an exact value; all of these have an index. `to_table` is the path to the table
    of rows that tell something about a game: those of a table whose deals others still play are
    left out.
    """

    shown: tuple[str, ...] = ()
    to_table: str | None = None
    changed: tuple[str, ...] = ()
    found_by: tuple[str, ...] = ("pk",)
    actions = None
    list_per_page = 50
    show_full_result_count = False
    paginator = ShortPaginator
    ordering = ("-pk",)
    sortable_by = ()
    search_help_text = "A whole key: part of one finds nothing."

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows if self.to_table is None else rows.exclude(sealed(self.to_table))

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.shown

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return [name for name in self.shown if name not in self.changed]

    def get_list_display(self, request: HttpRequest) -> Any:
        return ["__str__", *[name for name in self.shown if name not in ("about", "text", "words")]]

    def get_search_fields(self, request: HttpRequest) -> Any:
        return self.found_by

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        if not search_term:
            return queryset, False
        which = Q(pk__in=[])
        for name in self.found_by:
            which |= self.matching(name, search_term)
        return queryset.filter(which), False

    def matching(self, name: str, text: str) -> Q:
        model: type[Model] = self.model
        field: Any = model._meta.pk if name == "pk" else model._meta.get_field(name)
        if isinstance(field, ForeignKey):
            field = field.target_field
        try:
            value = field.to_python(text)
        except (ValidationError, ValueError):
            value = None
        if value is None or (isinstance(value, int) and abs(value) > MAX_BIGINT):
            return Q(pk__in=[])
        return Q(**{name: value})

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(self.changed) and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(User)
class UserAdmin(ReadOnlyAdmin):
    """Accounts and their staff rights; the office closes accounts and ends their sockets."""

    shown = (
        "email",
        "is_active",
        "is_staff",
        "is_superuser",
        "groups",
        "user_permissions",
        "date_joined",
        "last_login",
    )
    changed = ("is_staff", "is_superuser", "groups", "user_permissions")
    found_by = ("pk", "email")
    filter_horizontal = ("groups", "user_permissions")

    def get_list_display(self, request: HttpRequest) -> Any:
        return ["email", "is_active", "is_staff", "is_superuser", "date_joined", "last_login"]

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Allow only superusers, so that staff cannot extend their own rights."""
        return bool(getattr(request.user, "is_superuser", False))

    def matching(self, name: str, text: str) -> Q:
        return super().matching(name, text.lower() if name == "email" else text)


@admin.register(Player)
class PlayerAdmin(ReadOnlyAdmin):
    """Players; renaming one is done in the office, which keeps names apart."""

    shown = ("name", "kind", "user", "owner", "country", "private", "demonstration", "created")
    changed = ("country", "private")
    found_by = ("pk", "skeleton")
    list_select_related = ("user", "owner")
    search_help_text = "A whole name, or a number."

    def matching(self, name: str, text: str) -> Q:
        return super().matching(name, skeleton_of(text) if name == "skeleton" else text)


@admin.register(Table)
class TableAdmin(ReadOnlyAdmin):
    shown = (
        "host",
        "state",
        "open",
        "reserved",
        "rated",
        "title",
        "turn_seconds",
        "house_after",
        "house_level",
        "created",
    )
    list_filter = ("state",)
    list_select_related = ("host",)


@admin.register(Seat)
class SeatAdmin(ReadOnlyAdmin):
    shown = ("table", "position", "player", "stand_in", "since", "last_seen", "missing_since")
    found_by = ("pk", "table", "player")
    list_select_related = ("table", "player")


@admin.register(Game)
class GameAdmin(ReadOnlyAdmin):
    to_table = "table"
    shown = (
        "table",
        "number",
        "state",
        "started",
        "ended",
        "moved",
        "due",
        "deal_number",
        "score_0",
        "score_1",
        "winner",
        "counts",
        "noted",
        "published",
    )
    list_filter = ("state",)
    found_by = ("pk", "table")
    list_select_related = ("table",)
    ordering = ("-ended",)


@admin.register(GameSeat)
class GameSeatAdmin(ReadOnlyAdmin):
    shown = ("game", "position", "player")
    found_by = ("pk", "game", "player")
    list_select_related = ("game__table", "player")


@admin.register(GameEvent)
class GameEventAdmin(ReadOnlyAdmin):
    """The events of published games that are not archived; those of others hold hidden cards."""

    shown = ("game", "seq", "seat", "player", "by", "action", "at")
    found_by = ("pk", "game")
    list_select_related = ("game__table", "player")

    def get_queryset(self, request: HttpRequest) -> QuerySet[GameEvent]:
        events: QuerySet[GameEvent] = super().get_queryset(request)
        return events.filter(game__published=True, game__ended__isnull=False)


@admin.register(Review)
class ReviewAdmin(ReadOnlyAdmin):
    shown = ("game", "version", "asked", "due", "tries", "done", "hands", "made", "error")
    to_table = "game__table"
    found_by = ("game",)
    list_select_related = ("game__table",)
    ordering = ("-asked",)


@admin.register(Puzzle)
class PuzzleAdmin(ReadOnlyAdmin):
    shown = ("game", "player", "hand", "step", "gap", "tries", "solved", "shown")
    to_table = "game__table"
    found_by = ("pk", "game", "player")
    list_select_related = ("game__table", "player")


@admin.register(SharedDeals)
class SharedDealsAdmin(ReadOnlyAdmin):
    shown = ("seats", "made", "frozen", "due", "opened")
    ordering = ("-made",)


@admin.register(Shuffle)
class ShuffleAdmin(ReadOnlyAdmin):
    shown = ("table", "number", "made", "frozen", "due")
    found_by = ("pk", "table")
    list_select_related = ("table",)
    ordering = ("-made",)


@admin.register(Contribution)
class ContributionAdmin(ReadOnlyAdmin):
    shown = ("shuffle", "position", "player")
    found_by = ("pk", "shuffle")
    list_select_related = ("shuffle__table", "player")


@admin.register(LogLine)
class LogLineAdmin(ReadOnlyAdmin):
    shown = ("match", "kind", "at", "place", "text")
    found_by = ("pk", "match", "place")


@admin.register(Performance)
class PerformanceAdmin(ReadOnlyAdmin):
    to_table = "game__table"
    shown = ("game", "player", "position", "rules", "ended", "result", "points", "against", "deals")
    found_by = ("pk", "game", "player")
    list_select_related = ("game__table", "player")


@admin.register(Proposal)
class ProposalAdmin(ReadOnlyAdmin):
    to_table = "game__table"
    shown = ("game", "kind", "position", "player", "made", "until", "state")
    found_by = ("pk", "game")
    list_select_related = ("game__table", "player")


@admin.register(SeatRequest)
class SeatRequestAdmin(ReadOnlyAdmin):
    shown = ("table", "player")
    found_by = ("pk", "table")
    list_select_related = ("table", "player")


@admin.register(Seeker)
class SeekerAdmin(ReadOnlyAdmin):
    """The queue for quick games; deleting a row takes its player out of it."""

    shown = ("player", "rules", "turn_seconds", "rated", "since", "seen", "table", "due", "pair")
    found_by = ("pk", "player")
    list_select_related = ("player", "table", "pair__by", "pair__to")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return admin.ModelAdmin.has_delete_permission(self, request, obj)


@admin.register(Pair)
class PairAdmin(ReadOnlyAdmin):
    """Partners who look for a quick game, and those who have been asked; without their links."""

    shown = ("by", "to", "rules", "turn_seconds", "rated", "asked", "until", "agreed", "left_by")
    found_by = ("pk", "by", "to")
    list_select_related = ("by", "to", "left_by")


@admin.register(Friendship)
class FriendshipAdmin(ReadOnlyAdmin):
    shown = ("low", "high", "low_asked", "asked", "declined", "withdrawn", "agreed")
    found_by = ("pk", "low", "high")
    list_select_related = ("low", "high")


@admin.register(LastHere)
class LastHereAdmin(ReadOnlyAdmin):
    shown = ("player", "at")
    list_select_related = ("player",)


@admin.register(Invitation)
class InvitationAdmin(ReadOnlyAdmin):
    shown = ("table", "by", "to", "made", "until", "declined")
    found_by = ("pk", "table", "by", "to")
    list_select_related = ("table", "by", "to")


@admin.register(StandingTable)
class StandingTableAdmin(ReadOnlyAdmin):
    shown = ("name", "made")
    found_by = ("pk",)


@admin.register(StandingPlace)
class StandingPlaceAdmin(ReadOnlyAdmin):
    shown = ("standing", "player", "asked", "agreed")
    found_by = ("pk", "standing", "player")
    list_select_related = ("standing", "player")


@admin.register(Avoidance)
class AvoidanceAdmin(ReadOnlyAdmin):
    shown = ("by", "other", "since")
    found_by = ("pk", "by")
    list_select_related = ("by", "other")


@admin.register(TalkLine)
class TalkLineAdmin(ReadOnlyAdmin):
    """What is said at tables, without the words: reports show those that matter."""

    shown = ("table", "channel", "player", "phrase", "at")
    found_by = ("pk", "player", "table")
    list_select_related = ("table", "player")


@admin.register(Mute)
class MuteAdmin(ReadOnlyAdmin):
    shown = ("by", "other", "since")
    found_by = ("pk", "by")
    list_select_related = ("by", "other")


@admin.register(TalkReport)
class TalkReportAdmin(ReadOnlyAdmin):
    shown = ("player", "reason", "table", "made", "decided")
    found_by = ("pk", "player", "reporter")
    list_select_related = ("player", "table")


@admin.register(Sanction)
class SanctionAdmin(ReadOnlyAdmin):
    shown = ("player", "made", "until", "reason", "by_name", "lifted")
    found_by = ("pk", "player")
    list_select_related = ("player",)


@admin.register(Token)
class TokenAdmin(ReadOnlyAdmin):
    """API tokens without their secrets; deleting one revokes it."""

    shown = ("player", "name", "scopes", "created", "expires", "used")
    found_by = ("pk", "player")
    list_select_related = ("player",)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return admin.ModelAdmin.has_delete_permission(self, request, obj)


@admin.register(Ban)
class BanAdmin(ReadOnlyAdmin):
    shown = ("user", "made", "until", "reason", "by_name", "settled", "lifted")
    found_by = ("pk", "user")
    list_select_related = ("user",)


@admin.register(OperatorAct)
class OperatorActAdmin(ReadOnlyAdmin):
    shown = ("at", "what", "by_name", "about", "about_id", "about_name", "reason", "detail")
    list_filter = ("at",)


@admin.register(Report)
class ReportAdmin(ReadOnlyAdmin):
    shown = ("about", "about_name", "reason", "words", "made", "decision", "decided", "by_name")
    found_by = ("pk", "reporter")


@admin.register(TaskFailure)
class TaskFailureAdmin(ReadOnlyAdmin):
    shown = ("name", "error", "count", "first", "last")
    list_filter = ("last",)


@admin.register(Heartbeat)
class HeartbeatAdmin(ReadOnlyAdmin):
    shown = ("name", "at")
    ordering = ("name",)
