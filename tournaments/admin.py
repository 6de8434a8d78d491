"""Read-only admin pages of clubs, events, ratings, letters and webhooks; see `games.admin`.

Invitation tokens, calendar tokens, webhook keys and the texts of letters are not shown.
"""

from games.admin import register
from tournaments import models

register(
    models.Club,
    "name slug about joining country recognised closed created",
    "slug",
    editable=("about", "country", "recognised"),
    search_help_text="The word of its address, or a number.",
)
# Members and their roles; a club's own pages change them.
register(models.Membership, "club player role news joined", "club player")
register(models.JoinRequest, "club player words asked", "club player")
register(models.DailyHour, "club hour", "club")
register(models.DailyDeal, "day club opens closes closed played", "club")
register(models.DailyTry, "daily player began ended percent place", "daily player")
register(models.DailyReminder, "player hour zone due", "player")
register(models.HouseRules, "club name", "club")
register(models.Season, "club name first_day last_day rule_data movers team_best", "club")
register(models.Division, "season number name", "season", "season__club")
register(models.SeasonTeam, "season name", "season name", "season__club")
register(
    models.TeamPlayer,
    "season team player substitute",
    "season team player",
    "season__club team__season__club",
)
register(
    models.DivisionPlayer,
    "season division player",
    "season division player",
    "season__club division__season__club",
)
register(models.SeasonChange, "season by at before after words", "season", "season__club")
register(models.Announcement, "club author subject text at", "club author")
register(
    models.Event,
    "club name about format place state starts due paused started final_at ended rated capacity"
    " created_by trouble tries",
    "club",
    list_filter=("state",),
)
register(models.Notice, "event by at text public", "event")
register(models.Entry, "event state arrival made here house seed place missed", "event")
register(models.EntryPlayer, "event entry player position active", "event player")
register(models.Substitution, "entry position player until at", "entry player")
register(models.WalkIn, "event player made", "event player")
register(models.KeptApart, "event one other kind", "event")
register(models.Trophy, "event player place entrants", "event player")
register(models.Round, "event number stage called ends over", "event")
register(models.SitOut, "round entry", "round entry", "round__event")
register(
    models.Pairing,
    "round number table state how winner points_0 points_1 games_0 games_1 rated decided",
    "round table",
    "round__event",
    to_table="table",
    list_filter=("state",),
)
register(
    models.PairingEntry,
    "round pairing entry side position",
    "round pairing entry",
    "round__event",
)
register(models.RoomTable, "event number", "event")
register(models.RetiredCode, "table", "table", "table__event")
register(
    models.ScoreLine,
    "pairing kind side number values said player at",
    "pairing player",
    "pairing__round__event",
    list_filter=("kind",),
)
register(models.Correction, "pairing by at before after reason", "pairing by")
register(
    models.Act,
    "event kind by at round pairing entry reason before after",
    "event by",
    "round__event",
    list_filter=("kind",),
)
register(models.Pool, "key revision busy_until model", "key")
register(models.Rating, "pool player mu sigma games latest ranked_until opponents", "player")
register(
    models.RatingChange,
    "pool pairing game number player side winner expected weight mu_before mu_after at",
    "player pairing",
    "game__table",
)
# Matches and quick games held back from rating; staff decide on them on their own page.
register(
    models.RatingHold,
    "pairing game reason found state made by decided words",
    "pairing",
    "game__table",
    list_filter=("state",),
)
# Webhooks, without their signing keys.
register(models.Webhook, "club url created failures paused", "club")
register(
    models.Delivery,
    "webhook key created due attempts status trouble arrived",
    "webhook",
    "webhook__club",
    list_filter=("due",),
)
register(
    models.Letter,
    "user address subject made due sent tries reminds_of",
    "user",
    list_filter=("due",),
)
