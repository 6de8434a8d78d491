"""Every relation to an account or player is exported or explained, and deleted or kept."""

import pytest
from django.utils import timezone

from euchre_site.own_data import deletion, relations
from euchre_site.own_data.relations import RELATIONS
from tests.site.own_data import full_account

#: Where another app is installed (ADMIN_PATH).
SOMETIMES = {"admin.LogEntry.user"}


def test_every_relation_is_listed() -> None:
    named = {name for name, _target, _field in relations.all_relations()}
    assert named - RELATIONS.keys() == set(), "a new model: say what of it is taken away and goes"
    assert RELATIONS.keys() - named - SOMETIMES == set()


def test_exceptions_have_a_reason() -> None:
    silent = [
        name
        for name, rows in RELATIONS.items()
        if not rows.why and (not rows.section or not rows.goes)
    ]
    assert silent == []


def test_section_names_are_unique() -> None:
    sections = [rows.section for rows in RELATIONS.values() if rows.section]
    assert len(sections) == len(set(sections))


@pytest.mark.django_db
def test_listed_relations_are_deleted_and_others_kept() -> None:
    life = full_account.live()
    user = life.maeve.user
    assert user is not None
    before = {name for name, count in counted(life).items() if count}
    assert RELATIONS.keys() - before - SOMETIMES <= {
        "games.User_groups.user", "games.User_user_permissions.user", "games.Deletion.user",
        "games.Takeaway.player", "tournaments.Entry.invited", "games.Performance.partner",
        "games.Performance.left", "games.Performance.right", "games.Performance.player",
        "tournaments.WalkIn.player", "tournaments.WalkIn.claimed_by",
        "tournaments.ListedName.plays_as",
        "tournaments.Substitution.player", "games.TakenCase.by",
        "games.TakenCase.proposed_by", "games.GameSubstitute.player",
    }, "Maeve has done everything else"  # fmt: skip
    assert deletion.delete_account(user, None, timezone.now())
    after = counted(life)
    assert {name for name in before if RELATIONS[name].goes and after.get(name)} == set()
    gone = {name for name in before if not RELATIONS[name].goes and not after.get(name)}
    assert gone <= {"games.Player.user"}


def counted(life: full_account.Life) -> dict[str, int]:
    """Return the number of rows that refer to Maeve's player or account, by relation."""
    owners = {type(one): one for one in (life.maeve, life.maeve.user) if one is not None}
    return {
        name: field.model.objects.filter(**{f"{field.name}__pk": owners[target].pk}).count()
        for name, target, field in relations.all_relations()
        if owners[target].pk is not None
    }
