"""Forms of the director's page."""

from collections.abc import Sequence
from typing import Any

from django import forms

from games.form_fields import WholeNumber
from tournaments.acts import correcting
from tournaments.models import Event, Pairing
from tournaments.results import matches, possible
from tournaments.results.match_lines import MatchLine
from tournaments.results.possible import Ruling

TIE = "-1"


class ResultForm(forms.Form):
    """The result of a match, set by hand; impossible results are refused by field."""

    winner = forms.TypedChoiceField(label="Winner", widget=forms.RadioSelect, coerce=int)
    ended = forms.ChoiceField(
        label="How it ended", widget=forms.RadioSelect, initial=possible.PLAYED
    )
    reason = forms.CharField(
        label="Reason",
        max_length=200,
        help_text=(
            "Everybody who sees the event can read it, with your name and the old result."
            " At most 200 characters."
        ),
    )

    def __init__(
        self, *args: Any, event: Event, pairing: Pairing, match: MatchLine, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.event, self.pairing = event, pairing
        north, east = (side.team.name for side in match.sides)
        sides = [("0", north), ("1", east)]
        knock_out = matches.needs_winner(event, pairing.round)
        nobody = "a forfeit by both, who are out" if knock_out else "a tie, or a forfeit by both"
        sides.append((TIE, f"Nobody: {nobody}"))
        self.fields["winner"].choices = sides  # type: ignore[attr-defined]
        ways = [(possible.PLAYED, "Played to its end"), (possible.FORFEIT, "By forfeit")]
        if possible.limited(pairing):
            ways.insert(1, (possible.TIME, "On time"))
        self.fields["ended"].choices = ways  # type: ignore[attr-defined]
        self.games = possible.most_games(event, pairing)
        for game in range(self.games):
            for side, name in enumerate((north, east)):
                label = f"Points of {name}" + (f", game {game + 1}" if self.games > 1 else "")
                self.fields[possible.field(event, pairing, game, side)] = WholeNumber(
                    least=0, most=possible.MAX_POINTS, label=label, required=False
                )
        self.lone = pairing.in_room and event.rules.alone
        if self.lone:
            for side, name in enumerate((north, east)):
                self.fields[f"lone_{side}"] = WholeNumber(
                    least=0, most=possible.MAX_POINTS, label=f"Lone marches of {name}",
                    required=False,
                )  # fmt: skip
        if not correcting.needs_reason(pairing):
            self.fields["reason"].label = "Remark"
            self.fields["reason"].required = False
            self.fields["reason"].help_text = "For the event’s record. At most 200 characters."

    @property
    def points(self) -> list[tuple[forms.BoundField, forms.BoundField]]:
        """The fields in pairs: the points of each game, and the lone marches."""
        pairs = [
            (self[self._name(game, 0)], self[self._name(game, 1)]) for game in range(self.games)
        ]
        return [*pairs, (self["lone_0"], self["lone_1"])] if self.lone else pairs

    @property
    def sent(self) -> list[tuple[str, str]]:
        """The names and values of what was entered."""
        values = [(one.html_name, one.value()) for one in self]
        return [(name, value) for name, value in values if value is not None]

    @property
    def ruling(self) -> Ruling:
        data = self.cleaned_data
        both = [
            (data[self._name(game, 0)], data[self._name(game, 1)]) for game in range(self.games)
        ]
        scores = tuple((first or 0, second or 0) for first, second in both[: self._begun(both)])
        lone = (data["lone_0"] or 0, data["lone_1"] or 0) if self.lone else None
        return Ruling(data["winner"], data["ended"], scores, lone)

    def clean(self) -> dict[str, Any]:
        if not self.errors and self.cleaned_data["ended"] != possible.FORFEIT:
            # Both points are required for the only game, and for each that was begun.
            names = [(self._name(game, 0), self._name(game, 1)) for game in range(self.games)]
            both = [tuple(self.cleaned_data[name] for name in pair) for pair in names]
            for pair, points in zip(names[: max(1, self._begun(both))], both, strict=False):
                for name, value in zip(pair, points, strict=True):
                    if value is None:
                        self.add_error(name, "Enter the points of both sides.")
        if not self.errors:
            for field, words in possible.errors(self.event, self.pairing, self.ruling):
                self.add_error(field if field in self.fields else None, words)
        return self.cleaned_data

    def _name(self, game: int, side: int) -> str:
        return possible.field(self.event, self.pairing, game, side)

    @staticmethod
    def _begun(both: Sequence[Sequence[int | None]]) -> int:
        """Return the number of games, up to the last one with points."""
        said = (at for at, points in enumerate(both, start=1) if any(p is not None for p in points))
        return max(said, default=0)
