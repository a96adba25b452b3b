"""Errors have one shape: a code, and one sentence. What the server did not foresee stands in its log, never in an answer."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from treetalk.errors import ProjectHeld, TreetalkError
from treetalk.server.messages.common import ID, ID_IN_WORDS
from treetalk.server.refusals import Refused
from treetalk.wording import counted

log = logging.getLogger("treetalk.server")

CODES = {
    400: "bad_request",
    401: "not_admitted",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    409: "mistaken",
    413: "too_large",
    415: "not_json",
    422: "bad_request",
    500: "failed",
    503: "busy",
}
# What a check of a request that failed is called, in words that go on after the name of a field.
WORDS = {
    "missing": "is missing",
    "extra_forbidden": "is not known here",
    "model_attributes_type": "must be a table, as {{...}} in JSON",
    "union_tag_invalid": "has the kind {tag!r}, and must have one of {expected_tags}",
    "union_tag_not_found": "needs a kind",
    "string_type": "must be a text",
    "string_pattern_mismatch": "must be {pattern}",
    "string_too_long": "is longer than {max_length} characters",
    "string_too_short": "is shorter than {min_length}",
    "int_type": "must be a whole number; items have numbers from 0 on",
    "int_parsing": "must be a whole number",
    "float_parsing": "must be a number",
    "float_type": "must be a number",
    "bool_parsing": "must be true or false",
    "list_type": "must be a list",
    "tuple_type": "must be three numbers",
    "too_short": "has fewer than {min_length}",
    "too_long": "has more than {max_length}",
    "greater_than_equal": "must be {ge:,.0f} or more",
    "less_than_equal": "must be {le:,.0f} or less",
    "literal_error": "must be {expected}",
}
UNFORESEEN = "Something went wrong in the server; its log says more. Nothing that was recorded is lost."


def failure(status: int, message: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """Return an error as an answer."""
    error = {"code": CODES.get(status, "failed"), "message": sentence(message)}
    return JSONResponse({"error": error}, status_code=status, headers={"Cache-Control": "no-store", **(headers or {})})


def sentence(message: str) -> str:
    """Return a message with a capital letter and a full stop, on one line."""
    text = " ".join(message.split())
    return (text[:1].upper() + text[1:]).removesuffix(".") + "." if text else UNFORESEEN


def tell_failures(app: FastAPI) -> None:
    """Have an app answer errors in this shape."""

    @app.exception_handler(RequestValidationError)
    async def refused(request: Request, error: RequestValidationError) -> JSONResponse:
        return failure(400, _explained(error.errors()))

    @app.exception_handler(HTTPException)
    async def known(request: Request, error: HTTPException) -> JSONResponse:
        detail = str(error.detail)
        if error.status_code == 404 and detail == "Not Found":
            detail = f"There is nothing at {request.url.path}"
        if error.status_code == 405:
            detail = f"{request.url.path} does not answer {request.method}"
        return failure(error.status_code, detail, error.headers)  # of a 405: what it does answer

    @app.exception_handler(TreetalkError)
    async def own(request: Request, error: TreetalkError) -> JSONResponse:
        status = error.status if isinstance(error, Refused) else 503 if isinstance(error, ProjectHeld) else 500
        if status == 500:
            log.error("%s %s: %s", request.method, request.url.path, error)
        return failure(status, str(error))


def _explained(errors: Sequence[Any]) -> str:
    """Return what is the matter with a request: the first thing."""
    first = errors[0]
    if first["type"] == "json_invalid":
        return "the request is no JSON"
    where = _place(first["loc"][1:])
    more = f" (and {counted(len(errors) - 1, 'other thing')})" if len(errors) > 1 else ""
    words = WORDS.get(first["type"])
    limits = dict(first.get("ctx") or {})
    limits["pattern"] = ID_IN_WORDS if limits.get("pattern") == ID else "letters, digits, - or _"
    return f"{where} {words.format(**limits)}{more}" if words else f"{where}: {first['msg']}{more}"


def _place(parts: Sequence[str | int]) -> str:
    """Return where something stands in a request: ``response.triplets[0][2]``."""
    path = ""
    for part, before in zip(parts, [None, *parts], strict=False):
        # What a response is of comes before its parts, as in response, triplets, triplets, 0.
        if isinstance(part, int):
            path += f"[{part}]"
        elif part != before:
            path += f".{part}"
    return path.removeprefix(".") or "the request"
