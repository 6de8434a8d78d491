"""Error responses of the API: problem details of RFC 9457."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, Final

from django.http import JsonResponse
from ninja import Field, Schema

MEDIA_TYPE: Final = "application/problem+json"


class FieldProblem(Schema):
    """What is wrong with one value that was sent."""

    where: str = Field(description="The value, such as `query.limit` or `body.partner`.")
    problem: str = Field(description="What is wrong with it, and what is allowed.")


class ProblemDetails(Schema):
    """Why something was not done; nothing has changed then."""

    title: str = Field(description="The status in words.")
    status: int = Field(description="The HTTP status.")
    code: str = Field(description="A word for programs; see the documentation.")
    detail: str = Field(description="A sentence for people.")
    errors: list[FieldProblem] = Field(description="What was wrong with what was sent.")


class ApiProblem(Exception):  # noqa: N818 - the name of the field, RFC 9457
    """An exception that becomes the response of an API view, with status 4xx.

    `detail` is a sentence that says what was wrong and what is allowed; `more` are members of the
    response beyond those of `ProblemDetails`.
    """

    def __init__(self, status: int, code: str, detail: str, **more: Any) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.more = more


def answer(
    status: int, code: str, detail: str, errors: Sequence[dict[str, str]] = (), **more: Any
) -> JsonResponse:
    """Return the response for a problem; arguments as for `ApiProblem` and `FieldProblem`."""
    body = {
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": code,
        "detail": detail,
        "errors": list(errors),
        **more,
    }
    return JsonResponse(body, status=status, content_type=MEDIA_TYPE)
