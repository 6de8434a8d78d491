"""A site with its own data folder."""

from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from euchre_site.backups.encryption import new_key, secret_keys
from tests.site.factories import write_keys


@pytest.fixture
def site(settings: Any, tmp_path: Path) -> Any:
    """The settings of a site with its own folder and keys, without BACKUP_KEY."""
    settings.DATA_DIR = tmp_path / "var"
    settings.DATA_DIR.mkdir()
    settings.BACKUP_FOLDER = settings.DATA_DIR / "backups"
    settings.BACKUP_KEY = ""
    write_keys(settings)
    return settings


@pytest.fixture
def key_file(site: Any, tmp_path: Path) -> Path:
    """The secret key of the site's backups, whose public one the site has as BACKUP_KEY."""
    file = tmp_path / "key.txt"
    file.write_text(new_key(timezone.now()))
    site.BACKUP_KEY = str(secret_keys(file)[0].to_public())
    return file
