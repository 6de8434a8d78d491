"""Rule sets of rows: read once for equal data, and never one for another."""

import pytest

from games.engine import rules as engine_rules
from games.engine.errors import RuleSetError
from games.engine.rules import CLASSIC_24, RULE_SETS, RuleSet, rules_to_data
from games.models import Table, stored_rules


def test_the_rules_of_many_rows_are_checked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    stored_rules._read.cache_clear()
    checked, problems = [], engine_rules._problems

    def noted(rules: RuleSet) -> object:
        checked.append(rules.key)
        return problems(rules)

    monkeypatch.setattr(engine_rules, "_problems", noted)
    tables = [Table(rules_data=rules_to_data(rules)) for rules in RULE_SETS.values()] * 10
    assert [table.rules for table in tables] == list(RULE_SETS.values()) * 10
    assert checked == list(RULE_SETS)


def test_data_that_only_look_equal_are_checked_for_themselves() -> None:
    data = rules_to_data(CLASSIC_24)
    assert Table(rules_data=data).rules == CLASSIC_24
    with pytest.raises(RuleSetError):
        assert Table(rules_data={**data, "made": True}).rules
    table = Table(rules_data=data)
    table.rules_data = {**data, "target": 9}
    assert table.rules.target == 9
