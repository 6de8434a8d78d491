"""A site with its own data folder."""

from pathlib import Path
from typing import Any

import pytest

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
