"""The form of a line of a score card, as phones send it, with scripts or without."""

from __future__ import annotations

import re
from typing import Any, Final

from django import forms

from games.form_fields import WholeNumber
from tournaments.models import ScoreLine
from tournaments.results import possible
from tournaments.room_scores import cards
from tournaments.room_scores.writing import WRITTEN, NewLine

Kind = ScoreLine.Kind

KEY: Final = r"[A-Za-z0-9-]{8,40}"
SCORES: Final = re.compile(r"\d{1,3}-\d{1,3}(,\d{1,3}-\d{1,3}){0,4}")
OUTCOMES: Final = (cards.NONE, cards.FEW, cards.MADE, cards.MARCH, cards.PASSED)
NEEDED: Final = {"required": "The page has not sent everything. Reload."}


def _key(*, required: bool) -> forms.RegexField:
    words = "A key has 8 to 40 letters, digits and hyphens."
    return forms.RegexField(
        f"^{KEY}$", required=required, error_messages=NEEDED | {"invalid": words}
    )


class SideForm(forms.Form):
    """Which side a phone writes for."""

    round = WholeNumber(least=1, most=999)
    side = WholeNumber(
        least=0, most=1, error_messages={"required": "Choose the side that you write for."}
    )


class LineForm(forms.Form):
    """A line of the card; which fields count depends on `kind`."""

    key = _key(required=True)
    kind = forms.ChoiceField(
        choices=[(kind, kind) for kind in WRITTEN],
        error_messages=NEEDED | {"invalid_choice": f"Kinds are {', '.join(WRITTEN)}."},
    )
    round = WholeNumber(least=1, most=999, error_messages=NEEDED)
    side = WholeNumber(
        least=0, most=1, error_messages={"required": "Choose the side that you write for."}
    )
    number = WholeNumber(least=0, most=999, required=False)
    seen = _key(required=False)
    caller = WholeNumber(least=0, most=1, required=False)
    took = forms.ChoiceField(
        choices=[(one, one) for one in OUTCOMES],
        required=False,
        error_messages={"invalid_choice": f"Tricks are {', '.join(OUTCOMES)}."},
    )
    alone = forms.BooleanField(required=False)
    defended = forms.BooleanField(required=False)
    points_0 = WholeNumber(least=0, most=possible.MAX_POINTS, required=False)
    points_1 = WholeNumber(least=0, most=possible.MAX_POINTS, required=False)
    lone_0 = WholeNumber(least=0, most=99, required=False)
    lone_1 = WholeNumber(least=0, most=99, required=False)
    scores = forms.CharField(max_length=40, required=False)
    drawn = forms.CharField(max_length=12, required=False)
    said = forms.CharField(max_length=200, required=False)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        kind = cleaned.get("kind")
        if self.errors:
            return cleaned
        if kind in (Kind.HAND, Kind.GAME, Kind.TAKE_BACK) and not cleaned["number"]:
            self.add_error("number", "Say which hand or game.")
        if kind == Kind.HAND:
            if not cleaned["took"]:
                self.add_error("took", "Say how many tricks they took.")
            elif cleaned["took"] != cards.PASSED and cleaned["caller"] is None:
                self.add_error("caller", "Say who called.")
        if kind == Kind.GAME and None in (cleaned["points_0"], cleaned["points_1"]):
            self.add_error("points_0", "Write the points of both sides.")
        if kind == Kind.SIGN and not SCORES.fullmatch(cleaned["scores"]):
            self.add_error("scores", "Say which score is signed, such as 10-6.")
        return cleaned

    @property
    def words(self) -> str:
        """The errors as one text."""
        return " ".join(str(error) for errors in self.errors.values() for error in errors)

    @property
    def line(self) -> NewLine:
        said = self.cleaned_data
        return NewLine(
            said["key"],
            said["kind"],
            said["round"],
            said["side"],
            0 if said["kind"] == Kind.SIGN else said["number"] or 0,
            said["seen"],
            self._values(Kind(said["kind"])),
            said["said"] if said["kind"] == Kind.DISPUTE else "",
            said["drawn"],
        )

    def _values(self, kind: Kind) -> dict[str, Any]:
        said = self.cleaned_data
        if kind == Kind.HAND:
            passed = said["took"] == cards.PASSED
            caller = cards.NOBODY if passed else said["caller"]
            hand = {"caller": caller, "took": said["took"], "alone": said["alone"] and not passed}
            return hand | ({"defended": True} if said["defended"] and not passed else {})
        if kind == Kind.GAME:
            return {
                "points": [said["points_0"], said["points_1"]],
                "lone": [said["lone_0"] or 0, said["lone_1"] or 0],
            }
        if kind == Kind.SIGN:
            games = said["scores"].split(",")
            signed = {"scores": [[int(part) for part in game.split("-")] for game in games]}
            lone = [said["lone_0"], said["lone_1"]]
            return signed if None in lone else signed | {"lone": lone}
        return {}
