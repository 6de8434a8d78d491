"""What an error's page tells while DEBUG is on, and what a mail about it tells."""

from collections.abc import ItemsView
from types import FrameType
from typing import Any

from django.http import HttpRequest
from django.views.debug import SafeExceptionReporterFilter


class WithoutVariables(SafeExceptionReporterFilter):
    """Shows where it failed, but no local variable: these hold secrets of shuffles, and cards."""

    def get_traceback_frame_variables(
        self, request: HttpRequest | None, tb_frame: FrameType
    ) -> ItemsView[str, Any]:
        """Return nothing."""
        nothing: dict[str, Any] = {}
        return nothing.items()
