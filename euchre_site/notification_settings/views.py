"""The page of notifications. Scripts store each change at once, a button all of them."""

from typing import Any, Final, NamedTuple

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from euchre_site.notification_settings.forms import QuietForm
from games.answers import TOO_HASTY, by_script, number_in
from games.models import Player
from games.notifying import choices, devices, keys, pushes, unsubscribing
from games.notifying.devices import DEVICE_KEY, BadDeviceError, Subscription
from games.notifying.kinds import GROUPS, KINDS, NotificationKind, Way
from games.people import identity, limits
from tournaments.answers import SeeOther

#: The heading and icon of each way.
WAYS: Final = {Way.PAGE: ("Page", "page"), Way.PUSH: ("Push", "phone"), Way.MAIL: ("Mail", "mail")}
SAVED: Final = "Saved"
NO_PUSH: Final = "This site sends no push."
#: The most digits of a number sent by a form.
NO_FORM: Final = "Nothing was changed: the form was empty."


class Tick(NamedTuple):
    """A box of the table; `on` is None if the kind is not sent in this way."""

    way: str
    name: str
    label: str
    on: bool | None


class KindRow(NamedTuple):
    kind: NotificationKind
    ticks: tuple[Tick, ...]


@require_safe
@never_cache
def notifications(request: HttpRequest) -> HttpResponse:
    player = identity.player_of(request)
    if player is None:
        return redirect("you")
    return _page(request, player, QuietForm(player))


@require_POST
def choose_notifications(request: HttpRequest) -> HttpResponse:
    """Store what is ticked; the field `ways` says that the form was sent as a whole."""
    player = identity.player_of(request)
    if player is None:
        return redirect("you")
    if "ways" not in request.POST:
        return HttpResponse(NO_FORM, status=400, content_type="text/plain")
    offered = [way for way in Way if way != Way.MAIL or player.user_id is not None]
    wanted = {
        (kind.key, way): _name(kind, way) in request.POST
        for kind in KINDS.values()
        for way in kind.ways
        if way in offered
    }
    choices.choose(player, wanted)
    return _saved(request)


@csrf_exempt  # the press comes from a mail program, which has no form of ours
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """Stop one kind of mail by the link in it. To look at the page changes nothing."""
    found = unsubscribing.read(token)
    if found is None:
        raise Http404
    player, kind = found
    if request.method == "POST":
        choices.choose(player, {(kind.key, Way.MAIL): False})
    context = {"kind": kind, "stopped": request.method == "POST"}
    return render(request, "site/notifications/unsubscribe.html", context)


@require_POST
def choose_quiet_hours(request: HttpRequest) -> HttpResponse:
    player = identity.player_of(request)
    if player is None:
        return redirect("you")
    form = QuietForm(player, request.POST)
    if form.is_valid():
        form.save(player)
        return _saved(request)
    if by_script(request):
        words = " ".join(str(one) for errors in form.errors.values() for one in errors)
        return HttpResponse(words, status=422, content_type="text/plain")
    return _page(request, player, form)


@require_POST
def add_device(request: HttpRequest) -> HttpResponse:
    """Store this browser's subscription to push; fields `endpoint`, `p256dh` and `auth`."""
    player = identity.player_of(request)
    if player is None or not settings.PUSH_KEY:
        return HttpResponse(NO_PUSH, status=403, content_type="text/plain")
    if not limits.may_act(request):
        return HttpResponse(TOO_HASTY, status=429, content_type="text/plain")
    sent = Subscription(*(request.POST.get(name, "") for name in Subscription._fields))
    try:
        devices.add(player, request.session, sent, request.headers.get("User-Agent", ""))
    except BadDeviceError as error:
        return HttpResponse(str(error), status=422, content_type="text/plain")
    return HttpResponse(SAVED, content_type="text/plain")


@require_POST
def remove_device(request: HttpRequest) -> HttpResponse:
    """Send no more push to the device in the field `device`; without it, to this browser."""
    player = identity.player_of(request)
    if player is None:
        return redirect("you")
    if not request.POST.get("device"):
        devices.forget_browser(request.session)
    elif (number := number_in(request, "device")) is not None:
        devices.remove(player, number)
    return _saved(request)


@require_POST
def test_push(request: HttpRequest) -> HttpResponse:
    """Send a push to the device in the field `device`, also in quiet hours."""
    player = identity.player_of(request)
    number = number_in(request, "device")
    if player is None or number is None:
        return redirect("you")
    device = get_object_or_404(player.push_devices, pk=number)
    if not pushes.send_test(device, resolve_url("notifications"), timezone.now()):
        messages.info(request, "A test is on its way already.")
    else:
        messages.success(request, f"A test is on its way to {device.name}.")
    return SeeOther(resolve_url("notifications"))


def _page(request: HttpRequest, player: Player, quiet: QuietForm) -> HttpResponse:
    context: dict[str, Any] = {
        "groups": _groups(player),
        "ways": WAYS.values(),
        "quiet": quiet,
        "address": _address(player),
        "devices": player.push_devices.all(),
        "own_device": request.session.get(DEVICE_KEY),
        "push_key": keys.public_key(),
    }
    status = 422 if quiet.errors else 200
    return render(request, "site/notifications/notifications.html", context, status=status)


def _saved(request: HttpRequest) -> HttpResponse:
    if by_script(request):
        return HttpResponse(SAVED, content_type="text/plain")
    messages.success(request, "Saved.")
    return SeeOther(resolve_url("notifications"))


def _groups(player: Player) -> dict[str, list[KindRow]]:
    chosen = choices.choices_of(player)
    return {
        heading: [KindRow(kind, tuple(_ticks(kind, chosen))) for kind in kinds]
        for heading, kinds in GROUPS.items()
    }


def _ticks(kind: NotificationKind, chosen: choices.Choices) -> list[Tick]:
    return [
        Tick(heading, _name(kind, way), f"{kind.label}: {way}", chosen.get((kind.key, way)))
        for way, (heading, _icon) in WAYS.items()
    ]


def _name(kind: NotificationKind, way: Way) -> str:
    return f"{kind.key}-{way}"


def _address(player: Player) -> EmailAddress | None:
    """Return where letters go."""
    if player.user is None:
        return None
    known = EmailAddress.objects.filter(user=player.user, email=player.user.email).first()
    return known or EmailAddress(email=player.user.email)
