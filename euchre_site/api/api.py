"""The JSON API: the routers of both apps under `/api/`, and the form of errors.

The operations are in `games.api` and the rooms of `tournaments`; authentication is in
`games.api.callers`, and the middleware in `games.api.gate`.
"""

import json
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation
from ninja.parser import Parser

from euchre_site.api.examples import example_of
from euchre_site.api.guide import Guide
from games.api import games, games_stream, play, problems
from games.api.callers import PersonalToken, reading
from games.api.problems import ApiProblem, ProblemDetails
from games.people import two_steps
from tournaments.calendar import api as calendar_api
from tournaments.clubs import api as clubs_api
from tournaments.entering import api as entering_api
from tournaments.ratings import api as ratings_api
from tournaments.refusals import RefusedError
from tournaments.statistics import api as statistics_api

ABOUT: Final = (
    "Clubs, events, standings, games and ratings, to read for everybody; with a personal token "
    "also to enter events and to play."
)
PROBLEM: Final = {"$ref": "#/components/schemas/ProblemDetails"}
#: Descriptions of the error responses.
ANSWERS: Final = {
    400: "What was sent cannot be read.",
    401: "The token is unknown, or one is needed.",
    403: "It is there, but not for this caller.",
    404: "There is nothing here, or nothing that this caller may see.",
    409: "It cannot be done as things are now.",
    422: "A value is not one of those allowed; `errors` names it.",
    429: "Too many requests; `Retry-After` is the number of seconds to wait.",
    503: "Too many ask at this moment, or the database is away; `Retry-After` as above.",
}


class Objects(Parser):
    """Parses bodies that are JSON objects; Ninja would accept other values as empty ones."""

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        """Return the object; raise ValueError, which becomes a 400, for anything else."""
        body = json.loads(request.body)
        if not isinstance(body, dict):
            raise ValueError("no object")
        return body


class Api(NinjaAPI):
    """The API; its OpenAPI document includes error responses and is cached."""

    _document: OpenAPISchema | None = None

    def get_openapi_operation_id(self, operation: Operation) -> str:
        """Return the function's name, which is unique."""
        name: str = operation.view_func.__name__
        return name

    def get_openapi_schema(self, **options: Any) -> OpenAPISchema:
        """Return the OpenAPI document, with scopes and error responses."""
        if self._document is None:
            document = super().get_openapi_schema(**options)
            schema = ProblemDetails.model_json_schema(ref_template="#/components/schemas/{model}")
            document["components"]["schemas"] |= schema.pop("$defs") | {"ProblemDetails": schema}
            scopes = {
                self.get_openapi_operation_id(operation): check.scope.value
                for router in self._get_bound_routers()
                for view in router.path_operations.values()
                for operation in view.operations
                for check in operation.auth_callbacks
                if isinstance(check, PersonalToken) and check.scope is not None
            }
            for path, operations in document["paths"].items():
                for operation in operations.values():
                    _describe(path, operation, scopes.get(operation["operationId"]))
            _give_examples(document)
            self._document = document
        return self._document


def _describe(path: str, operation: dict[str, Any], scope: str | None) -> None:
    possible = {401, 429, 503}
    if "{" in path:
        possible.add(404)
    if "{player_id}" in path:  # a private record
        possible.add(403)
    if operation["parameters"] or "requestBody" in operation:
        possible.add(422)
    if scope is None:
        operation["security"] = [*operation.get("security", ()), {}]  # authentication is optional
    else:
        operation["security"] = [{PersonalToken.__name__: [scope]}]
        possible |= {400, 403, 409}
    for status in sorted(possible):
        response = {
            "description": ANSWERS[status],
            "content": {problems.MEDIA_TYPE: {"schema": PROBLEM}},
        }
        operation["responses"].setdefault(status, response)


def _give_examples(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    for operations in document["paths"].values():
        for operation in operations.values():
            fine = [one for status, one in operation["responses"].items() if int(status) < 400]
            for sent in (*fine, operation.get("requestBody", {})):
                for content in sent.get("content", {}).values():
                    content["example"] = example_of(content["schema"], schemas)


api = Api(
    title=f"{settings.SITE_NAME} API",
    version="1",
    description=ABOUT,
    urls_namespace="api",
    docs=Guide(),
    auth=reading,
    parser=Objects(),
)
api.add_router("/clubs", clubs_api.router)
api.add_router("/events", calendar_api.router)
api.add_router("/events", entering_api.router)
api.add_router("/games", games.router)
api.add_router("/games", games_stream.router)
api.add_router("/tables", play.router)
api.add_router("/players", statistics_api.router)
api.add_router("/players", ratings_api.of_players)
api.add_router("/ratings", ratings_api.router)


@api.exception_handler(ApiProblem)
def problem(_request: HttpRequest, error: ApiProblem) -> HttpResponse:
    response = problems.answer(error.status, error.code, error.detail, **error.more)
    if error.status == 401:
        response["WWW-Authenticate"] = 'Bearer realm="API"'
    return response


@api.exception_handler(RefusedError)
def refused(_request: HttpRequest, error: RefusedError) -> HttpResponse:
    return problems.answer(error.status, error.code, error.message)


@api.exception_handler(Http404)
def not_found(_request: HttpRequest, _error: Http404) -> HttpResponse:
    return problems.answer(404, "not found", ANSWERS[404])


@api.exception_handler(PermissionDenied)
def forbidden(_request: HttpRequest, _error: PermissionDenied) -> HttpResponse:
    """Answer that the caller must set up two-step login first."""
    return problems.answer(403, "two steps", two_steps.WORDS)


@api.exception_handler(ValidationError)
def invalid(_request: HttpRequest, error: ValidationError) -> HttpResponse:
    errors = []
    for one in error.errors:
        # The path to the value as the client sees it, without the name of the view's argument.
        source, *rest = one["loc"]
        named = rest[1:] if source == "body" and len(rest) > 1 else rest
        where = ".".join(map(str, (source, *named)))
        errors.append({"where": where, "problem": f"{one['msg']}."})
    words = " ".join(f"{one['where']}: {one['problem']}" for one in errors)
    return problems.answer(422, "invalid", words, errors)


@api.exception_handler(HttpError)
def malformed(_request: HttpRequest, error: HttpError) -> HttpResponse:
    words = f"{error.message}: it must be a JSON object."
    return problems.answer(error.status_code, "bad request", words)
