"""How the form of an event is laid out: which fields belong together, and when each is asked."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from django import forms

from tournaments.formats.tie_breaks import TieBreak

#: The fields that name the tie-breaks by rank; the lot, always last, has none.
RANKS: Final = tuple(f"tie_break_{rank}" for rank in range(1, len(TieBreak)))


class SectionPart(NamedTuple):
    """A field in its section. only: the formats or the choice it is for, or nothing: all."""

    field: forms.BoundField
    only: str
    check: bool


class Section(NamedTuple):
    """Fields that belong together. rare: most events leave them as they are."""

    title: str
    words: str
    parts: list[SectionPart]
    rare: bool

    @property
    def wrong(self) -> bool:
        """Whether one of them has an error, so that it must be in sight."""
        return any(part.field.errors for part in self.parts)


#: Which formats, or which choice of another field, a field is for.
ONLY: Final = {
    "rounds": "rotation progressive swiss",
    "movement": "progressive",
    "cycles": "round_robin",
    "second_stage": "rotation progressive swiss round_robin",
    "qualifiers": "second-stage",
    "third_place": "third-place",
    "deals": "deals",
    "final_match": "knock-out",
    "final_deals": "final-deals",
    "tie_breaks": "rotation progressive swiss round_robin",
    "sit_out": "rotation progressive swiss round_robin",
    "credit_half_wins": "fixed-credit",
    **dict.fromkeys(RANKS, "own-order"),
}

SECTIONS: Final[Sequence[tuple[str, str, tuple[str, ...], bool]]] = (
    (
        "What is played",
        "",
        (
            "name", "rules", "format", "rounds", "movement", "cycles", "second_stage",
            "qualifiers",
        ),
        False,
    ),
    ("When", "", ("starts", "check_in_minutes", "repeats_weekly"), False),
    ("Who may enter", "", ("members_only", "capacity"), False),
    ("Description", "Words on its page.", ("about",), True),
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
        "A match is one game, the final too.",
        ("match", "deals", "third_place", "final_match", "final_deals"),
        True,
    ),
    (
        "Pace and no-shows",
        "No time limit, a minute’s break, five minutes’ wait.",
        (
            "round_minutes", "time_up", "break_seconds", "turn_seconds", "no_show_minutes",
            "no_show",
        ),
        True,
    ),
    (
        "Standings and sit-outs",
        "The usual tie-breaks; who sits out gets their own average; prizes are for people.",
        ("sit_out", "credit_half_wins", "tie_breaks", *RANKS, "house_prizes"),
        True,
    ),
)  # fmt: skip


def sections_of(form: forms.BaseForm) -> list[Section]:
    """Return a form's fields in the order of the page."""
    return [
        Section(
            title,
            words,
            [
                SectionPart(
                    form[name],
                    ONLY.get(name, ""),
                    isinstance(form.fields[name].widget, forms.CheckboxInput),
                )
                for name in names
            ],
            rare,
        )
        for title, words, names, rare in SECTIONS
    ]
