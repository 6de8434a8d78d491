"""The rule sets of a club's own. An event keeps a copy, so that changes never reach back."""

from django.db import IntegrityError, transaction

from games.engine.rules import RuleSet, rules_to_data
from tournaments.changes.held_rows import held_club
from tournaments.models import Club, HouseRules
from tournaments.refusals import RefusedError

MOST = 30


@transaction.atomic
def make(club: Club, rules: RuleSet) -> HouseRules:
    """Add a rule set to a club.

    Raises:
        RefusedError: ``name taken``, ``many`` or ``gone``.
    """
    club = held_club(club)
    if club.house_rules.count() >= MOST:
        raise RefusedError("many", f"A club can keep {MOST} rule sets: delete one first.")
    return _stored(HouseRules(club=club), rules)


@transaction.atomic
def change(house: HouseRules, rules: RuleSet) -> HouseRules:
    """Change a rule set for events made from now on.

    Raises:
        RefusedError: ``name taken`` or ``gone``.
    """
    club = held_club(house.club)
    kept = club.house_rules.filter(pk=house.pk).first()
    if kept is None:
        raise RefusedError("gone", f"{house} has been deleted meanwhile.", 404)
    return _stored(kept, rules)


def delete(house: HouseRules) -> None:
    """Delete a rule set; events keep theirs."""
    house.delete()


def _stored(house: HouseRules, rules: RuleSet) -> HouseRules:
    house.name, house.rules_data = rules.name, rules_to_data(rules)
    try:
        with transaction.atomic():
            house.save()
    except IntegrityError as error:
        raise RefusedError(
            "name taken", f"{house.club} has a rule set called {rules.name} already."
        ) from error
    return house
