"""The forms of clubs: settings, members, announcements and house rules."""

import re
import unicodedata
from typing import Any, Final

from django import forms

from games.form_fields import MultilineField
from games.links import holds_address
from games.people.identity import NO_ADDRESS
from games.seats.house_rules import HouseRulesForm
from tournaments.clubs.embedding_sites import MOST_SITES, origin_of
from tournaments.form_fields import NameField
from tournaments.geography import countries, zones
from tournaments.models import Announcement, Club, Membership
from tournaments.prize_money import CURRENCIES


class AnnouncementForm(forms.Form):
    subject = forms.CharField(max_length=Announcement._meta.get_field("subject").max_length)
    text = MultilineField(
        max_length=5000,
        widget=forms.Textarea(attrs={"rows": 10}),
        help_text="Plain text, at most 5,000 characters.",
    )

    def clean_subject(self) -> str:
        return " ".join(self.cleaned_data["subject"].split())

    def clean_text(self) -> str:
        return "\n".join(self.cleaned_data["text"].splitlines())


#: Explanations of the ways of joining, for the page.
JOINING_WORDS = {
    Club.Joining.OPEN: "Anyone with an account joins at once.",
    Club.Joining.APPROVAL: "The owner, a director or a moderator answers each request to join.",
    Club.Joining.INVITATION: "Only those who have its link see and join it. It is in no list.",
}


#: What unwanted letters begin with: sums of money, and what one is to do at once.
BAIT: Final = re.compile(
    r"[$€£]\s?\d[\d,.]{2}|\d{3}\s*(?:[$€£]|(?:dollars?|euros?|pounds?|usd|eur|gbp)\b)|"
    r"\b(?:bitcoins?|crypto|viagra|password|you(?:\s+have|['’]ve)?\s+won|click\s+here|act\s+now|"
    r"claim\s+your|verify\s+your|free\s+money|gift\s?cards?)\b",
    re.IGNORECASE,
)


class ClubForm(forms.Form):
    name = NameField(label="Name", max_length=60)
    about = MultilineField(
        label="About the club",
        max_length=2000,
        required=False,
        widget=forms.Textarea({"rows": 4}),
        help_text="Where and when you play, who is welcome. At most 2,000 characters.",
    )
    joining = forms.ChoiceField(
        label="Who can join",
        choices=Club.Joining.choices,
        initial=Club.Joining.OPEN,
        widget=forms.RadioSelect,
    )
    time_zone = forms.ChoiceField(
        label="Time zone",
        choices=lambda: [("", "Choose where you play"), *zones()],
        help_text="You set the times of events in this zone. Visitors elsewhere see theirs too.",
        error_messages={
            "required": "Choose the time zone in which the club plays.",
            "invalid_choice": "Choose one of the listed time zones.",
        },
    )
    country = forms.ChoiceField(
        label="Country",
        choices=lambda: [("", "None, or more than one"), *countries().items()],
        required=False,
        error_messages={"invalid_choice": "Choose one of the listed countries, or none."},
    )
    venue = NameField(
        label="Where you usually play",
        max_length=80,
        required=False,
        help_text="The name of the place. New events in the room begin with it.",
    )
    address = NameField(label="Its address", max_length=160, required=False)
    currency = forms.ChoiceField(
        label="Currency of entry money",
        choices=[("", "No entry money"), *((code, code) for code in CURRENCIES)],
        required=False,
        error_messages={"invalid_choice": "Choose one of the listed currencies, or none."},
        help_text="The site only counts: it takes and pays no money.",
    )
    names_moderators = forms.BooleanField(
        label="Players are told which moderator has looked into their games",
        initial=True,
        required=False,
        help_text="If not, they are told only the role: a moderator, a director, the owner.",
    )
    talk = forms.ChoiceField(
        label="Talk at the tables of its events",
        choices=Club.Talk.choices,
        required=False,
        error_messages={"invalid_choice": "Choose one of the listed rules."},
        help_text="The six phrases can always be used. Spectators talk among themselves.",
    )
    calls = forms.BooleanField(
        label="Members may call the club to their tables",
        initial=True,
        required=False,
        help_text="Those who are online are called, once in ten minutes; each can switch it off.",
    )
    embedding_sites = MultilineField(
        label="Web sites that may show the club’s results",
        max_length=1000,
        required=False,
        widget=forms.Textarea({"rows": 2, "placeholder": "https://www.example.org"}),
        help_text="One address a line, at most 10. Nothing is shown elsewhere while this is empty.",
    )

    def clean_name(self) -> str:
        """Return the name if it may stand in a letter to somebody who knows nobody here."""
        name: str = self.cleaned_data["name"]
        if holds_address(name):
            raise forms.ValidationError(NO_ADDRESS)
        if BAIT.search(unicodedata.normalize("NFKC", name)):
            raise forms.ValidationError(
                "A club’s name can’t promise money or ask for something. Choose another."
            )
        return name

    def clean_embedding_sites(self) -> str:
        lines = self.cleaned_data["embedding_sites"].splitlines()
        typed = [line.strip() for line in lines if line.strip()]
        wrong = [line for line in typed if origin_of(line) is None]
        if wrong:
            raise forms.ValidationError(
                f"“{wrong[0]}” is not the address of a web site. "
                "It must start with https:// and have a host, such as https://www.example.org."
            )
        sites = list(dict.fromkeys(str(origin_of(line)) for line in typed))
        if len(sites) > MOST_SITES:
            raise forms.ValidationError(
                f"These are {len(sites)} web sites; at most {MOST_SITES} are allowed."
            )
        return "\n".join(sites)

    def clean_talk(self) -> str:
        return self.cleaned_data["talk"] or Club.Talk.FREE

    @classmethod
    def of(cls, club: Club) -> "ClubForm":
        return cls(initial={name: getattr(club, name) for name in cls.base_fields})

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not self.is_bound and not self.initial:
            # For a new club `times.js` preselects the time zone of the browser.
            self.fields["time_zone"].widget.attrs["data-own-zone"] = ""


class JoinForm(forms.Form):
    words = forms.CharField(
        label="A few words about you",
        max_length=200,
        required=False,
        strip=True,
        help_text="For those who decide. At most 200 characters.",
    )


class RoleForm(forms.Form):
    role = forms.ChoiceField(label="Role", choices=Membership.Role.choices)


class ClubRulesForm(HouseRulesForm):
    name = NameField(label="Name", max_length=40)
