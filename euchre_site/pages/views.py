"""The visitor's settings, and robots.txt."""

from collections.abc import Iterable
from typing import Any, Final, cast

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models.functions import Lower
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from euchre_site.pages.look import APPEARANCE, AT_THE_TABLE, CHOICES, look_of, remember
from games.answers import by_script
from games.models import Player
from games.models.people import ABOUT_LENGTH, NAME_LENGTH
from games.people import about, bans, identity
from tournaments.clubs import members
from tournaments.geography import countries
from tournaments.models import Club
from tournaments.refusals import RefusedError

page_with_form = require_http_methods(["GET", "HEAD", "POST"])

_LOOK_KEPT: Final = "Kept with your account, or, for guests, in this browser."
#: The heading and introduction of each settings page, by URL name.
SETTINGS: Final = {
    "name": ("Name, country, home club, a few words about you", ""),
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
                ("usual", "I deal 3, then 2"),
                ("reverse", "I deal 2, then 3"),
            ],
            widget=forms.RadioSelect,
            label="Order of dealing, from the next game on",
            required=False,
        )
        if not player.guest:
            self.fields["watching"] = forms.ChoiceField(
                choices=[
                    ("counted", "I am only counted"),
                    ("named", "My name is shown to players and spectators"),
                ],
                widget=forms.RadioSelect,
                label="When I watch others play",
                required=False,
            )


class ProfileForm(forms.Form):
    name = forms.CharField(max_length=NAME_LENGTH, help_text=f"1 to {NAME_LENGTH} characters.")
    country = forms.ChoiceField(
        label="Country (optional)",
        choices=lambda: [("", "Not given"), *countries().items()],
        required=False,
        help_text="Shown with its flag on your profile. Ratings can be listed by country.",
        error_messages={"invalid_choice": "Choose one of the listed countries, or none."},
    )
    home_club = forms.ChoiceField(
        label="Home club (optional)",
        required=False,
        help_text="Shown on your profile to people who may see the club, while you belong to it.",
        error_messages={"invalid_choice": "Choose one of your clubs, or none."},
    )
    about = forms.CharField(
        label="A few words about you (optional)",
        max_length=ABOUT_LENGTH,
        required=False,
        help_text=f"On your profile, at most {ABOUT_LENGTH} characters, without links.",
    )

    def __init__(self, player: Player, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.player = player
        if player.guest:
            del self.fields["about"]
        own = Club.objects.filter(memberships__player=player, closed=None).order_by(Lower("name"))
        choices = [("", "Not given"), *own.values_list("slug", "name")]
        if len(choices) > 1:
            cast("forms.ChoiceField", self.fields["home_club"]).choices = choices
        else:
            del self.fields["home_club"]

    def clean_about(self) -> str:
        return about.checked(self.cleaned_data["about"])

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
        named = player is not None and player.named_watching
        watching = "named" if named else "counted"
        initial = {**look_of(request), "cut": cut, "packets": packets, "watching": watching}
        return _setting(request, TableForm(player, initial=initial), "at_the_table")
    form = TableForm(player, request.POST)
    if not form.is_valid():
        return _setting(request, form, "at_the_table")
    sent = form.cleaned_data
    if player is not None and "cut" in sent:
        identity.leave_cut_to_table(player, sent["cut"] == "table")
    if player is not None and "packets" in sent:
        identity.choose_packets(player, reverse=sent["packets"] == "reverse")
    if player is not None and "watching" in sent:
        identity.show_name_watching(player, named=sent["watching"] == "named")
    response = _saved(request)
    remember(request, response, {**look_of(request), **form.chosen()})
    return response


@page_with_form
def name(request: HttpRequest) -> HttpResponse:
    player = identity.player_of(request)
    if player is None:
        return redirect("you")
    if request.method != "POST":
        home = player.memberships.filter(home=True).values_list("club__slug", flat=True).first()
        initial = {
            "name": player.name,
            "country": player.country,
            "home_club": home or "",
            "about": player.about,
        }
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
    if "home_club" in form.cleaned_data:
        try:
            members.choose_home(player, form.cleaned_data["home_club"])
        except RefusedError as error:  # they left it at the same moment
            form.add_error("home_club", str(error))
            return _setting(request, form, "name")
    if "about" in form.cleaned_data:
        about.write(player, form.cleaned_data["about"])
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
