"""The script with which anybody checks a record on a computer of his own."""

from pathlib import Path
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

SCRIPT: Final = Path(settings.BASE_DIR, "static", "bower_verify.py")


@require_safe
def verify_script(request: HttpRequest) -> HttpResponse:
    """Send the script as a file to keep."""
    headers = {"Content-Disposition": f'attachment; filename="{SCRIPT.name}"'}
    return HttpResponse(
        SCRIPT.read_bytes(), content_type="text/x-python; charset=utf-8", headers=headers
    )
