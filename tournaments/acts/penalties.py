"""Penalties in points at a match, or a warning.

At a table in the room whose match goes on, a penalty is a line of its score card and counts like
the points of a hand. A match that is over gets another result, as by a correction; a game to a
target that has been won stays won. While a match is played online only a warning can be given, as
its game counts its own points.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

from django import forms
from django.http import HttpRequest

from games.access import SEALED
from games.form_fields import WholeNumber
from games.models import Player
from tournaments.acts import correcting
from tournaments.acts.base import Names, TableAct
from tournaments.acts.page import ActPage
from tournaments.changes import row_locks
from tournaments.events import acts
from tournaments.events.notices import note
from tournaments.models import Act, Correction, Event, Pairing, ScoreLine
from tournaments.refusals import RefusedError
from tournaments.results import corrections, matches, penalties, possible
from tournaments.results.match_lines import matches_of, teams_drawn
from tournaments.results.penalties import (
    LONE_RENEGE,
    OTHER,
    POINTS,
    RENEGE,
    TABLE_TALK,
    WARNING,
    Points,
)
from tournaments.results.possible import Ruling
from tournaments.room_scores import cards, writing
from tournaments.standings import conflicts_of_interest

#: The most points that a penalty gives or takes.
MOST: Final = 20


@dataclass(frozen=True, slots=True)
class Penalty:
    """A penalty against a side; `points` are those of `OTHER`, negative if they are taken off."""

    side: int
    offence: str
    points: int = 0

    @property
    def given(self) -> Points:
        """The points for each side."""
        number = POINTS.get(self.offence, self.points)
        gains = 1 - self.side if number > 0 else self.side
        return (number, 0) if gains == 0 else (0, number)


class PenaltyForm(forms.Form):
    """Which side has done what; the points are asked only where nothing sets them."""

    GIVE, TAKE = "give", "take"
    side = forms.TypedChoiceField(
        label="Against",
        coerce=int,
        error_messages=dict.fromkeys(("required", "invalid_choice"), "Say against which side."),
    )
    what = forms.ChoiceField(
        label="For",
        choices=[
            (RENEGE, "Renege: 2 points to the other side"),
            (LONE_RENEGE, "Renege on a lone hand: 4 points to the other side"),
            (TABLE_TALK, "Table talk: 1 point to the other side"),
            (WARNING, "Warning, no points"),
            (GIVE, "Something else: points to the other side"),
            (TAKE, "Something else: points off their own"),
        ],
    )
    points = WholeNumber(
        label="Points", least=1, most=MOST, required=False, help_text="Only for something else."
    )

    def __init__(self, *args: Any, event: Event, match: Pairing, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        (line,) = matches_of(event, Pairing.objects.filter(pk=match.pk), teams_drawn(event))
        names = zip(("North–south", "East–west"), line.sides, strict=True)
        sides = [(at, f"{name}: {side.team.name}") for at, (name, side) in enumerate(names)]
        self.fields["side"].choices = sides  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        other = said.get("what") in (self.GIVE, self.TAKE)
        if other and not said.get("points") and "points" not in self.errors:
            self.add_error("points", "Say how many points.")
        return said

    @property
    def penalty(self) -> Penalty:
        said = self.cleaned_data
        if said["what"] in (self.GIVE, self.TAKE):
            points = said["points"] if said["what"] == self.GIVE else -said["points"]
            return Penalty(said["side"], OTHER, points)
        return Penalty(said["side"], said["what"])


class _Case(NamedTuple):
    """A match on which a director rules, with its event locked."""

    event: Event
    match: Pairing
    by: Player
    reason: str
    now: datetime


def give(match: Pairing, penalty: Penalty, by: Player, *, reason: str, now: datetime) -> None:
    """Give a side of a match a penalty.

    Raises RefusedError if it would change nothing, the match is being played online, was forfeited
    or is of a duplicate event, the next round was drawn with another winner, or `by` plays in it.
    """
    reason = acts.reason(reason)
    if penalty.offence == OTHER and not 1 <= abs(penalty.points) <= MOST:
        raise RefusedError("points", f"Give or take 1 to {MOST} points.", 422)
    with row_locks.changing(match.round.event) as event:
        row = _match(event, match.pk)
        decided = row.state == Pairing.State.DECIDED
        if not correcting.can_be_set(event, decided=decided):
            state = event.get_state_display()
            raise RefusedError("not running", f"Nobody plays in an event that is “{state}”.")
        conflicts_of_interest.check_result(event, row, by)
        words = penalties.in_words(penalty.offence, penalty.side, penalty.given)
        before: dict[str, Any] = {}
        after: dict[str, Any] = {"words": words}
        if any(penalty.given):
            _check_points(event, row)
            before, score = _give_points(_Case(event, row, by, reason, now), penalty)
            after |= score
        where = f"Round {row.round.number}, table {row.number}"
        note(event, f"{where}: {words}. {reason}", by, public=True)
        acts.record(
            event, Act.Kind.PENALTY, by, now, on=row, reason=reason, before=before, after=after
        )


def _match(event: Event, pk: int) -> Pairing:
    rows = Pairing.objects.select_related("round", "table__shared_deals")
    return rows.prefetch_related("entries__entry").get(pk=pk, round__event=event)


def _check_points(event: Event, match: Pairing) -> None:
    where = f"Table {match.number}"
    if match.table is not None and match.table.sealed:
        raise RefusedError("sealed", SEALED)
    if event.first_stage.duplicate:
        words = "In a duplicate event deals are compared, not points. Give a warning."
        raise RefusedError("duplicate", words)
    if match.state != Pairing.State.DECIDED and not match.in_room:
        words = f"{where} plays online. Give points when its match is over, or a warning now."
        raise RefusedError("online", words)
    if match.how == Pairing.How.FORFEIT or _ended(event, match) == possible.FORFEIT:
        raise RefusedError("forfeit", f"{where} was forfeited, and a forfeit has no points.")


def _ended(event: Event, match: Pairing) -> str:
    decided = match.state == Pairing.State.DECIDED
    return corrections.result_of(event, match)["ended"] if decided else ""


def _give_points(case: _Case, penalty: Penalty) -> tuple[dict[str, Any], dict[str, Any]]:
    """Change the score of a match, and return what it was and is."""
    event, match = case.event, case.match
    decided = match.state == Pairing.State.DECIDED
    before = corrections.result_of(event, match) if decided else _card_score(event, match)
    for side, points in enumerate(penalty.given):
        _add(match, side, points)
    match.save(update_fields=["penalty_0", "penalty_1"])
    after: dict[str, Any] = {"given": list(penalty.given)}
    if match.in_room:
        values = {"offence": penalty.offence, "points": list(penalty.given)}
        line = _write(case, ScoreLine.Kind.PENALTY, penalty.side, values)
        after["line"] = line.key
    if decided:
        after |= _change_result(case, penalty.given)
    else:
        after |= _card_score(event, match)
    if after["points"] == before["points"]:
        score = f"{before['points'][0]}–{before['points'][1]}"
        words = f"It would change nothing: the score of table {match.number} stays {score}."
        raise RefusedError("same", words)
    return before, after


def _add(match: Pairing, side: int, points: int) -> None:
    name = f"penalty_{side}"
    setattr(match, name, getattr(match, name) + points)


def _write(case: _Case, kind: str, side: int, values: dict[str, Any]) -> ScoreLine:
    key = f"director {secrets.token_hex(12)}"
    return ScoreLine.objects.create(
        pairing=case.match,
        key=key,
        kind=kind,
        side=side,
        values=values,
        player=case.by,
        at=case.now,
    )


def _card_score(event: Event, match: Pairing) -> dict[str, Any]:
    """Return the score of a match in the room that goes on."""
    card = cards.card_of(event, match, writing.lines_of(match))
    return {"points": list(card.points)}


def _change_result(case: _Case, given: Points) -> dict[str, Any]:
    """Give a match that is over another result, and return that."""
    event, match = case.event, case.match
    before = corrections.result_of(event, match)
    *others, last = [(one[0], one[1]) for one in before["scores"]] or [match.points]
    several = possible.most_games(event, match) > 1
    kind, _deals = matches.match_kind(event, match)
    target = None if kind == Event.Match.DEALS else event.rules.target
    score = penalties.applied(last, given, target)
    winner = before["winner"]
    if not several and (target is None or max(last) < target):
        winner = _leader(event, match, score, before["ended"])
    lone = match.lone_hands if match.in_room else None
    ruling = Ruling(winner, before["ended"], (*others, score), lone)
    after = {
        **before,
        "winner": winner,
        "points": list(ruling.points),
        "games": list(ruling.games),
        "how": Pairing.How.DIRECTOR.value,
        "scores": [list(one) for one in ruling.scores],
    }
    change = Correction(
        pairing=match, by=case.by, at=case.now, before=before, after=after, reason=case.reason
    )
    correcting.change_result(event, change, ruling, "")
    return after


def _leader(event: Event, match: Pairing, score: Points, ended: str) -> int:
    """Return who wins a match with a score, by lot where one tied on time needs a winner."""
    winner = matches.leader(*score)
    if winner != matches.TIE or not matches.needs_winner(event, match.round):
        return winner
    if ended == possible.TIME:
        return matches.by_lot(match)
    raise RefusedError("tie", f"At {score[0]}–{score[1]} this match would have no winner.")


class GivePenalty(TableAct):
    kind, words = Act.Kind.PENALTY, "Gave a penalty"
    address = "rounds/<num:number>/tables/<num:table>/penalty/"
    url_name = "penalty"
    offered, brief = "Penalty", "renege, table talk, or a warning"

    def page(self, request: HttpRequest, event: Event, by: Player, match: Any) -> ActPage:
        """Return its page; a link may name the `side` alone, and what it has done is asked."""
        sent = request.POST if request.method == "POST" else request.GET
        bound = sent if request.method == "POST" or "what" in sent else None
        side = {"side": sent.get("side")}
        form = PenaltyForm(bound, initial=side, event=event, match=match)
        return ActPage(
            title=f"Penalty at table {match.number}, round {match.round.number}",
            explains=(
                "Points count for the score of this match; at a table in the room that still plays,"
                " they go on its score card. A game that has been won stays won."
            ),
            submit_label="Give this penalty",
            done=f"The penalty at table {match.number} is given.",
            until=(
                "Can be undone until the score is signed with it, or something else depends on it."
            ),
            verb=lambda reason, now: give(match, form.penalty, by, reason=reason, now=now),
            choice=form,
        )

    def title(self, row: Act) -> str:
        return f"{self.words}, {row.after['words']}"

    def value(self, _event: Event, values: dict[str, Any], _names: Names) -> str:
        if "how" in values:
            return corrections.in_words(values)
        return "{}–{}".format(*values["points"]) if "points" in values else ""

    def undo(self, event: Event, row: Act, by: Player, now: datetime) -> None:
        """Lift it: its line of the card, or the result that it changed."""
        match = _match(event, Pairing.objects.get(acts=row).pk)
        conflicts_of_interest.check_result(event, match, by)
        if "given" not in row.after:
            return
        was_decided = "how" in row.before
        if was_decided and match.state != Pairing.State.DECIDED:
            raise RefusedError("depends", f"The match at table {match.number} is played again.")
        if match.state == Pairing.State.DECIDED and not was_decided:
            words = f"Table {match.number} has a result with it since. Correct the result instead."
            raise RefusedError("depends", words)
        for side, points in enumerate(row.after["given"]):
            _add(match, side, -points)
        match.save(update_fields=["penalty_0", "penalty_1"])
        if "line" in row.after:
            line = match.score_lines.get(key=row.after["line"])
            _write(
                _Case(event, match, by, "", now),
                ScoreLine.Kind.LIFT,
                line.side,
                {"penalty": line.key},
            )
        if was_decided:
            correcting.take_back(event, row, by, now)
