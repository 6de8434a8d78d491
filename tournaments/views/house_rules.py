"""The rule sets of a club's own."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games import rule_words
from tournaments.access import club_of
from tournaments.forms.clubs import ClubRulesForm
from tournaments.models import Club, HouseRules
from tournaments.refusals import RefusedError
from tournaments.services import house_rules
from tournaments.views.answers import SeeOther


@require_safe
def rules_list(request: HttpRequest, slug: str) -> HttpResponse:
    """Explain each of the club's rule sets from its data."""
    access = club_of(request, slug)
    sets = [
        {
            "pk": house.pk,
            "key": f"rules-{house.pk}",
            "name": house.name,
            "goal": rule_words.goal(house.rules),
            "facts": rule_words.facts(house.rules),
            "points": rule_words.points(house.rules),
        }
        for house in access.club.house_rules.all()
    ]
    context = {"access": access, "club": access.club, "rule_sets": sets}
    return render(request, "tournaments/club_rules.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def new_rules(request: HttpRequest, slug: str) -> HttpResponse:
    """Add a rule set."""
    club = club_of(request, slug, "direct").club
    return _edit(request, club, None)


@require_http_methods(["GET", "HEAD", "POST"])
def edit_rules(request: HttpRequest, slug: str, rules_id: int) -> HttpResponse:
    """Change a rule set for events to come."""
    club = club_of(request, slug, "direct").club
    return _edit(request, club, get_object_or_404(club.house_rules, pk=rules_id))


@require_POST
def delete_rules(request: HttpRequest, slug: str, rules_id: int) -> HttpResponse:
    """Delete a rule set."""
    club = club_of(request, slug, "direct").club
    house = get_object_or_404(club.house_rules, pk=rules_id)
    house_rules.delete(house)
    messages.success(request, f"{house} is deleted; events that use it keep it.")
    return SeeOther(resolve_url("club_rules", slug))


def _edit(request: HttpRequest, club: Club, house: HouseRules | None) -> HttpResponse:
    if request.method == "POST":
        form = ClubRulesForm(request.POST)
    else:
        form = ClubRulesForm.of(house.rules) if house else ClubRulesForm()
    if form.is_valid():
        try:
            if house is None:
                kept = house_rules.make(club, form.rules)
            else:
                kept = house_rules.change(house, form.rules)
        except RefusedError as error:
            form.add_error("name" if error.code == "name taken" else None, error.message)
        else:
            messages.success(request, f"{kept} is saved.")
            return SeeOther(resolve_url("club_rules", club.slug))
    context = {"club": club, "house": house, "form": form}
    status = 422 if form.is_bound else 200
    return render(request, "tournaments/club_rules_form.html", context, status=status)
