"""People whom a director enters or puts in for others, and results that an account claims."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, TypeAlias

from django.db.models import Q
from django.http import HttpRequest, QueryDict
from django.urls import reverse

from games.models import Player
from games.numbers import parse_number
from tournaments.acts.base import DirectorAct, EntryAct, Names, entry_of
from tournaments.acts.page import ActPage, RemarkForm
from tournaments.attendance import claiming, newcomers, substitutes
from tournaments.changes import row_images
from tournaments.entering import leaving_running_event, partners, places_and_waiting_list
from tournaments.events import event_words
from tournaments.events.states import UPCOMING
from tournaments.models import Act, Entry, EntryPlayer, Event, ListedName, Pairing
from tournaments.models.entries import COMPLETE
from tournaments.refusals import RefusedError
from tournaments.results import place_owners
from tournaments.room_scores.codes import codes_of
from tournaments.search.searching import MAX_LENGTH
from tournaments.standings import conflicts_of_interest

Kind = Act.Kind
#: Members, people on the club's list, and new names.
People: TypeAlias = Sequence[Player | ListedName | str]


def people_in(event: Event, fields: QueryDict) -> People:
    """Return the members that fields `player` name, people on the club's list by `listed`, and
    new names in fields `name`.

    Raises RefusedError ``unknown``, 422.
    """
    numbers, lines = (
        [number for one in fields.getlist(name) if (number := parse_number(one)) is not None]
        for name in ("player", "listed")
    )
    names = [one.replace("\0", "")[:MAX_LENGTH] for one in fields.getlist("name") if one.strip()]
    members = [partners.member(event, number) for number in numbers[: event.team_size]]
    listed = [_listed(event, number) for number in lines[: event.team_size]]
    return [*members, *listed, *names[: event.team_size]]


def _listed(event: Event, number: int) -> ListedName:
    row = event.club.listed_names.filter(pk=number).first()
    if row is None:
        raise RefusedError("unknown", f"Nobody on the list of {event.club.name} is that.", 422)
    return row


def fields_of(people: People) -> tuple[tuple[str, object], ...]:
    """Return people as the fields that `people_in` reads."""
    return tuple(
        ("name", one)
        if isinstance(one, str)
        else ("listed" if isinstance(one, ListedName) else "player", one.pk)
        for one in people
    )


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
        """Take the entry out; its place goes to the next on the waiting list."""
        if event.state not in UPCOMING:
            raise RefusedError("depends", "The event has started with them.")
        _check_there(row, COMPLETE)
        super().undo(event, row, by, now)
        places_and_waiting_list.promote(event, now)


class _InRunningEvent(EntryAct):
    """An act whose undo would leave rounds behind that were taken away since."""

    def dependents(self, row: Act) -> Q:
        return super().dependents(row) | Q(kind__in=(Kind.TAKE_BACK, Kind.REDRAW))


class LetInLate(_InRunningEvent):
    kind, words = Kind.LATE, "Let in late"

    def undo(self, event: Event, row: Act, by: Player, now: datetime) -> None:
        entry = _check_there(row, (Entry.State.CHECKED_IN,))
        conflicts_of_interest.check_withdrawal(event, entry, by)
        latest = entry.first_round - 1
        leaving_running_event.check_no_round_since(
            event, latest, "with them", "Withdraw them instead."
        )
        super().undo(event, row, by, now)
        late = event.acts.filter(kind=Kind.LATE).order_by("pk")
        if late[0].before["length"] is None and not late.filter(undone_by=None).exclude(pk=row.pk):
            event.rounds = None
            event.save(update_fields=["rounds"])


def _check_there(row: Act, states: Collection[str]) -> Entry:
    """Return the entry that an act made or revived; refuse if it has left, or would go unpaid."""
    entry = row.entry
    if entry is None or entry.state not in states:
        raise RefusedError("depends", "They have left the event since.")
    made = row_images.of_model(row.kept, Entry).get(str(entry.pk), {}).get("before") is None
    if made and entry.paid is not None:  # nobody would know of the money any more
        words = f"{entry.name} paid. Give the money back and mark it as not paid, or withdraw them."
        raise RefusedError("depends", words)
    return entry


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
        entry = entry_of(event, row)
        conflicts_of_interest.check_withdrawal(event, entry, by)
        line = seat_in(event, row.after["seat"])
        conflicts_of_interest.check_substitute(event, line, by)
        left = entry.substitutions.filter(position=line.position).latest("pk")
        leaving_running_event.check_no_round_since(
            event,
            row.round.number if row.round else left.until,
            "with them",
            "Put in another substitute instead.",
        )
        if row.pairing and row.pairing.state == Pairing.State.DECIDED:
            words = f"The match at table {row.pairing.number} was decided with {line.player.name}."
            raise RefusedError("depends", words)
        super().undo(event, row, by, now)
        if row.pairing and row.pairing.in_room:
            codes_of(event, [row.pairing.number])


class Claim(_People):
    kind, words = Kind.CLAIM, "Claimed a walk-in’s results"

    def dependents(self, _row: Act) -> Q:
        return Q(pk=None)  # nothing that follows depends on whose the results are

    def undo(self, event: Event, row: Act, by: Player, now: datetime) -> None:
        claiming.undo(event, row, by, now)
