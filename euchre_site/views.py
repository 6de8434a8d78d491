"""The pages that belong to no app: the visitor's own page, robots, manifest."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.views.decorators.http import require_POST, require_safe

from euchre_site.look import CHOICES, look_of, remember
from games.answers import by_script
from games.models import Player
from games.models.people import NAME_LENGTH
from games.people import bans, identity
from tournaments.geography import countries


class LookForm(forms.Form):
    """What a visitor may choose about the look; what is not sent stays as it is."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, choice in CHOICES.items():
            self.fields[name] = forms.ChoiceField(
                choices=choice.values,
                widget=forms.RadioSelect,
                label=choice.label,
                required=False,
            )

    def clean(self) -> dict[str, str]:
        """Return what was sent; refuse a form in which nothing was."""
        sent = {name: value for name, value in self.cleaned_data.items() if value}
        if not sent and not self.errors:
            raise ValidationError("Nothing was chosen: choose at least one of these.")
        return sent


class NameForm(forms.Form):
    """The name others see."""

    name = forms.CharField(max_length=NAME_LENGTH, help_text=f"1 to {NAME_LENGTH} characters.")

    def __init__(self, *args: Any, player: Player | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.player = player

    def clean_name(self) -> str:
        """Return the name tidied, or refuse it."""
        return identity.free_name(self.cleaned_data["name"], self.player)


class CutForm(forms.Form):
    """Who cuts the pack, where the rules have a cut, and how the player deals."""

    cut = forms.ChoiceField(
        choices=[
            ("table", "Cut for me: the game goes on at once"),
            ("me", "I cut the pack myself when it is my turn to"),
        ],
        widget=forms.RadioSelect,
        label="In games with a cut",
    )
    packets = forms.ChoiceField(
        choices=[
            ("usual", "I deal in the order the rules name first"),
            ("reverse", "I deal in the reverse order, such as two cards and then three"),
        ],
        widget=forms.RadioSelect,
        label="Where the dealer chooses, from the next game on",
        required=False,
    )


class CountryForm(forms.Form):
    """The country the player stands for, if they tell."""

    country = forms.ChoiceField(
        label="Country (optional)",
        choices=lambda: [("", "Not told"), *countries().items()],
        required=False,
        help_text="Ratings can be listed by country.",
        error_messages={"invalid_choice": "Choose one of the listed countries, or none."},
    )


class RecordForm(forms.Form):
    """Who sees the player's record."""

    record = forms.ChoiceField(
        choices=[
            ("everybody", "Everybody: games, figures, rating and trophies stand on my page"),
            ("me", "Keep my record to myself: others see my name only"),
        ],
        widget=forms.RadioSelect,
        label="Who sees what you have played",
        error_messages={"invalid_choice": "Choose “everybody” or “me”, not “%(value)s”."},
    )


@require_safe
def you(request: HttpRequest) -> HttpResponse:
    """Show the visitor's name, look and account."""
    return _you(request)


@require_POST
def look(request: HttpRequest) -> HttpResponse:
    """Change how the pages look in this browser."""
    form = LookForm(request.POST)
    if not form.is_valid():
        return _you(request, look_form=form)
    response: HttpResponse
    if by_script(request):  # from the sheet at the table
        response = HttpResponse(status=204)
    else:
        messages.success(request, "Saved for this browser.")
        response = redirect("you")
    remember(response, {**look_of(request), **form.cleaned_data}, secure=settings.HTTPS)
    return response


@require_POST
def name(request: HttpRequest) -> HttpResponse:
    """Change the visitor's name at the table."""
    player = identity.player_of(request)
    if player is None:
        return redirect("you")
    form = NameForm(request.POST, player=player)
    if not form.is_valid():
        return _you(request, name_form=form)
    try:
        identity.rename(player, form.cleaned_data["name"])
    except ValidationError as error:  # somebody took the name at the same moment
        form.add_error("name", error)
        return _you(request, name_form=form)
    messages.success(request, f"You are {player.name} now.")
    return redirect("you")


@require_POST
def cut(request: HttpRequest) -> HttpResponse:
    """Change whether the pack is cut for the visitor."""
    player = identity.player_of(request)
    if player is None:
        return redirect("you")
    form = CutForm(request.POST)
    if not form.is_valid():
        return _you(request, cut_form=form)
    identity.leave_cut_to_table(player, form.cleaned_data["cut"] == "table")
    if form.cleaned_data["packets"]:
        identity.choose_packets(player, reverse=form.cleaned_data["packets"] == "reverse")
    messages.success(request, "Saved.")
    return redirect("you")


@require_POST
def country(request: HttpRequest) -> HttpResponse:
    """Change the country the visitor stands for."""
    player = identity.player_of(request)
    if player is None:
        return redirect("you")
    form = CountryForm(request.POST)
    if not form.is_valid():
        return _you(request, country_form=form)
    identity.stand_for(player, form.cleaned_data["country"])
    messages.success(request, "Saved.")
    return redirect("you")


@require_POST
def record(request: HttpRequest) -> HttpResponse:
    """Change whether others see the visitor's record."""
    player = identity.player_of(request)
    if player is None:
        return redirect("you")
    form = RecordForm(request.POST)
    if not form.is_valid():
        return _you(request, record_form=form)
    identity.keep_record(player, private=form.cleaned_data["record"] == "me")
    messages.success(request, "Saved.")
    return redirect("you")


def _you(request: HttpRequest, **refused: forms.Form) -> HttpResponse:
    player = identity.player_of(request)
    context = {
        "look_form": LookForm(initial=look_of(request)),
        "name_form": NameForm(initial={"name": player.name if player else ""}),
        "cut_form": CutForm(
            initial={
                "cut": "me" if player and not player.cut_for_me else "table",
                "packets": "reverse" if player and player.reverses_packets else "usual",
            }
        ),
        "record_form": RecordForm(
            initial={"record": "me" if player and player.private else "everybody"}
        ),
        "closed": "" if request.user.is_authenticated else bans.words_for(request.session),
        "country_form": CountryForm(initial={"country": player.country if player else ""}),
    }
    return render(request, "site/you.html", context | refused, status=422 if refused else 200)


@require_safe
def robots(_request: HttpRequest) -> HttpResponse:
    """Tell search engines to stay out of tables and accounts."""
    lines = ["User-agent: *", "Disallow: /accounts/", "Disallow: /tables/", ""]
    return HttpResponse("\n".join(lines), content_type="text/plain")


@require_safe
def manifest(_request: HttpRequest) -> HttpResponse:
    """Describe the site to a phone that puts it on its home screen."""
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
