"""Middleware of the API: tokens, quotas and common headers.

Quotas are reported in ``RateLimit-Policy`` and ``RateLimit`` of the IETF draft "RateLimit header
fields for HTTP" (draft-ietf-httpapi-ratelimit-headers-10). Pages of other sites may read answers,
without cookies (Fetch standard, CORS protocol).
"""

from typing import Final, cast

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.cache import (
    get_conditional_response,
    patch_cache_control,
    patch_vary_headers,
    set_response_etag,
)
from django.utils.deprecation import MiddlewareMixin

from games.api import problems
from games.api.callers import ApiRequest
from games.people import limits
from games.people.addresses import client_address
from games.people.limits import Quota
from games.programs import tokens
from games.sockets import metrics

PREFIX: Final = "/api/"
SCHEME: Final = "bearer"
POLICY: Final = "minute"
PREFLIGHT: Final = {
    "Access-Control-Allow-Methods": "GET, HEAD",
    "Access-Control-Allow-Headers": "Authorization, If-None-Match",
    "Access-Control-Max-Age": "86400",
}
EXPOSED: Final = "ETag, RateLimit, RateLimit-Policy, Retry-After"
#: Problem codes for responses that Django makes itself.
CODES: Final = {400: "bad request", 404: "not found", 405: "method", 413: "too large"}
WORDS: Final = {
    404: "Not found, or you do not have access. All addresses are listed at /api/docs.",
    405: "This address does not allow this method; the Allow header lists those that it does.",
    500: "Something went wrong on this site.",
}


class ApiMiddleware(MiddlewareMixin):
    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        if not request.path_info.startswith(PREFIX):
            return None
        api_request = cast("ApiRequest", request)
        if request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers:
            return HttpResponse(status=204, headers=PREFLIGHT)
        header = request.headers.get("Authorization", "")
        scheme, _, secret = header.partition(" ")
        known = secret.strip() if scheme.lower() == SCHEME else ""
        now = timezone.now()
        api_request.token = tokens.find(known, now) if header else None
        if api_request.token is not None:
            api_request.quota = limits.count(
                f"token-{api_request.token.pk}", settings.API_RATE_TOKEN, now
            )
        else:
            name, allowed = f"address-{client_address(api_request)}", settings.API_RATE_ANONYMOUS
            api_request.quota = limits.count(name, allowed, now)
        if api_request.quota.exceeded:
            metrics.refuse("api quota")
            if api_request.token is None:
                limits.record_refusal(client_address(api_request))
            limit, retry_after = api_request.quota.limit, api_request.quota.resets
            words = f"{limit} requests a minute are allowed; retry in {retry_after} s."
            answer = problems.answer(429, "too many requests", words)
            answer["Retry-After"] = str(retry_after)
            return answer
        if header and api_request.token is None:
            words = "This token is unknown, revoked or expired: make one at /you/tokens/."
            answer = problems.answer(401, "token unknown", words)
            answer["WWW-Authenticate"] = 'Bearer realm="API", error="invalid_token"'
            return answer
        if request.method == "HEAD":  # the server leaves the body out
            request.method = "GET"
        return None

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        """Add the common headers and turn Django's own error pages into problems."""
        if not request.path_info.startswith(PREFIX):
            return response
        if response.status_code >= 400 and "json" not in response.get("Content-Type", ""):
            status, allowed = response.status_code, response.get("Allow")
            words = WORDS.get(status, f"{response.reason_phrase}.")
            response = problems.answer(status, CODES.get(status, "failed"), words)
            if allowed is not None:
                response["Allow"] = allowed
        if request.method == "GET" and isinstance(response, HttpResponse):
            response = _conditional(request, response)
        response["Access-Control-Allow-Origin"] = "*"
        response["Access-Control-Expose-Headers"] = EXPOSED
        quota: Quota | None = getattr(request, "quota", None)
        if quota is not None:
            response["RateLimit-Policy"] = f'"{POLICY}";q={quota.limit};w={limits.MINUTE}'
            response["RateLimit"] = f'"{POLICY}";r={quota.left};t={quota.resets}'
        return response


def _conditional(request: HttpRequest, response: HttpResponse) -> HttpResponseBase:
    patch_vary_headers(response, ["Authorization", "Cookie"])
    patch_cache_control(response, no_cache=True, private=True)
    if response.status_code != 200 or response.streaming:
        return response
    set_response_etag(response)
    answer = get_conditional_response(request, etag=response.get("ETag"), response=response)
    return answer or response
