"""The acts of directors: each says all that pages, the log and an undo ask of it, in one file."""

from collections import Counter
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import pytest
from django.db.models import CASCADE
from django.urls import include, path, reverse

from euchre_site import urls
from games.models import Player
from tests.factories import logged_in
from tests.tournaments import build
from tests.tournaments.acts.forgiving import Forgive
from tests.tournaments.build import NOON, acted_by_form, seen_in
from tournaments.acts import page, undoing
from tournaments.acts.base import Button, DirectorAct
from tournaments.acts.registry import ACTS
from tournaments.changes import row_images
from tournaments.events import acts
from tournaments.models import Act, Entry, EntryPlayer, Event, Pairing, RatingChange, Round
from tournaments.refusals import RefusedError

each = pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
#: The site's addresses with those of the new act.
urlpatterns = [path("events/<num:event_id>/manage/", include(Forgive().urls())), *urls.urlpatterns]


@each
def test_act_has_a_kind_that_fits_its_column_and_words(act: DirectorAct) -> None:
    assert ACTS[act.kind] is act
    assert len(act.kind) <= (Act._meta.get_field("kind").max_length or 0)
    assert act.words
    assert bool(act.address) == bool(act.url_name)
    assert not isinstance(act, Button) or act.done


def test_every_kind_that_code_asks_for_is_an_act() -> None:
    assert set(Act.Kind) <= set(ACTS)
    names = Counter(one.name for act in ACTS.values() for one in act.urls())
    assert set(names.values()) == {1}


@pytest.fixture
def ada(monkeypatch: pytest.MonkeyPatch) -> Player:
    """A director of a club, on a site with one act more: a file, and a line in the registry."""
    monkeypatch.setitem(ACTS, Forgive.kind, Forgive())
    monkeypatch.setattr(page, "timezone", SimpleNamespace(now=lambda: NOON))
    return build.director(build.club())


def missed(event: Event) -> list[int]:
    return list(event.entries.order_by("pk").values_list("missed", flat=True))


@pytest.mark.django_db
@pytest.mark.urls(__name__)
class TestNewAct:
    def test_it_is_offered_shown_done_told_and_undone(self, ada: Player) -> None:
        event = build.event(ada.memberships.get().club, rounds=2)
        build.enter(event, 4)
        build.begin(event)
        event.entries.update(missed=2)
        browser, forgive = logged_in(ada), reverse("forgive", args=[event.pk, 1, 1])
        console = browser.get(reverse("manage_event", args=[event.pk]), {"open": "1"}).text
        assert f'href="{forgive}"' in console
        assert "rounds that they missed" in console

        assert "Forgive table 1" in browser.get(forgive).text
        assert browser.get(forgive, {"rounds": 10}).status_code == 422
        assert "Nobody at table 1 has missed 3." in browser.get(forgive, {"rounds": 3}).text
        chosen = f"{forgive}?rounds=2"
        assert "What will change" in browser.get(chosen).text
        assert missed(event) == [2, 2, 2, 2]
        sent = {"rounds": 2, "reason": "The bus.", "seen": seen_in(browser.get(chosen).text)}
        answer = browser.post(chosen, sent, follow=True)
        assert "Table 1 is forgiven." in answer.text
        assert missed(event) == [0, 0, 0, 0]

        act = event.acts.get()
        undo = reverse("undo_act", args=[event.pk, act.pk])
        assert f'<a href="{undo}">Undo</a>' in answer.text
        log = browser.get(reverse("event_acts", args=[event.pk])).text
        assert "Forgave missed rounds: round 1, table 1" in log
        assert "2 rounds" in log

        assert acted_by_form(browser, undo).status_code == 303
        assert missed(event) == [2, 2, 2, 2]
        log = browser.get(reverse("event_acts", args=[event.pk])).text
        assert "Undid “Forgave missed rounds”" in log

    def test_it_is_not_undone_once_a_row_has_changed(self, ada: Player) -> None:
        event = build.event(ada.memberships.get().club, rounds=2)
        build.enter(event, 4)
        build.begin(event)
        event.entries.update(missed=2)
        forgive = f"{reverse('forgive', args=[event.pk, 1, 1])}?rounds=1"
        assert acted_by_form(logged_in(ada), forgive, rounds=1, reason="Ill.").status_code == 303
        event.entries.filter(pk=event.entries.order_by("pk")[0].pk).update(missed=0)
        with pytest.raises(RefusedError, match="What it changed has been changed again since"):
            undoing.undo(event.acts.get(), ada, NOON)
        assert missed(event) == [0, 1, 1, 1]


@pytest.mark.django_db
def test_rows_that_an_act_adds_changes_or_removes_are_restored() -> None:
    by = build.director(build.club())
    event = build.event(by.memberships.get().club, rounds=2)
    changed, removed, _other = build.enter(event, 3)
    before = list(Entry.objects.order_by("pk").values()), list(EntryPlayer.objects.values())
    with row_images.changing(event) as locked:
        paid = NOON.astimezone(ZoneInfo("America/Chicago"))
        locked.entries.filter(pk=changed.pk).update(missed=1, paid=paid, arrival=None)
        removed.delete()
        build.enter(locked, 1)
        act = acts.record(locked, "forgive", by, NOON)
    act.refresh_from_db()
    row_images.restore(event, act.kept, "Something else.")
    now = list(Entry.objects.order_by("pk").values()), list(EntryPlayer.objects.values())
    assert now == before


@pytest.mark.django_db
def test_a_row_that_is_gone_is_not_restored() -> None:
    by = build.director(build.club())
    event = build.event(by.memberships.get().club, rounds=2)
    (entry,) = build.enter(event, 1)
    with row_images.changing(event) as locked:
        locked.entries.update(missed=1)
        act = acts.record(locked, "forgive", by, NOON)
    act.refresh_from_db()
    entry.delete()
    with pytest.raises(RefusedError, match=r"Somebody did something else\."):
        row_images.restore(event, act.kept, "Somebody did something else.")


def test_whatever_is_deleted_with_a_round_is_kept() -> None:
    hanging = {
        relation.related_model
        for model in (Round, Pairing)
        for relation in model._meta.related_objects
        if relation.on_delete is CASCADE
    }
    # nothing is rated before the event is over
    assert hanging - {RatingChange} == {*row_images.OF_ROUND} - {Round}


def test_staff_read_the_kind_of_an_act_as_words() -> None:
    assert str(Act(kind=Act.Kind.MORE_TIME)) == "More time"
