"""The form with which directors set up and change events."""

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import date, datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from django import forms

from games import rule_words
from games.engine.rules import RULE_SETS, RuleSet, rules_to_data
from games.form_fields import MultilineField, WholeNumber
from tournaments.events.repeating import LAST, week_of_month
from tournaments.form_fields import NameField
from tournaments.formats.base import Format
from tournaments.formats.registry import FORMATS, KNOCK_OUTS
from tournaments.formats.tie_breaks import OF_DUPLICATE, TieBreak
from tournaments.models import Club, Event
from tournaments.models.events import (
    HIGHEST_RATING,
    LONGEST_ROUND,
    LONGEST_WAIT,
    MAX_CYCLES,
    MAX_ENTRIES,
    MAX_HANDS,
    MAX_ROUNDS,
    USUAL_DEALS,
    USUAL_TURN,
)
from tournaments.prize_money import (
    CURRENCIES,
    MoneyError,
    amount_in_words,
    prizes_from,
    prizes_in_words,
    read_amount,
    read_prizes,
    stored_prizes,
)
from tournaments.times import local_time_in_words, zone_name

if TYPE_CHECKING:
    Base: TypeAlias = forms.ModelForm[Event]  # generic for the type checker only
else:
    Base = forms.ModelForm

Choices = list[tuple[Any, Any]]

#: How many years before and after this one a date may be.
YEARS_BACK: Final = 1
YEARS_AHEAD: Final = 5
#: Most days on which an event is not repeated.
MOST_FREE_DAYS: Final = 60
#: Default number of qualifiers for a second stage: few, or from this many places on many.
FEW_QUALIFIERS, MANY_QUALIFIERS, MANY_PLACES = 4, 8, 16
#: The fewest entries that any format can be played with.
MIN_PLACES: Final = 2
#: Number fields, with the least and the most that any format allows.
NUMBERS: Final = {
    "rounds": (1, MAX_ROUNDS),
    "cycles": (1, MAX_CYCLES),
    "qualifiers": (MIN_PLACES, MAX_ENTRIES),
    "room_from": (1, MAX_ENTRIES),
    "deals": (1, MAX_HANDS),
    "final_deals": (1, MAX_HANDS),
    "min_rating": (0, HIGHEST_RATING),
    "max_rating": (0, HIGHEST_RATING),
    "min_games": (0, 1000),
    "round_minutes": (1, LONGEST_ROUND),
    "no_show_minutes": (1, LONGEST_WAIT),
}

AS_IT_IS, USUAL, OWN = "as-it-is", "usual", "own"
CLUB_RULES = "club-"
#: The tie-breaks to choose from; the score of a duplicate event is always the first.
USABLE: Final = [one for one in TieBreak if one not in {TieBreak.LOT, *OF_DUPLICATE}]
LOCAL = "%Y-%m-%dT%H:%M"


def _group(one: Format) -> str:
    if one.individual:
        return "Alone, with changing partners"
    return "Knock-out, with a partner" if one.knock_out else "With a partner"


FORMAT_GROUPS: Final[Choices] = [
    (group, [(one.key, one.name) for one in same])
    for group, same in groupby(FORMATS.values(), _group)
]
SECOND_STAGES: Final[Choices] = [
    ("", "No, the standings decide"),
    *((one.key, one.name) for one in KNOCK_OUTS.values()),
]
WORTH: Final[Choices] = [(0, "nothing"), (1, "half a win"), (2, "a win")]
CHECK_IN: Final[Choices] = [
    (0, "None: everybody who has entered plays"),
    (15, "From 15 minutes before the start"),
    (30, "From 30 minutes before the start"),
]
BREAKS: Final[Choices] = [
    (0, "None"),
    (30, "30 seconds"),
    (60, "1 minute"),
    (120, "2 minutes"),
    (300, "5 minutes"),
    (600, "10 minutes"),
    (900, "15 minutes"),
]
TURNS: Final[Choices] = [
    ("", f"No limit; in duplicate events {USUAL_TURN} seconds"),
    (15, "15 seconds"),
    (30, "30 seconds"),
    (45, "45 seconds"),
    (60, "1 minute"),
    (120, "2 minutes"),
]
WHO: Final[Choices] = [
    (True, "Members of the club"),
    (False, "Everybody with an account"),
]


