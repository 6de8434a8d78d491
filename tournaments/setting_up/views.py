"""Pages for directors to set up an event and change it."""

from datetime import datetime

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from games.numbers import parse_number
from tournaments.access import ClubAccess, club_of, event_of
from tournaments.answers import SeeOther, refused_at
from tournaments.events import event_words, repeating, states
from tournaments.models import Club, Event
from tournaments.refusals import RefusedError
from tournaments.setting_up import plan as planning
from tournaments.setting_up import setting_up
from tournaments.setting_up.forms import EventForm
from tournaments.setting_up.plan import DayForm

PUBLISH = "publish"


@require_http_methods(["GET", "HEAD", "POST"])
def new_event(request: HttpRequest, slug: str) -> HttpResponse:
    """Set up an event; `like` in the query names an event of the club to copy, `day` and `at` when.

    The settings can be changed before they are saved.
    """
    access, now = club_of(request, slug, "direct"), timezone.now()
    model = _asked_for(request, access.club)
    event = setting_up.new_event(access.club, now)
    if model is not None:
        event = planning.copied(model, _day_form(request, access.club, now), now)
    with timezone.override(access.club.zone):
        form = EventForm(access.club, now, instance=event, data=_posted(request))
        if not form.is_valid() or access.player is None:
            return _page(request, form, access)
        made = setting_up.create(form.instance, access.player, now)
        if _publishes(request):
            setting_up.publish(made, access.player, now)
    messages.success(request, f"{made} is {'published' if _publishes(request) else 'a draft'}.")
    return SeeOther(resolve_url("event", made.pk))


@require_http_methods(["GET", "HEAD", "POST"])
def plan_night(request: HttpRequest, slug: str) -> HttpResponse:
    """Plan a night like an earlier one, at first the most usual one on its next free day."""
    access, now = club_of(request, slug, "direct"), timezone.now()
    offered = planning.templates(access.club, now)
    model = _asked_for(request, access.club) or (offered[0].event if offered else None)
    if model is None:
        return redirect("new_event", slug)
    form = _day_form(request, access.club, now)
    event, trouble, status = planning.copied(model, form, now), "", 200
    repeated = planning.series(access.club, now).filter(name=model.name).exists()
    if request.method == "POST" and access.player is not None and form.is_valid():
        if "weekly" in request.POST and not repeated:
            event.recurrence, event.no_event_on = Event.Recurrence.WEEKLY, model.no_event_on
        try:
            made = planning.plan(event, access.player, now, publish=_publishes(request))
        except RefusedError as error:
            trouble, status = error.message, error.status
        else:
            messages.success(request, f"{made} is {'published' if made.due else 'a draft'}.")
            return SeeOther(resolve_url("event", made.pk))
    starts, all_fields = event.starts.astimezone(access.club.zone), resolve_url("new_event", slug)
    context = {
        "club": access.club,
        "model": model,
        "event": event,
        "offered": offered,
        "days": list(planning.days(model, now)),
        "day": starts.date(),
        "at": starts.time(),
        "form": form,
        "repeated": repeated,
        "facts": event_words.facts(event, 0),
        "fields": f"{all_fields}?like={model.pk}&{starts:day=%Y-%m-%d&at=%H:%M}",
        "trouble": trouble,
    }
    status = 422 if form.errors else status
    return render(request, "tournaments/setting_up/plan.html", context, status=status)


@require_POST
def keep_template(request: HttpRequest, event_id: int) -> HttpResponse:
    """Keep an event as a template of its club, or with `back` in the form no longer."""
    access = event_of(request, event_id, "direct")
    keep = "back" not in request.POST
    Event.objects.filter(pk=event_id).update(template=keep)
    said = "is a template now" if keep else "is no longer a template"
    messages.success(request, f"{access.event} {said}.")
    return SeeOther(f"{resolve_url('plan_night', access.club.slug)}?like={event_id}")


@require_http_methods(["GET", "HEAD", "POST"])
def edit_event(request: HttpRequest, event_id: int) -> HttpResponse:
    access, now = event_of(request, event_id, "direct"), timezone.now()
    event = access.event
    fixed = setting_up.SETTINGS - setting_up.changeable(event)
    with timezone.override(access.club.zone):
        form = EventForm(access.club, now, fixed=fixed, instance=event, data=_posted(request))
        if not form.is_valid() or access.player is None:
            return _page(request, form, access)
        try:
            setting_up.change(event, form.instance, access.player, now)
            if _publishes(request):
                setting_up.publish(event, access.player, now)
        except RefusedError as error:
            form.add_error(None, error.message)
            return _page(request, form, access)
    messages.success(request, "Published." if _publishes(request) else "Saved.")
    event.refresh_from_db()
    if event.recurrence and (lost := repeating.passed_over(event)):
        days = ", ".join(f"{day:%-d %B}" for day in lost)
        messages.success(request, f"The series leaves out {days}: this night was moved.")
    return SeeOther(resolve_url("event", event_id))


@require_POST
@refused_at("edit_event", "event_id")
def publish_event(request: HttpRequest, event_id: int) -> HttpResponse:
    access = event_of(request, event_id, "direct")
    if access.player is not None:
        setting_up.publish(access.event, access.player, timezone.now())
    return SeeOther(resolve_url("event", event_id))


@require_POST
@refused_at("event", "event_id")
def delete_event(request: HttpRequest, event_id: int) -> HttpResponse:
    access = event_of(request, event_id, "direct")
    setting_up.delete_draft(access.event)
    messages.success(request, f"The draft {access.event} is deleted.")
    return SeeOther(resolve_url("club", access.club.slug))


@require_POST
def stop_series(request: HttpRequest, event_id: int) -> HttpResponse:
    access = event_of(request, event_id, "direct")
    if access.player is not None:
        repeating.stop(access.event, access.player)
    messages.success(request, "It is no longer repeated. Events already created still take place.")
    return SeeOther(resolve_url("edit_event", event_id))


def _page(request: HttpRequest, form: EventForm, access: ClubAccess) -> HttpResponse:
    event = form.instance
    context = {
        "form": form,
        "club": access.club,
        "event": event if event.pk else None,
        "draft": event.state == Event.State.DRAFT,
        "limits": setting_up.changeable_in_words(event),
        "states": states.in_words(event),
    }
    status = 422 if form.is_bound else 200
    return render(request, "tournaments/setting_up/event_form.html", context, status=status)


def _asked_for(request: HttpRequest, club: Club) -> Event | None:
    """Return the event of the club that the query names as the one to copy, or None."""
    number = parse_number(request.GET.get("like", ""))
    return club.events.select_related("club").filter(pk=number).first() if number else None


def _day_form(request: HttpRequest, club: Club, now: datetime) -> DayForm:
    return DayForm(now.astimezone(club.zone).date(), request.GET)


def _posted(request: HttpRequest) -> object:
    return request.POST if request.method == "POST" else None


def _publishes(request: HttpRequest) -> bool:
    return request.POST.get("then") == PUBLISH
