"""What the registry, the pages, the log and an undo ask of an act of a director.

An act is a subclass in a file of its own, next to its form and the verb that does it; its verb
stores an `Act` of this `kind`, within `row_images.changing` with the rows that an undo restores.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, NamedTuple

from django import forms
from django.db.models import Q
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse

from games.models import Player
from tournaments.acts import page
from tournaments.acts.page import ActPage
from tournaments.models import Act, Entry, Event, Pairing, Round
from tournaments.refusals import RefusedError
from tournaments.results.match_lines import team_of
from tournaments.running import reopening


class Names(NamedTuple):
    """Names that lines of the log need: of both sides by match, of entries, and of people."""

    sides: Mapping[int, str]
    entries: Mapping[int, str]
    people: Mapping[int, str]


class DirectorAct:
    """An act of a director.

    kind, words: how it is stored, and what the log calls it. needs_match: it can be undone only
    while its match is there. independent: nothing of what it changes is changed by others.
    """

    kind: str
    words: str
    undoable = True
    needs_match = False
    independent = False
    #: Whether only directors, and the people it is about, read its `reason`.
    private = False
    #: Whether trying shows why it cannot be undone: not if that changes other events, too.
    tried = True
    #: Whether the draw of a round may follow from what it changes.
    changes_draw = True
    #: The path of its page below the console's, and the name of that address; without a page empty.
    address = ""
    url_name = ""
    #: What answers there: its page, or `page.press`.
    view = staticmethod(page.answer)
    #: Why it cannot be undone once what it left has changed again.
    changed = reopening.CHANGED

    def urls(self) -> list[URLPattern]:
        """Return its addresses below that of the console."""
        if not self.address:
            return []
        return [path(self.address, self.view, {"act": self}, name=self.url_name)]

    # Its page

    def target(self, event: Event, **where: int) -> Any:
        """Return what it acts on, out of the numbers in its address; Http404 if there is none."""
        return event

    def page(self, request: HttpRequest, event: Event, by: Player, target: Any) -> ActPage:
        raise NotImplementedError

    def press(self, request: HttpRequest, target: Any, by: Player, now: datetime) -> str:
        """Do it in one press, without a page of its own; return what was done in words."""
        raise NotImplementedError

    def back(self, event: Event, _target: Any) -> str:
        """Return the path to which its page leads back."""
        return reverse("manage_event", args=[event.pk])

    # Its line in the log

    def title(self, _row: Act) -> str:
        return self.words

    def subject(self, row: Act, names: Names) -> str:
        """Return on what it was done: the entry, match or round."""
        if row.entry is not None:
            return team_of(row.entry).name
        if row.pairing is not None and row.round is not None:
            table = f"round {row.round.number}, table {row.pairing.number}"
            return f"{table}: {names.sides[row.pairing.pk]}"
        if row.round is not None:
            return f"round {row.round.number}"
        people = row.after.get("players", ())
        return " & ".join(names.people[one] for one in people if one in names.people)

    def value(self, _event: Event, _values: dict[str, Any], _names: Names) -> str:
        """Return stored values `before` or `after` in words; empty if there is nothing to tell."""
        return ""

    # Undoing it

    def dependents(self, row: Act) -> Q:
        """Return which later acts have to be undone first: those on the same match or entry."""
        same = Q(pk=None)
        if row.pairing_id:
            same |= Q(pairing=row.pairing_id)
        if row.entry_id:
            same |= Q(entry=row.entry_id)
        return same

    def holding(self, _row: Act) -> AbstractContextManager[None]:
        """Lock what its undo changes besides its event, before that."""
        return nullcontext()

    def check_undo(self, event: Event, row: Act, by: Player) -> None:
        """Refuse to undo it where it is not `tried`; changes nothing."""

    def undo(self, event: Event, row: Act, by: Player, now: datetime) -> None:
        """Undo it, the event being locked: the rows of `row.kept` are as they were.

        Raises RefusedError ``depends`` if something depends on it.
        """
        reopening.restore(event, row.kept, now, self.changed)


class Button(DirectorAct):
    """An act in one press on the console, with a form there if it has to know something.

    done: said when it is done. form: its fields are the verb's arguments.
    """

    form: ClassVar[type[forms.Form]] = forms.Form
    done: str
    verb: Callable[..., object]
    view = staticmethod(page.press)

    def press(self, request: HttpRequest, target: Any, by: Player, now: datetime) -> str:
        form = self.form({**request.GET.dict(), **request.POST.dict()})
        if not form.is_valid():
            raise RefusedError("form", page.wrong_in(form), 422)
        self.verb(target, by, now=now, **form.cleaned_data)
        return self.done


@dataclass(frozen=True, slots=True)
class Offer:
    """An act on a table or a round as the console offers it; `no`: why it is not possible now."""

    name: str
    brief: str
    path: str
    no: str = ""


class TableAct(DirectorAct):
    """An act on a table of a round, offered in the table's menu.

    offered, brief: its name there and a few words. query: of the link to its page.
    """

    needs_match = True
    offered = ""
    brief = ""
    query = ""

    def target(self, event: Event, **where: int) -> Any:
        rows = Pairing.objects.filter(round__event=event).select_related("round__event", "table")
        return get_object_or_404(rows, round__number=where["number"], number=where["table"])

    def back(self, event: Event, match: Any) -> str:
        return f"{super().back(event, match)}?round={match.round.number}"

    def offer(self, event: Event, match: Pairing, *, written: bool, movable: bool) -> Offer | None:
        """Return how it is offered at a table of a running event, or None.

        written: its score card has lines. movable: it can be moved to the room, or out of it.
        """
        where = reverse(self.url_name, args=[event.pk, match.round.number, match.number])
        no = self.why_not(event, match, written=written)
        return Offer(self.offered, self.brief, where + self.query, no)

    def why_not(self, event: Event, match: Pairing, *, written: bool) -> str:
        """Return why it is not possible at a table now, or an empty string."""
        return ""


class RoundAct(DirectorAct):
    """An act on the latest round, offered below its tables."""

    offered = ""
    brief = ""

    def target(self, event: Event, **where: int) -> Any:
        return get_object_or_404(event.played_rounds, **where)

    def offer(self, event: Event, round_: Round) -> Offer:
        no = "All tables of the round share their deals." if event.first_stage.duplicate else ""
        where = reverse(self.url_name, args=[event.pk, round_.number])
        return Offer(self.offered, self.brief, where, no)


class EntryAct(DirectorAct):
    """An act on an entry; the log tells its state before and after."""

    def target(self, event: Event, **where: int) -> Any:
        rows = event.entries.select_related("event").prefetch_related("players__player")
        return get_object_or_404(rows, pk=where["entry_id"])

    def value(self, _event: Event, values: dict[str, Any], _names: Names) -> str:
        return Entry.State(values["state"]).label if "state" in values else ""


def match_of(row: Act) -> Pairing:
    """Return the match of a stored act, with its round and table."""
    return Pairing.objects.select_related("round", "table").get(acts=row)


def entry_of(event: Event, row: Act) -> Entry:
    """Return the entry of a stored act, with its players; RefusedError if it was taken out."""
    if row.entry is None:
        raise RefusedError("depends", "This entry has been taken out of the event.")
    return event.entries.prefetch_related("players__player").get(acts=row)


class Undo(DirectorAct):
    """The undo of another act, which the log tells in the words of that."""

    kind, words = Act.Kind.UNDO, "Undid"
    undoable = False
    independent = True


class Unknown(DirectorAct):
    """An act that another version of the site has stored."""

    words = "Unknown act"
    undoable = False
