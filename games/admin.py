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

from games import models
from games.lookalikes import skeleton_of
from games.models.shared_deals import sealed
from games.numbers import MAX_BIGINT

if TYPE_CHECKING:
    ModelPages = admin.ModelAdmin[Any]
    Pages = Paginator[Any]
else:  # Django's classes cannot be subscripted at run time
    ModelPages, Pages = admin.ModelAdmin, Paginator

#: The most rows that are counted and can be paged to.
MAX_ROWS = 10_000


class ShortPaginator(Pages):
    """A paginator of the first rows, which avoids counting millions of them."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        return int(rows[:MAX_ROWS].count())


class ReadOnlyAdmin(ModelPages):
    """Read-only pages of a model.

    `columns` are the fields shown, `editable` those that can be edited after all, and `searched`
    those that are searched for an exact value; all of these have an index. Rows that columns refer
    to are read with the list; `related` names further ones, which appear in their names.
    `to_table` is the path to the table of rows that tell something about a game: those of a table
    whose deals others still play are left out.
    """

    columns: tuple[str, ...] = ()
    editable: tuple[str, ...] = ()
    searched: tuple[str, ...] = ("pk",)
    related: tuple[str, ...] = ()
    to_table: str | None = None
    deletable = False
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
        return self.columns

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return [name for name in self.columns if name not in self.editable]

    def get_list_display(self, request: HttpRequest) -> Any:
        return [
            "__str__",
            *[name for name in self.columns if name not in ("about", "text", "words")],
        ]

    def get_list_select_related(self, request: HttpRequest) -> Any:
        fields = [self.model._meta.get_field(name) for name in self.columns]
        return [*[field.name for field in fields if isinstance(field, ForeignKey)], *self.related]

    def get_search_fields(self, request: HttpRequest) -> Any:
        return self.searched

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        if not search_term:
            return queryset, False
        which = Q(pk__in=[])
        for name in self.searched:
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
        return bool(self.editable) and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.deletable and super().has_delete_permission(request, obj)


def register(
    model: type[Model], columns: str, searched: str = "", related: str = "", **options: Any
) -> None:
    """Register read-only pages of a model; the key is always searched.

    Lists of fields are separated by spaces; `options` are further attributes of `ReadOnlyAdmin`.
    """
    options["columns"] = tuple(columns.split())
    options["searched"] = ("pk", *searched.split())
    options["related"] = tuple(related.split())
    admin.site.register(model, ReadOnlyAdmin, **options)


@admin.register(models.User)
class UserAdmin(ReadOnlyAdmin):
    """Accounts and their staff rights; the office closes accounts and ends their sockets."""

    columns = (
        "email",
        "is_active",
        "is_staff",
        "is_superuser",
        "groups",
        "user_permissions",
        "date_joined",
        "last_login",
    )
    editable = ("is_staff", "is_superuser", "groups", "user_permissions")
    searched = ("pk", "email")
    filter_horizontal = ("groups", "user_permissions")

    def get_list_display(self, request: HttpRequest) -> Any:
        return ["email", "is_active", "is_staff", "is_superuser", "date_joined", "last_login"]

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Allow only superusers, so that staff cannot extend their own rights."""
        return bool(getattr(request.user, "is_superuser", False))

    def matching(self, name: str, text: str) -> Q:
        return super().matching(name, text.lower() if name == "email" else text)


@admin.register(models.Player)
class PlayerAdmin(ReadOnlyAdmin):
    """Players; renaming one is done in the office, which keeps names apart."""

    columns = ("name", "kind", "user", "owner", "country", "private", "demonstration", "created")
    editable = ("country", "private")
    searched = ("pk", "skeleton")
    search_help_text = "A whole name, or a number."

    def matching(self, name: str, text: str) -> Q:
        return super().matching(name, skeleton_of(text) if name == "skeleton" else text)


@admin.register(models.GameEvent)
class GameEventAdmin(ReadOnlyAdmin):
    """The events of published games that are not archived; those of others hold hidden cards."""

    columns = ("game", "seq", "seat", "player", "by", "action", "at")
    searched = ("pk", "game")
    related = ("game__table",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[models.GameEvent]:
        events: QuerySet[models.GameEvent] = super().get_queryset(request)
        return events.filter(game__published=True, game__ended__isnull=False)


register(
    models.Table,
    "host state open reserved rated title turn_seconds house_after house_level created",
    list_filter=("state",),
)
register(
    models.Seat, "table position player stand_in since last_seen missing_since", "table player"
)
register(
    models.Game,
    "table number state started ended moved due deal_number score_0 score_1 winner counts noted"
    " published",
    "table",
    to_table="table",
    list_filter=("state",),
    ordering=("-ended",),
)
register(models.GameSeat, "game position player", "game player", "game__table")
register(
    models.Review,
    "game version asked due tries done hands made error",
    related="game__table",
    to_table="game__table",
    ordering=("-asked",),
)
register(models.Analysis, "key asked due tries made error", ordering=("-asked",))
register(
    models.Puzzle,
    "game player hand step gap tries solved shown",
    "game player",
    "game__table",
    to_table="game__table",
)
register(models.SharedDeals, "seats made frozen due opened", ordering=("-made",))
register(models.Shuffle, "table number made frozen due", "table", ordering=("-made",))
register(models.Contribution, "shuffle position player", "shuffle", "shuffle__table")
register(models.LogLine, "match kind at place text", "match place")
register(
    models.Performance,
    "game player position rules ended result points against deals",
    "game player",
    "game__table",
    to_table="game__table",
)
register(
    models.Proposal,
    "game kind position player made until state",
    "game",
    "game__table",
    to_table="game__table",
)
register(models.SeatRequest, "table player", "table")
# The queue for quick games; deleting a row takes its player out of it.
register(
    models.Seeker,
    "player rules turn_seconds rated since seen table due",
    "player",
    deletable=True,
)
register(models.Friendship, "low high low_asked asked declined withdrawn agreed", "low high")
register(models.LastHere, "player at")
register(models.Invitation, "table by to made until declined", "table by to")
register(models.Avoidance, "by other since", "by")
# What is said at tables, without the words: reports show those that matter.
register(models.TalkLine, "table channel player phrase at", "player table")
register(models.Mute, "by other since", "by")
register(models.TalkReport, "player reason table made decided", "player reporter")
register(models.Sanction, "player made until reason by_name lifted", "player")
# API tokens without their secrets; deleting one revokes it.
register(models.Token, "player name scopes created expires used", "player", deletable=True)
register(models.Ban, "user made until reason by_name settled lifted", "user")
register(
    models.OperatorAct,
    "at what by_name about about_id about_name reason detail",
    list_filter=("at",),
)
register(models.Report, "about about_name reason words made decision decided by_name", "reporter")
register(models.TaskFailure, "name error count first last", list_filter=("last",))
register(models.Heartbeat, "name at", ordering=("name",))
