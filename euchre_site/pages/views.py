"""The visitor's settings, robots.txt and the web app manifest."""

from collections.abc import Iterable
from typing import Any, Final

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.views.decorators.http import require_http_methods, require_safe

from euchre_site.pages.look import APPEARANCE, AT_THE_TABLE, CHOICES, look_of, remember
from games.answers import by_script
from games.models import Player
from games.models.people import NAME_LENGTH
from games.people import bans, identity
from tournaments.geography import countries

page_with_form = require_http_methods(["GET", "HEAD", "POST"])

_LOOK_KEPT: Final = "Kept with your account, or, for guests, in this browser."
#: The heading and introduction of each settings page, by URL name.
SETTINGS: Final = {
    "name": ("Name and country", ""),
    "record": (
        "Your record",
        "Your name stays in the standings and pairings of events, and in the logs of games.",
    ),
    "at_the_table": ("At the table", _LOOK_KEPT),
    "look": ("How it looks", _LOOK_KEPT),
}


class LookForm(forms.Form):
    """Some of the settings in `euchre_site.pages.look`; missing ones are not changed."""

    def __init__(self, names: Iterable[str], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.names = tuple(names)
        for name in self.names:
            choice = CHOICES[name]
            self.fields[name] = forms.ChoiceField(
                choices=choice.values,
                widget=forms.RadioSelect,
                label=choice.label,
                required=False,
            )

    def clean(self) -> dict[str, Any]:
        sent = {name: value for name, value in self.cleaned_data.items() if value}
        if not sent and not self.errors:
            raise ValidationError("Choose at least one of these.")
        return sent

    def chosen(self) -> dict[str, str]:
        return {name: self.cleaned_data[name] for name in self.names if name in self.cleaned_data}


class TableForm(LookForm):
    """Settings of play; for players also cutting the pack and the order of dealing."""

    def __init__(self, player: Player | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(AT_THE_TABLE, *args, **kwargs)
        if player is None:
            return
        self.fields["cut"] = forms.ChoiceField(
            choices=[
                ("table", "Cut for me: the game goes on at once"),
                ("me", "I cut the pack myself when it is my turn to"),
            ],
            widget=forms.RadioSelect,
            label="Cutting the pack",
            required=False,
        )
        self.fields["packets"] = forms.ChoiceField(
            choices=[
                ("usual", "I deal in the order the rules name first"),
                ("reverse", "I deal in the reverse order, such as two cards and then three"),
            ],
            widget=forms.RadioSelect,
            label="Order of dealing, from the next game on",
            required=False,
        )


class ProfileForm(forms.Form):
    name = forms.CharField(max_length=NAME_LENGTH, help_text=f"1 to {NAME_LENGTH} characters.")
    country = forms.ChoiceField(
        label="Country (optional)",
        choices=lambda: [("", "Not given"), *countries().items()],
        required=False,
        help_text="Ratings can be listed by country.",
        error_messages={"invalid_choice": "Choose one of the listed countries, or none."},
    )

    def __init__(self, player: Player, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.player = player

    def clean_name(self) -> str:
        return identity.free_name(self.cleaned_data["name"], self.player)


class RecordForm(forms.Form):
    record = forms.ChoiceField(
        choices=[
            ("everybody", "Everybody: my page shows games, figures, rating and trophies"),
            ("me", "Only me: others see my name only"),
        ],
        widget=forms.RadioSelect,
        label="Who can see your games",
        error_messages={"invalid_choice": "Choose “everybody” or “me”, not “%(value)s”."},
    )


@require_safe
def you(request: HttpRequest) -> HttpResponse:
    closed = "" if request.user.is_authenticated else bans.words_for(request.session)
    return render(request, "site/you.html", {"closed": closed})


@page_with_form
def look(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return _setting(request, LookForm(APPEARANCE, initial=look_of(request)), "look")
    form = LookForm(CHOICES, request.POST)
    if not form.is_valid():
        return _setting(request, form, "look")
    response = HttpResponse(status=204) if by_script(request) else _saved(request)
    remember(request, response, {**look_of(request), **form.chosen()})
    return response


@page_with_form
def at_the_table(request: HttpRequest) -> HttpResponse:
    player = identity.player_of(request)
    if request.method != "POST":
        cut = "table" if player is None or player.cut_for_me else "me"
        packets = "reverse" if player is not None and player.reverses_packets else "usual"
        initial = {**look_of(request), "cut": cut, "packets": packets}
        return _setting(request, TableForm(player, initial=initial), "at_the_table")
    form = TableForm(player, request.POST)
    if not form.is_valid():
        return _setting(request, form, "at_the_table")
    sent = form.cleaned_data
    if player is not None and "cut" in sent:
        identity.leave_cut_to_table(player, sent["cut"] == "table")
    if player is not None and "packets" in sent:
        identity.choose_packets(player, reverse=sent["packets"] == "reverse")
    response = _saved(request)
    remember(request, response, {**look_of(request), **form.chosen()})
    return response


@page_with_form
def name(request: HttpRequest) -> HttpResponse:
    player = identity.player_of(request)
    if player is None:
        return redirect("you")
    if request.method != "POST":
        initial = {"name": player.name, "country": player.country}
        return _setting(request, ProfileForm(player, initial=initial), "name")
    form = ProfileForm(player, request.POST)
    if not form.is_valid():
        return _setting(request, form, "name")
    try:
        identity.rename(player, form.cleaned_data["name"])
    except ValidationError as error:  # taken at the same moment
        form.add_error("name", error)
        return _setting(request, form, "name")
    identity.stand_for(player, form.cleaned_data["country"])
    return _saved(request, f"Saved. You are {player.name}.")


@page_with_form
def record(request: HttpRequest) -> HttpResponse:
    player = identity.player_of(request)
    if player is None:
        return redirect("you")
    if request.method != "POST":
        initial = {"record": "me" if player.private else "everybody"}
        return _setting(request, RecordForm(initial=initial), "record")
    form = RecordForm(request.POST)
    if not form.is_valid():
        return _setting(request, form, "record")
    identity.keep_record(player, private=form.cleaned_data["record"] == "me")
    return _saved(request)


def _setting(request: HttpRequest, form: forms.Form, page: str) -> HttpResponse:
    heading, about = SETTINGS[page]
    context = {"form": form, "page": page, "heading": heading, "about": about}
    return render(request, "site/setting.html", context, status=422 if form.errors else 200)


def _saved(request: HttpRequest, words: str = "Saved.") -> HttpResponse:
    messages.success(request, words)
    return redirect("you")


@require_safe
def robots(_request: HttpRequest) -> HttpResponse:
    lines = [
        "User-agent: *",
        "Disallow: /accounts/",
        "Disallow: /tables/",
        "Disallow: /search/",
        "Disallow: /t/",
        "",
    ]
    return HttpResponse("\n".join(lines), content_type="text/plain")


@require_safe
def manifest(_request: HttpRequest) -> HttpResponse:
    data = {
        "name": settings.SITE_NAME,
        "short_name": settings.SITE_NAME,
        "start_url": "/",
        "display": "standalone",
        "background_color": "#f4efe4",
        "theme_color": "#f4efe4",
        "icons": [{"src": static("logo.svg"), "sizes": "any", "type": "image/svg+xml"}],
    }
    return JsonResponse(data, content_type="application/manifest+json")