class SectionPart(NamedTuple):
    """A field in its section.

    formats, only: the formats and the other choice that it is shown for; empty: always.
    """

    field: forms.BoundField
    formats: str
    only: str
    check: bool


class Section(NamedTuple):
    """A group of fields. rare: usually left as they are, so the section is collapsed."""

    title: str
    words: str
    parts: list[SectionPart]
    rare: bool

    @property
    def wrong(self) -> bool:
        """Whether a field has an error, so that the section must be open."""
        return any(part.field.errors for part in self.parts)


#: The settings that depend on the format.
OF_FORMATS: Final = (
    "rounds", "movement", "cycles", "scoring", "second_stage", "tie_breaks", "sit_out",
    "late_half_wins",
)  # fmt: skip
#: The formats that a field is shown for.
SHOWN_FOR: Final = {
    setting: " ".join(key for key, one in FORMATS.items() if setting in one.settings)
    for setting in OF_FORMATS
} | {
    "match": " ".join(key for key, one in FORMATS.items() if not one.duplicate),
    "ties": " ".join(key for key, one in FORMATS.items() if not (one.duplicate or one.knock_out)),
}
#: The choice of another field that a field is shown for.
ONLY: Final = {
    "qualifiers": "second-stage",
    "third_place": "third-place",
    "room_from": "mixed",
    "venue": "room",
    "address": "room",
    "withdraw_absent": "stand-in",
    "deals": "deals",
    "final_match": "knock-out",
    "final_deals": "final-deals",
    "credit_half_wins": "fixed-credit",
    "tie_break_order": "own-order",
    "euchre_pot": "online",
}

SECTIONS: Final[Sequence[tuple[str, str, tuple[str, ...], bool]]] = (
    (
        "What is played",
        "",
        (
            "name", "rules", "place", "room_from", "venue", "address", "format", "rounds",
            "movement", "cycles", "scoring", "second_stage", "qualifiers",
        ),
        False,
    ),
    ("When", "", ("starts", "check_in_minutes", "recurrence", "no_event_on"), False),
    ("Who may enter", "", ("members_only", "capacity"), False),
    ("Description", "Text on its page.", ("about",), True),
    (
        "Registration and conditions",
        "Open from now until the start, for everybody who may enter.",
        (
            "registration_opens", "registration_closes", "minimum", "min_games", "min_rating",
            "max_rating", "rated",
        ),
        True,
    ),
    (
        "Matches and knock-out",
        "Every match is one game, including the final.",
        ("match", "deals", "ties", "third_place", "final_match", "final_deals"),
        True,
    ),
    (
        "Pace and no-shows",
        "No time limit, a minute’s break, five minutes’ wait.",
        (
            "round_minutes", "time_up", "break_seconds", "turn_seconds", "no_show_minutes",
            "no_show", "withdraw_absent", "delayed",
        ),
        True,
    ),
    (
        "Standings and sit-outs",
        "The usual tie-breaks; a sit-out is worth one’s own average; prizes are for people.",
        (
            "sit_out", "credit_half_wins", "late_half_wins", "tie_breaks",
            "tie_break_order", "house_prizes",
        ),
        True,
    ),
    (
        "Entry money and prizes",
        "None. The site counts what is due; it takes and pays no money.",
        ("entry_money", "currency", "club_share", "lone_pot", "euchre_pot", "prizes"),
        True,
    ),
)  # fmt: skip


