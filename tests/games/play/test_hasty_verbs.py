"""Verbs at a table by HTTP come no oftener than messages over a socket, counted by person."""

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from games import answers
from games.people import limits
from tests.addresses import patterns
from tests.conventions.test_url_roles import ROWS
from tests.factories import logged_in, player, table

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _few(settings: Settings) -> None:
    cache.clear()
    settings.SOCKET_BURST, settings.SOCKET_RATE = 2, 0


def statuses(client: Client, path: str, times: int) -> list[int]:
    """What a browser is answered that sends a form so many times."""
    return [client.post(path, {"seat": "9"}).status_code for _ in range(times)]


def test_actions_are_limited_per_client() -> None:
    maeve, ben = player("Maeve"), player("Ben")
    at = table(maeve, ben)
    path = f"/tables/{at.pk}/sit"
    assert statuses(logged_in(maeve), path, 3) == [400, 400, 429]
    assert statuses(logged_in(maeve), path, 1) == [429], "by another session no more"
    assert statuses(logged_in(ben), path, 1) == [400]
    assert statuses(Client(), path, 3) == [400, 400, 429]


def test_every_table_action_counts() -> None:
    maeve = player("Maeve")
    at = table(maeve)
    client = logged_in(maeve)
    names = [
        pattern.name
        for pattern in patterns()
        if str(pattern.pattern).startswith("tables/<num:table_id>/")
        and ROWS[str(pattern.name)].method == "POST"
    ]
    assert len(names) == 24
    for name in names:
        cache.clear()
        statuses(client, f"/tables/{at.pk}/sit", 2)
        path = reverse(str(name), args=[at.pk, "rude"] if name == "report_line" else [at.pk])
        assert client.post(path, ROWS[str(name)].data).status_code == 429, name
        assert client.get(path).status_code == 405, name


def test_each_client_is_refused_in_its_own_format() -> None:
    maeve = player("Maeve")
    at = table(maeve)
    client, path = logged_in(maeve), f"/tables/{at.pk}/act"
    statuses(client, path, 2)
    page = client.post(path)
    assert (page.status_code, page["Retry-After"]) == (429, str(limits.A_WHILE))
    assert answers.TOO_HASTY in page.text
    assert f'href="/tables/{at.pk}/"' in page.text
    script = client.post(path, headers={"HX-Request": "true"})
    assert (script.status_code, script.text) == (429, answers.TOO_HASTY)
    program = client.post(path, headers={"Accept": "application/json"})
    assert program.json() == {"kind": "slow down", "message": answers.TOO_HASTY}


def test_the_limit_equals_that_of_sockets(settings: Settings) -> None:
    settings.SOCKET_BURST, settings.SOCKET_RATE = 4, 0.3  # 10 in 20 s
    maeve = player("Maeve")
    at = table(maeve)
    answered = statuses(logged_in(maeve), f"/tables/{at.pk}/answer", 11)
    assert answered == [400] * 10 + [429]
