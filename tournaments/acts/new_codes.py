"""Other codes for tables and walk-ins, and other names for walk-ins."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse

from games.models import Player
from tournaments.acts.base import DirectorAct, Names, Offer, TableAct
from tournaments.acts.page import ActPage
from tournaments.attendance import walk_ins
from tournaments.models import Act, Event, Pairing
from tournaments.room_scores import codes


class NameForm(forms.Form):
    """The name that a walk-in is to have; without one, a number takes its place."""

    name = forms.CharField(
        label="Name", max_length=60, required=False, help_text="Leave it empty to remove the name."
    )


class NewTableCode(TableAct):
    kind, words = Act.Kind.TABLE_CODE, "Gave a table a new code"
    address, url_name = "tables/<num:table>/code/", "new_table_code"
    undoable = False
    changes_draw = False

    def target(self, event: Event, **where: int) -> Any:
        return get_object_or_404(event.room_tables, number=where["table"])

    def back(self, event: Event, _table: Any) -> str:
        return reverse("manage_event", args=[event.pk])

    def offer(self, event: Event, match: Pairing, **_: bool) -> Offer:
        where = reverse("new_table_code", args=[event.pk, match.number])
        no = "" if match.in_room else "Only a table in the room has a code."
        return Offer("New code", "the old card stops working", where, no)

    def page(self, _request: HttpRequest, event: Event, by: Player, target: Any) -> ActPage:
        table = target.number
        sheet = reverse("print_table_cards", args=[event.pk])
        return ActPage(
            title=f"A new code for table {table}",
            explains=(
                "For a card that was lost or photographed. Phones that have the table open have to"
                " scan the new card; anything they have not sent yet is refused with a message."
            ),
            submit_label="Make a new code",
            done=f"Table {table} has a new code: print its card, or write the code on the old one.",
            until="Cannot be undone: the old code no longer works.",
            verb=lambda reason, now: codes.renew(event, table, by, reason=reason, now=now),
            leads_to=f"{sheet}?tables={max(table, 1)}",
            stop=True,
        )

    def subject(self, row: Act, _names: Names) -> str:
        return f"table {row.after['number']}"


class _WalkInAct(DirectorAct):
    undoable = False
    independent = True
    changes_draw = False

    def target(self, event: Event, **where: int) -> Any:
        rows = event.walk_ins.select_related("event", "player")
        return get_object_or_404(rows, pk=where["walk_in_id"])

    def back(self, event: Event, _walk_in: Any) -> str:
        return reverse("find_people", args=[event.pk])


class NewWalkInCode(_WalkInAct):
    kind, words = Act.Kind.CODE, "Gave a walk-in a new code"
    address, url_name = "walk-ins/<num:walk_in_id>/code/", "new_walk_in_code"

    def page(self, _request: HttpRequest, _event: Event, by: Player, walk_in: Any) -> ActPage:
        return ActPage(
            title=f"A new code for {walk_in}",
            explains=(
                "For a card that was lost or photographed. Nobody can open their page, or claim"
                " their results, by the old one."
            ),
            submit_label="Make a new code",
            done=f"{walk_in} has a new code: print the card again.",
            until="Cannot be undone: the old code no longer works.",
            verb=lambda reason, now: walk_ins.renew_code(walk_in, by, reason=reason, now=now),
            stop=True,
        )


class ChangeWalkInName(_WalkInAct):
    kind, words = Act.Kind.NAME, "Changed a walk-in’s name"
    address, url_name = "walk-ins/<num:walk_in_id>/name/", "change_walk_in_name"

    def page(self, request: HttpRequest, _event: Event, by: Player, walk_in: Any) -> ActPage:
        sent = request.POST if request.method == "POST" else request.GET
        initial = {"name": walk_in.player.name}
        form = NameForm(sent if "name" in sent else None, initial=initial)
        return ActPage(
            title=f"The name of {walk_in}",
            explains=(
                "The new name appears on all nights of this person, in the records of past rounds"
                " too. The old one is not kept."
            ),
            submit_label="Change the name",
            done="The name has been changed.",
            until="Cannot be undone, as the old name is not kept. Change it again instead.",
            verb=lambda reason, now: walk_ins.rename(
                walk_in, form.cleaned_data["name"], by, reason=reason, now=now
            ),
            choice=form,
        )