class LocalTime(forms.DateTimeField):
    """A time in the active time zone, which is the club's.

    Years far from `now` are refused: they are typing errors, and the first and last dates of the
    calendar do not exist in every time zone.
    """

    widget = forms.DateTimeInput({"type": "datetime-local"}, format=LOCAL)
    now: datetime

    def __init__(self, **kwargs: Any) -> None:
        words = {
            "invalid": "Give the date and time, such as 2026-11-26 19:30.",
            "ambiguous_timezone": "The clocks change then: choose a time an hour earlier or later.",
        }
        super().__init__(error_messages=words, **kwargs)

    def to_python(self, value: Any) -> datetime | None:
        """Return the time; raise ValidationError if it is invalid or too far away."""
        years = range(self.now.year - YEARS_BACK, self.now.year + YEARS_AHEAD + 1)
        year = re.match(r"\s*(\d+)-", value) if isinstance(value, str) else None
        if year and int(year[1][:6]) not in years:
            raise forms.ValidationError(f"Choose a day of the years {years[0]} to {years[-1]}.")
        try:
            return super().to_python(value)
        except forms.ValidationError as error:  # replace Django's message about clock changes
            key = "ambiguous_timezone" if error.code == "ambiguous_timezone" else "invalid"
            raise forms.ValidationError(self.error_messages[key], code=key) from error


class Dates(forms.CharField):
    """Days as 2026-12-24, between commas or spaces; a sorted list of them."""

    def prepare_value(self, value: Any) -> Any:
        """Return the stored list as text."""
        return ", ".join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        """Return the list; raise ValidationError that quotes what is no date."""
        if isinstance(value, list):
            return value
        days = set()
        for word in re.split(r"[\s,;]+", (value or "").strip()):
            try:
                days |= {date.fromisoformat(word).isoformat()} if word else set()
            except ValueError as error:
                raise forms.ValidationError(
                    f"“{word[:30]}” is not a date. Write dates like 2026-12-24."
                ) from error
        if len(days) > MOST_FREE_DAYS:
            raise forms.ValidationError(
                f"Name at most {MOST_FREE_DAYS} days; these are {len(days)}."
            )
        return sorted(days)


class AmountField(forms.CharField):
    """An amount of money as a whole number of the smallest unit; empty is 0."""

    currency = ""

    def prepare_value(self, value: Any) -> Any:
        """Return a stored amount as text."""
        if isinstance(value, int):
            return amount_in_words(value, self.currency).replace(",", "") if value else ""
        return value

    def to_python(self, value: Any) -> Any:
        """Return the amount; raise ValidationError that quotes what is none."""
        try:
            return value if isinstance(value, int) else read_amount(value or "0", self.currency)
        except MoneyError as error:
            raise forms.ValidationError(str(error)) from error


class PrizesField(forms.CharField):
    """The prize of each place, "50%; 30%; 20%", as an event stores them."""

    currency = ""

    def prepare_value(self, value: Any) -> Any:
        """Return stored prizes as text."""
        if isinstance(value, list):
            return prizes_in_words(prizes_from(value), self.currency)
        return value

    def to_python(self, value: Any) -> Any:
        """Return the prizes; raise ValidationError that quotes what is none."""
        try:
            given = read_prizes(value or "", self.currency) if isinstance(value, str) else None
        except MoneyError as error:
            raise forms.ValidationError(str(error)) from error
        return value or [] if given is None else stored_prizes(given)


