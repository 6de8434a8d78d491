"""People whom a director enters or puts in for others, and results that an account claims."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypeAlias

from django.db.models import Q
from django.http import HttpRequest, QueryDict
from django.urls import reverse

from games.models import Player
from games.numbers import parse_number
from tournaments.acts.base import DirectorAct, EntryAct, Names
from tournaments.acts.page import ActPage, RemarkForm
from tournaments.attendance import claiming, newcomers, substitutes
from tournaments.entering import partners
from tournaments.events import event_words
from tournaments.models import Act, Entry, EntryPlayer, Event
from tournaments.refusals import RefusedError
from tournaments.results import place_owners
from tournaments.search.searching import MAX_LENGTH

Kind = Act.Kind
#: Members, and walk-ins by their names.
People: TypeAlias = Sequence[Player | str]


def people_in(event: Event, fields: QueryDict) -> People:
    """Return the members that fields `player` name, and the names of walk-ins in fields `name`.

    Raises RefusedError ``unknown``, 422.
    """
    sent = [parse_number(one) for one in fields.getlist("player")]
    numbers = [number for number in sent if number is not None]
    names = [one.replace("\0", "")[:MAX_LENGTH] for one in fields.getlist("name") if one.strip()]
    members = [partners.member(event, number) for number in numbers[: event.team_size]]
    return [*members, *names[: event.team_size]]


def fields_of(people: People) -> tuple[tuple[str, object], ...]:
    """Return people as the fields that `people_in` reads."""
    return tuple(("name", one) if isinstance(one, str) else ("player", one.pk) for one in people)


def seat_in(event: Event, number: int) -> EntryPlayer:
    """Return a seat of an entry; raise RefusedError ``unknown``, 404, if the event has none."""
    seats = event.entered_players.select_related("event", "entry", "player")
    seat = seats.filter(pk=number).first()
    if seat is None:
        raise RefusedError("unknown", "This event has no such seat.", 404)
    return seat


class Enter(DirectorAct):
    kind, words = Kind.ENTER, "Entered"
    address, url_name = "enter/", "enter_people"

    def page(self, request: HttpRequest, event: Event, by: Player, _target: Any) -> ActPage:
        """Return its page; fields `player` for each member, `name` for each walk-in."""
        people = people_in(event, request.POST if request.method == "POST" else request.GET)
        names = " and ".join(map(str, people))
        late, round_ = event.state == Event.State.RUNNING, event.played_rounds.count() + 1
        label = f"Let {names} in from round {round_}" if late else f"Enter {names}"
        until = f"round {round_} is drawn" if late else "the event starts"
        entered: list[Entry] = []

        def explains() -> str:
            rule = event_words.late_rule(event)
            return f"They play from the next round to be drawn. {rule}" if late and entered else ""

        def codes() -> list[str]:
            made = event.walk_ins.filter(player__entries__entry=entered[0])
            return [f"Code of {walk_in}: {walk_in.spaced_code}" for walk_in in made]

        return ActPage(
            title=f"{label}?",
            explains=explains,
            submit_label=label,
            done=f"{names}: in the event.",
            until=f"Can be undone until {until}.",
            verb=lambda reason, now: entered.append(
                newcomers.enter(event, people, by, now, reason=reason)
            ),
            hidden=fields_of(people),
            find_again=reverse("find_people", args=[event.pk]),
            told=codes,
            said=RemarkForm,
        )

    def undo(self, event: Event, row: Act, by: Player, now: datetime) -> None:
        newcomers.undo(event, row, by, now)


class _InRunningEvent(EntryAct):
    """An act whose undo would leave rounds behind that were taken away since."""

    def dependents(self, row: Act) -> Q:
        return super().dependents(row) | Q(kind__in=(Kind.TAKE_BACK, Kind.REDRAW))


class LetInLate(_InRunningEvent):
    kind, words = Kind.LATE, "Let in late"

    def undo(self, event: Event, row: Act, by: Player, now: datetime) -> None:
        newcomers.undo_late(event, row, by, now)


class _People(DirectorAct):
    def value(self, _event: Event, values: dict[str, Any], names: Names) -> str:
        return " & ".join(names.people[one] for one in values["players"])


class Substitute(_People, _InRunningEvent):
    kind, words = Kind.SUBSTITUTE, "Put in a substitute"
    address, url_name = "seats/<num:seat_id>/substitute/", "substitute"

    def target(self, event: Event, **where: int) -> Any:
        return seat_in(event, where["seat_id"])

    def page(self, request: HttpRequest, event: Event, by: Player, target: Any) -> ActPage:
        """Return its page; field `player` or `name`: the member or the walk-in."""
        seat: EntryPlayer = target
        fields = request.POST if request.method == "POST" else request.GET
        people = people_in(event, fields)[:1]
        if not people:
            words = "Say who takes the seat: a member, or a walk-in’s name."
            raise RefusedError("nobody", words, 422)
        (person,) = people
        owner = place_owners.owner_after(seat)
        rounds: list[int] = []

        def explains() -> str:
            if not rounds:
                return ""
            belongs = f", which still belongs to {owner}" if owner else ""
            house = (
                " The place is a person’s from then on: it can win prizes, and entry money is due."
                if seat.entry.house
                else ""
            )
            return (
                f"{person} plays from round {rounds[-1]}. Results and points stay with the place in"
                f" the event{belongs}; each person is rated for the matches they play themselves."
                f"{house}"
            )

        label = f"Put {person} in for {seat.player.name}"
        return ActPage(
            title=f"{label}?",
            explains=explains,
            submit_label=label,
            done=f"{person} plays for {seat.player.name}.",
            until=f"Can be undone until a match is decided, or a round is drawn, with {person}.",
            verb=lambda reason, now: rounds.append(
                substitutes.substitute(seat, person, by, now, reason=reason)
            ),
            hidden=fields_of(people),
            find_again=f"{reverse('find_people', args=[event.pk])}?seat={seat.pk}",
        )

    def undo(self, event: Event, row: Act, by: Player, now: datetime) -> None:
        substitutes.undo(event, row, by, now)


class Claim(_People):
    kind, words = Kind.CLAIM, "Claimed a walk-in’s results"

    def dependents(self, _row: Act) -> Q:
        return Q(pk=None)  # nothing that follows depends on whose the results are

    def undo(self, event: Event, row: Act, by: Player, now: datetime) -> None:
        claiming.undo(event, row, by, now)
