"""People whom a director enters or puts in for others, and results that an account claims."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeAlias
from urllib.parse import urlencode

from django import forms
from django.db.models import Q
from django.http import HttpRequest, QueryDict
from django.urls import URLPattern, path, reverse

from games.models import Player
from games.numbers import parse_number
from tournaments.acts import page
from tournaments.acts.base import DirectorAct, EntryAct, Names, TableAct, entry_of
from tournaments.acts.page import ActPage, RemarkForm, choice_in
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
from tournaments.search import club_list
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


class SubstituteForm(forms.Form):
    """Who of a table leaves, and who is meant by the name of who takes the seat: `person`."""

    seat = forms.TypedChoiceField(
        label="Who leaves", coerce=int, error_messages={"required": "Say who leaves."}
    )
    name = forms.CharField(
        label="Who takes the seat",
        max_length=MAX_LENGTH,
        help_text="A member, somebody on the club’s list, or somebody new.",
        error_messages={"required": "Write who takes the seat."},
    )
    person: Player | ListedName | str

    def __init__(self, data: Any, *, event: Event, seats: Mapping[int, EntryPlayer]) -> None:
        super().__init__(data, auto_id="act_%s")
        self.event = event
        names = [(pk, seat.player.name) for pk, seat in seats.items()]
        self.fields["seat"].choices = [("", "Choose"), *names]  # type: ignore[attr-defined]

    def clean_name(self) -> str:
        name = " ".join(self.cleaned_data["name"].split())
        found = club_list.called(self.event, name)
        if len(found) > 1:
            several = "; ".join(
                f"{one}, a member"
                if isinstance(one, Player)
                else f"{one}, on the club’s list, {event_words.plural(one.night_count, 'night')}"
                for one in found
            )
            words = f"{len(found)} people are called {name}: {several}. Find the one you mean."
            raise forms.ValidationError(words)
        self.person = found[0] if found else name
        return name


class Substitute(_People, _InRunningEvent, TableAct):
    kind, words = Kind.SUBSTITUTE, "Put in a substitute"
    address = "rounds/<num:number>/tables/<num:table>/substitute/"
    url_name = "substitute_at_table"
    needs_match = False
    offered, brief = "Substitute", "somebody else takes a seat"
    back = DirectorAct.back  # type: ignore[assignment]

    def urls(self) -> list[URLPattern]:
        address = "seats/<num:seat_id>/substitute/"
        return [*super().urls(), path(address, page.answer, {"act": self}, name="substitute")]

    def target(self, event: Event, **where: int) -> Any:
        if "seat_id" in where:
            return seat_in(event, where["seat_id"])
        return TableAct.target(self, event, **where)

    def why_not(self, event: Event, match: Pairing, *, written: bool) -> str:
        if event.state != Event.State.RUNNING or event.final_at is not None:
            return "All matches have been played."
        latest = event.played_rounds.latest("number").number
        if latest != match.round.number:
            return f"Round {latest} has been drawn: look for them there."
        if substitutes.seats_at(match):
            return ""
        if match.state == Pairing.State.PLAYING and not match.in_room:
            return "The match has begun online: the substitute can play from the next round."
        return "Nobody here can be replaced: a partnership that has left is put back first."

    def page(self, request: HttpRequest, event: Event, by: Player, target: Any) -> ActPage:
        """Return its page; field `player` or `name`: the member or the walk-in.

        At a table `seat` says who leaves, and `name` is of a member or on the club’s list, too.
        """
        if isinstance(target, Pairing):
            return self._at_table(request, event, by, target)
        people = people_in(event, request.POST if request.method == "POST" else request.GET)
        if not people:
            words = "Say who takes the seat: a member, or a walk-in’s name."
            raise RefusedError("nobody", words, 422)
        return self._put_in(target, people[0], by)

    def _at_table(self, request: HttpRequest, event: Event, by: Player, match: Pairing) -> ActPage:
        no = self.why_not(event, match, written=False)
        seats = {} if no else {seat.pk: seat for seat in substitutes.seats_at(match)}
        form = SubstituteForm(choice_in(request), event=event, seats=seats)
        if not no and form.is_valid():
            chosen = self._put_in(seats[form.cleaned_data["seat"]], form.person, by)
            words = f"Nobody else of {event.club} is called {form.person}: this is somebody new."
            new = words if isinstance(form.person, str) else ""
            return replace(chosen, choice=form, hidden=(), suggestion=new)
        find = {"seat": form["seat"].value() or "", "q": form["name"].value() or ""}
        return ActPage(
            title=f"A substitute at table {match.number}, round {match.round.number}",
            explains="",
            submit_label="",
            done="",
            until="",
            verb=lambda _reason, _now: None,
            choice=form,
            blocked_reason=no,
            find_again=f"{reverse('find_people', args=[event.pk])}?{urlencode(find)}"
            if "name" in form.errors and "seat" not in form.errors
            else "",
        )

    def _put_in(self, seat: EntryPlayer, person: Player | ListedName | str, by: Player) -> ActPage:
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
            hidden=fields_of([person]),
            find_again=f"{reverse('find_people', args=[seat.event_id])}?seat={seat.pk}",
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
    tried = False

    def dependents(self, _row: Act) -> Q:
        return Q(pk=None)  # nothing that follows depends on whose the results are

    def holding(self, row: Act) -> AbstractContextManager[None]:
        return claiming.holding(row)

    def check_undo(self, event: Event, row: Act, by: Player) -> None:
        claiming.check_undo(event, row, by)

    def undo(self, event: Event, row: Act, by: Player, now: datetime) -> None:
        claiming.undo(event, row, by, now)