class TieBreaksField(forms.CharField):
    """Tie-breaks in their order, "Wins, Buchholz, Head-to-head", as an event stores them."""

    def prepare_value(self, value: Any) -> Any:
        """Return stored tie-breaks as text."""
        return _tie_breaks_in_words(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        """Return the tie-breaks; raise ValidationError that quotes what is none."""
        if isinstance(value, list):
            return value
        known = {_letters(name): one for one in USABLE for name in (one.value, one.label)}
        given = [word.strip() for word in re.split(r"[,;\n]", value or "") if word.strip()]
        if wrong := [word for word in given if _letters(word) not in known]:
            raise forms.ValidationError(
                f"“{wrong[0][:30]}” is no tie-break. Choose from: {_tie_breaks_in_words(USABLE)}."
            )
        return [str(known[_letters(word)]) for word in given]


def _tie_breaks_in_words(order: Iterable[str]) -> str:
    return ", ".join(TieBreak(one).label for one in order)


def _letters(text: str) -> str:
    """Return the letters and digits of a name, so that dashes and capitals do not matter."""
    return re.sub(r"[\W_]", "", text).lower()


class EventForm(Base):
    """All settings of an event; those that can no longer be changed are disabled."""

    name = NameField(label="Name", max_length=80)
    rules = forms.ChoiceField(label="Rules")
    venue = NameField(
        label="Name of the place",
        max_length=80,
        required=False,
        help_text="Such as The Old Mill. It is on its page, in letters and in calendars.",
    )
    address = NameField(
        label="Its address",
        max_length=160,
        required=False,
        help_text="As people find it: street, house and town.",
    )
    format = forms.ChoiceField(
        label="Format",
        choices=FORMAT_GROUPS,
        help_text="For two stages choose the first one here.",
    )
    capacity = WholeNumber(
        least=MIN_PLACES,
        most=MAX_ENTRIES,
        label="Places",
        help_text="Players, or partnerships. Later ones go on the waiting list.",
    )
    starts = LocalTime(label="Starts")
    no_event_on = Dates(
        label="Not on these days",
        required=False,
        help_text="Holidays, for example: 2026-12-24, 2026-12-31.",
    )
    registration_opens = LocalTime(
        label="Registration opens", required=False, help_text="Empty: at once."
    )
    registration_closes = LocalTime(
        label="Registration closes", required=False, help_text="Empty: when it starts."
    )
    minimum = WholeNumber(
        least=MIN_PLACES,
        most=MAX_ENTRIES,
        label="At least",
        required=False,
        help_text="With fewer entries it is cancelled. Empty: as few as the format needs.",
    )
    members_only = forms.TypedChoiceField(
        label="Open to", choices=WHO, coerce=lambda value: value == "True"
    )
    check_in_minutes = forms.TypedChoiceField(label="Check-in", choices=CHECK_IN, coerce=int)
    second_stage = forms.ChoiceField(
        label="Second stage: a knock-out of the best", choices=SECOND_STAGES, required=False
    )
    credit_half_wins = forms.TypedChoiceField(label="A sit-out is worth", choices=WORTH, coerce=int)
    late_half_wins = forms.TypedChoiceField(
        label="A round missed by coming late is worth", choices=WORTH, coerce=int
    )
    break_seconds = forms.TypedChoiceField(label="Break between rounds", choices=BREAKS, coerce=int)
    turn_seconds = forms.TypedChoiceField(
        label="Time to act",
        choices=TURNS,
        coerce=int,
        empty_value=None,
        required=False,
        help_text=(
            "After that a house player acts until the player comes back. A duplicate event always"
            " has a limit: at a slow table somebody could be told deals that others have played."
        ),
    )
    tie_breaks = forms.ChoiceField(
        label="Order of the tie-breaks",
        choices=[(USUAL, "The usual one of the format"), (OWN, "Another one")],
        widget=forms.RadioSelect,
    )
    tie_break_order = TieBreaksField(
        label="In this order, then by lot",
        required=False,
        help_text=f"Some of these, with commas between them: {_tie_breaks_in_words(USABLE)}.",
    )
    entry_money = AmountField(
        label="Entry money",
        required=False,
        help_text="For each player, or each partnership if they enter together. Empty: none.",
    )
    club_share = AmountField(label="Of that to the club", required=False)
    lone_pot = AmountField(
        label="To a pot for lone hands",
        required=False,
        help_text="For whoever takes all five tricks alone most often.",
    )
    euchre_pot = AmountField(
        label="To a pot for euchres",
        required=False,
        help_text="For whoever euchres the other side most often.",
    )
    prizes = PrizesField(
        label="Payouts by place",
        required=False,
        help_text=(
            "The rest goes to the prizes. Percentages of it, 50%; 30%; 20%, or amounts, 40; 20,"
            " which are paid first."
        ),
    )

    class Meta:
        model = Event
        fields = (
            "name", "about", "place", "room_from", "venue", "address", "format", "rounds",
            "movement", "cycles", "scoring", "third_place",
            "second_stage", "qualifiers", "match", "deals", "ties", "final_match", "final_deals",
            "sit_out", "credit_half_wins", "late_half_wins", "rated",
            "house_prizes", "capacity",
            "minimum", "members_only", "min_rating", "max_rating", "min_games",
            "registration_opens", "registration_closes", "check_in_minutes", "starts",
            "recurrence", "no_event_on", "round_minutes", "time_up",
            "break_seconds", "turn_seconds", "no_show", "no_show_minutes",
            "withdraw_absent", "delayed", "entry_money", "club_share", "lone_pot", "euchre_pot",
            "prizes",
        )  # fmt: skip
        field_classes = {"about": MultilineField}  # noqa: RUF012
        widgets = {"about": forms.Textarea({"rows": 4})}  # noqa: RUF012
        labels = {  # noqa: RUF012
            "about": "About the event",
            "place": "Where it is played",
            "room_from": "First table in the room",
            "movement": "Movement",
            "cycles": "Everybody meets everybody",
            "scoring": "Score of a deal",
            "third_place": "Losers of the semi-finals play for third place",
            "qualifiers": "How many qualify",
            "match": "A match is",
            "deals": "Hands of a match",
            "ties": "When a match is tied",
            "final_match": "The final is",
            "final_deals": "Hands of the final",
            "sit_out": "When the number is odd",
            "rated": "Games count for ratings",
            "delayed": "Spectators see each hand two hands later",
            "house_prizes": "House players can win prizes",
            "min_rating": "Lowest rating",
            "max_rating": "Highest rating",
            "min_games": "Finished games needed",
            "recurrence": "Repeat",
            "round_minutes": "Minutes for a round",
            "time_up": "When time is up",
            "no_show": "Players who have not come by then",
            "no_show_minutes": "Minutes to come to the table",
            "withdraw_absent": "Withdraw players who miss two rounds in a row",
        }
        help_texts = {  # noqa: RUF012
            "place": (
                "Online the site deals and counts. In the room you play with real cards, and the"
                " director enters the score of each table. Duplicate is online."
            ),
            "room_from": (
                "Tables with this number and above are in the room. Any table can be moved on the"
                " director’s page before it begins; tables with a house player are online."
            ),
            "rounds": "Empty: as many as fit the number of players.",
            "movement": (
                "Partners part. The fixed movement does not depend on results, so cards for the "
                "whole night can be printed."
            ),
            "cycles": "How often.",
            "deals": f"In a duplicate event the deals of a round; empty: {USUAL_DEALS}.",
            "ties": (
                "After its last hand, or when the round’s time is up. A knock-out match always has"
                " a winner."
            ),
            "qualifiers": (
                f"Empty: {FEW_QUALIFIERS}, from {MANY_PLACES} places on {MANY_QUALIFIERS}."
                " Single players are paired, the best with the last."
            ),
            "round_minutes": "Empty: no limit; a round ends with its last table.",
            "recurrence": (
                "The next one is created when this one begins; if registration opened at once, so"
                " does the next. In the same week: on the second Thursday, for example. A night"
                " that is moved does not move those after it."
            ),
            "sit_out": "In Swiss a bye is a win; in a round robin all have equally many.",
            "no_show": "Players who lose two matches in a row like this are withdrawn.",
            "withdraw_absent": "They get a warning by e-mail after the first round.",
            "delayed": "From the next round on, if the event is running.",
            "rated": "Games in the room have ratings of their own, apart from those online.",
            "min_rating": "Empty: any.",
            "max_rating": "Empty: any.",
        }

    def __init__(
        self, club: Club, now: datetime, *, fixed: Collection[str] = (), **kwargs: Any
    ) -> None:
        """Prepare the fields, those in `fixed` disabled; the club's time zone must be active."""
        super().__init__(**kwargs)
        self.club, self.now = club, now
        self._ask_currency(self.instance.currency if "entry_money" in fixed else club.currency)
        for name, field in self.fields.items():
            if isinstance(field, LocalTime):
                field.now = now
                last = now.astimezone(club.zone).replace(year=now.year + YEARS_AHEAD, day=1)
                field.widget.attrs["max"] = last.strftime(LOCAL)
                if name == "starts" and self.instance.state == Event.State.DRAFT:
                    field.widget.attrs["min"] = now.astimezone(club.zone).strftime(LOCAL)
            elif name in NUMBERS:
                least, most = NUMBERS[name]
                self.fields[name] = WholeNumber(
                    least=least,
                    most=most,
                    label=field.label,
                    help_text=field.help_text,
                    required=field.required,
                )
        self.house = {f"{CLUB_RULES}{house.pk}": house.rules for house in club.house_rules.all()}
        self._offer_rules()
        order, usual = self.instance.tie_breaks, self._usual_order()
        self.initial["tie_breaks"] = USUAL if order in ([], usual) else OWN
        self.initial["tie_break_order"] = order or usual
        # Leave fields empty whose value is their default.
        event = self.instance
        if event.registration_closes == event.starts:
            self.initial["registration_closes"] = None
        if event.state == Event.State.DRAFT and event.registration_opens <= self.now:
            self.initial["registration_opens"] = None
        if event.minimum == self._least(event.qualifiers):
            self.initial["minimum"] = None
        self.fields["starts"].help_text = f"{zone_name(club.zone)}, the club’s time zone."
        for name in ("check_in_minutes", "break_seconds", "turn_seconds"):
            self._offer_present(name)
        self.fields["final_match"].choices = [  # type: ignore[attr-defined]
            ("", "Like all others"),
            *Event.Match.choices,
        ]
        for name, field in self.fields.items():
            model_field = {"rules": "rules_data", "tie_break_order": "tie_breaks"}
            field.disabled = model_field.get(name, name) in fixed

    @property
    def sections(self) -> list[Section]:
        return [
            Section(
                title,
                words,
                [
                    SectionPart(
                        self[name],
                        SHOWN_FOR.get(name, ""),
                        ONLY.get(name, ""),
                        isinstance(self.fields[name].widget, forms.CheckboxInput),
                    )
                    for name in names
                    if name in self.fields
                ],
                rare,
            )
            for title, words, names, rare in SECTIONS
        ]

    @property
    def usual_orders(self) -> list[tuple[str, str]]:
        return [
            (key, ", ".join(tie_break.label.lower() for tie_break in one.usual_order))
            for key, one in FORMATS.items()
            if one.usual_order
        ]

    def clean_starts(self) -> datetime:
        """Refuse a start in the past."""
        starts: datetime = self.cleaned_data["starts"]
        if starts <= self.now and not self.fields["starts"].disabled:
            here = local_time_in_words(self.now, self.club.zone)
            raise forms.ValidationError(f"It must be in the future; it is {here} now.")
        return starts

    def clean_recurrence(self) -> str:
        """Refuse a fifth weekday of the month, which most months do not have."""
        recurrence: str = self.cleaned_data["recurrence"]
        starts = self.cleaned_data.get("starts")
        changed = recurrence != self.instance.recurrence or self.instance.series_day is None
        if recurrence == Event.Recurrence.MONTHLY and starts and changed:
            day = starts.astimezone(self.club.zone).date()
            if week_of_month(day) == LAST:
                raise forms.ValidationError(
                    f"Most months have no fifth {day:%A}."
                    f" Choose “in the last week” for the last {day:%A}."
                )
        return recurrence

    def clean(self) -> dict[str, Any]:
        """Fill in defaults, and copy rules and tie-breaks to the event.

        The model checks which settings go together.
        """
        given = self.cleaned_data
        if "rules" in given:
            self.instance.rules_data = rules_to_data(self._rules_by_key()[given["rules"]])
        self.instance.format = given.get("format", "")
        self.instance.currency = self.fields["entry_money"].currency  # type: ignore[attr-defined]
        if not self.fields["tie_breaks"].disabled:
            own = given.get("tie_breaks") == OWN
            order = given.get("tie_break_order", []) if own else self._usual_order()
            self.instance.tie_breaks = order
            if own and not order and "tie_break_order" not in self.errors:
                self.add_error("tie_breaks", "Name at least one; the lot decides the rest.")
        unsaid = given.get("qualifiers") is None and "qualifiers" not in self.errors
        if given.get("second_stage") and unsaid and given.get("capacity"):
            count = MANY_QUALIFIERS if given["capacity"] >= MANY_PLACES else FEW_QUALIFIERS
            given["qualifiers"] = min(count, given["capacity"])
        if given.get("registration_opens") is None:
            opens = min(self.now, self.instance.created)  # which a repeated event goes by
            given["registration_opens"] = opens.replace(second=0, microsecond=0)
        if given.get("registration_closes") is None:
            given["registration_closes"] = given.get("starts")
        if given.get("minimum") is None and "minimum" not in self.errors:
            given["minimum"] = self._least(given.get("qualifiers"))
        # In the room not every hand is written down, so that euchres are not counted. Events that
        # had such a pot before keep it: `money.sheet` counts the hands written.
        before = self.instance
        had = before.pk and before.place != Event.Place.ONLINE and before.euchre_pot
        fixed = self.fields["euchre_pot"].disabled
        if given.get("place") != Event.Place.ONLINE and not (had or fixed):
            given["euchre_pot"] = 0
        return given

    def _usual_order(self) -> list[str]:
        return [str(one) for one in self.instance.first_stage.usual_order]

    def _least(self, qualifiers: int | None) -> int:
        """Return the fewest entries that the event can be played with."""
        return max(self.instance.first_stage.least_entries, qualifiers or 0)

    def _ask_currency(self, known: str) -> None:
        """Give the amounts their currency, which is asked beside them if the club has none."""
        currency = known
        if not known:
            choices = [("", "Choose one"), *((code, code) for code in CURRENCIES)]
            used = self.club.events.exclude(currency="").order_by("-pk")
            self.fields["currency"] = forms.ChoiceField(
                label="Currency",
                choices=choices,
                required=False,
                initial=self.instance.currency or used.values_list("currency", flat=True).first(),
                help_text="The club has none yet. Its owner can choose one in its settings.",
                error_messages={"invalid_choice": "Choose one of the listed currencies."},
            )
            given = self["currency"].value() or ""
            currency = given if given in CURRENCIES else ""
        for field in self.fields.values():
            if isinstance(field, (AmountField, PrizesField)):
                field.currency = currency
        if known:
            self.fields["entry_money"].label = f"Entry money in {known}"

    def _offer_rules(self) -> None:
        field = self.fields["rules"]
        choices: Choices = [
            ("Published", [(key, rule_words.brief(rules)) for key, rules in RULE_SETS.items()])
        ]
        if self.house:
            own = [(key, rule_words.brief(rules)) for key, rules in self.house.items()]
            choices.append((f"Of {self.club.name}", own))
        known = self._rules_by_key()
        if self.instance.rules_data:
            present = self.instance.rules
            same = (key for key, rules in known.items() if rules == present)
            self.initial["rules"] = next(same, AS_IT_IS)
            if self.initial["rules"] == AS_IT_IS:
                choices.append((AS_IT_IS, f"As it is: {rule_words.brief(present)}"))
        field.choices = choices  # type: ignore[attr-defined]

    def _rules_by_key(self) -> dict[str, RuleSet]:
        known = {**RULE_SETS, **self.house}
        if self.instance.rules_data:
            known[AS_IT_IS] = self.instance.rules
        return known

    def _offer_present(self, name: str) -> None:
        field, value = self.fields[name], getattr(self.instance, name)
        choices: Choices = list(field.choices)  # type: ignore[attr-defined]
        if value is not None and value not in [choice for choice, _label in choices]:
            unit = name.rsplit("_", maxsplit=1)[-1]
            field.choices = [*choices, (value, f"{value} {unit}")]  # type: ignore[attr-defined]
