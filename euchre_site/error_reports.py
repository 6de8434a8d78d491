"""The content of Django's error pages and mails."""

from collections.abc import ItemsView
from types import FrameType
from typing import Any

from django.http import HttpRequest
from django.views.debug import SafeExceptionReporterFilter


class WithoutVariables(SafeExceptionReporterFilter):
    """Error reports without local variables, which may hold cards and secrets of shuffles."""

    def get_traceback_frame_variables(
        self, request: HttpRequest | None, tb_frame: FrameType
    ) -> ItemsView[str, Any]:
        nothing: dict[str, Any] = {}
        return nothing.items()
