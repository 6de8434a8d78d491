"""Pages for directors to set up an event and change it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from games.numbers import parse_number
from tournaments.access import ClubAccess, club_of, event_of
from tournaments.answers import SeeOther, refused_at
from tournaments.events import repeating, states
from tournaments.models import Event
from tournaments.refusals import RefusedError
from tournaments.setting_up import setting_up
from tournaments.setting_up.forms import EventForm

PUBLISH = "publish"


@require_http_methods(["GET", "HEAD", "POST"])
def new_event(request: HttpRequest, slug: str) -> HttpResponse:
    """Set up an event; `like` in the query names an event of the club to copy."""
    access, now = club_of(request, slug, "direct"), timezone.now()
    event = setting_up.new_event(access.club, now)
    asked = parse_number(request.GET.get("like", ""))
    if asked is not None:
        model = access.club.events.filter(pk=asked).first()
        event = setting_up.copy_to_next_date(model, now) if model else event
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


def _posted(request: HttpRequest) -> object:
    return request.POST if request.method == "POST" else None


def _publishes(request: HttpRequest) -> bool:
    return request.POST.get("then") == PUBLISH
