"""The form by which a director lets house players play an event to watch."""

from collections.abc import Mapping
from typing import Any

from django import forms

from games.engine.rules import RULE_SETS, RuleSet
from games.form_fields import WholeNumber
from tournaments.services.house_events import LARGEST, PACES, TO_WATCH, ToWatch


def _choice(label: str, choices: Mapping[str, str]) -> forms.ChoiceField:
    """A choice that names all there are when another is sent."""
    wrong = {"invalid_choice": f"Choose one of {', '.join(choices)}."}
    return forms.ChoiceField(label=label, choices=list(choices.items()), error_messages=wrong)


class WatchForm(forms.Form):
    """What house players are to play: the published rule sets, every format, its size and pace."""

    format = _choice("Format", TO_WATCH)
    rules = _choice("Rules", {rules.key: rules.name for rules in RULE_SETS.values()})
    entries = WholeNumber(
        label="Entries",
        least=2,
        most=max(LARGEST.values()),
        initial=8,
        help_text="Players where partners change, else partnerships.",
    )
    pace = _choice("Pace", {key: pace.words for key, pace in PACES.items()})

    def clean(self) -> dict[str, Any]:
        """Refuse what does not go together, by field and with what is allowed."""
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        rules, wish = self.wish
        most = LARGEST[wish.format]
        if wish.individual and rules.players != 4:
            self.add_error("rules", "Where partners change it takes rules for four players.")
        if not wish.fewest <= wish.entries <= most:
            what = TO_WATCH[wish.format].partition(":")[0].lower()
            self.add_error("entries", f"From {wish.fewest} to {most} for {what}.")
        return cleaned

    @property
    def wish(self) -> tuple[RuleSet, ToWatch]:
        """What was chosen, once it is valid."""
        said = self.cleaned_data
        return RULE_SETS[said["rules"]], ToWatch(said["format"], said["entries"], said["pace"])
