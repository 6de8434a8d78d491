"""Admin pages exist only with ADMIN_PATH; their tests run in such a process."""

import pytest
from django.test import Client

from tests.test_other_runs import run_pytest

pytestmark = pytest.mark.django_db


def test_there_are_no_admin_pages_by_default() -> None:
    assert Client().get("/admin/").status_code == 404


@pytest.mark.sqlite  # the run in it would make the same database on a server a second time
def test_enabled_admin_pages() -> None:
    run_pytest("tests/site/office/admin_pages.py", ADMIN_PATH="behind")
