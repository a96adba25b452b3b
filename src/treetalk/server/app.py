"""The HTTP API, version 1, and the page: each endpoint is a call of the desk."""

from __future__ import annotations

from contextlib import asynccontextmanager
from importlib import resources
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, FastAPI, HTTPException, Path, Query, Request, Response
from fastapi.responses import HTMLResponse, StreamingResponse

from treetalk import __version__
from treetalk.server import messages
from treetalk.server.events import MOST_LISTENERS, told
from treetalk.server.failures import tell_failures
from treetalk.server.guard import Guard
from treetalk.server.reference import reference
from treetalk.server.refusals import Refused

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from treetalk.server.admission import Admission
    from treetalk.server.desk import Desk

PREFIX = "/api/v1"
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
# What a picture may be, so that a browser never takes one for a page.
PICTURES = {"image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp"}
ABOUT = """The page of treetalk uses this API, and so can a program. Every request needs the token that `treetalk serve` \
prints, as `Authorization: Bearer TOKEN`. Triplets are `[a, b, c]`: the items a and b belong together, apart from c. What \
is answered is on the disk before the response is sent; sent again with the same `gesture`, it is recorded once."""

ItemNumber = Annotated[int, Path(ge=0, le=2**31 - 1)]
SomeItem = Annotated[int, Query(ge=0, le=2**31 - 1)]


def create_app(desk: Desk, admission: Admission, hosts: set[str]) -> FastAPI:
    """Return the app for a desk, to be served: with a guard before it.

    Parameters
    ----------
    desk : Desk
        Where the work is done; it begins to sample with the app, and is closed with it.
    admission : Admission
        Who may come in.
    hosts : set of str
        The names by which the server may be called.
    """
    app = unguarded_app(desk)
    app.add_middleware(Guard, admission=admission, hosts=hosts)
    return app


def unguarded_app(desk: Desk) -> FastAPI:
    """Return the app for a desk, for those who are in the same process: nobody else must reach it."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        desk.start()
        try:
            yield
        finally:
            desk.close()

    app = FastAPI(
        title="treetalk",
        version=__version__,
        description=ABOUT,
        lifespan=lifespan,
        openapi_url=f"{PREFIX}/openapi.json",
        docs_url=None,  # these load from elsewhere
        redoc_url=None,
        separate_input_output_schemas=False,
        responses={"4XX": {"model": messages.Failure}, "5XX": {"model": messages.Failure}},
    )
    tell_failures(app)
    app.include_router(_looking(desk))
    app.include_router(_talking(desk))
    app.include_router(_pages(app))
    return app


def _looking(desk: Desk) -> APIRouter:
    """Return the endpoints that change nothing."""
    router = APIRouter(prefix=PREFIX)

    @router.get("/project", tags=["project"], summary="What the project is")
    def project() -> messages.About:
        return messages.About(**desk.about)

    @router.get("/state", tags=["project"], summary="How far things are")
    def state() -> messages.State:
        return messages.State(**desk.state())

    @router.get(
        "/events",
        tags=["project"],
        summary="How far things are, as server-sent events",
        response_class=StreamingResponse,
        responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
    )
    async def events() -> StreamingResponse:
        if desk.bell.num_listeners >= MOST_LISTENERS:
            raise HTTPException(503, f"More than {MOST_LISTENERS} windows are open")
        return StreamingResponse(told(desk), media_type="text/event-stream", headers={"Cache-Control": "no-store"})

    @router.get("/items/{number}", tags=["items"], summary="All that is known of an item")
    def item(number: ItemNumber) -> messages.ItemInFull:
        return messages.ItemInFull(**desk.item(number))

    @router.get(
        "/items/{number}/picture",
        tags=["items"],
        summary="The image of an item",
        response_class=Response,
        responses={200: {"content": {"image/*": {"schema": {"type": "string", "format": "binary"}}}}},
    )
    def picture(number: ItemNumber) -> Response:
        found = desk.picture(number)
        if found.media_type not in PICTURES:
            raise HTTPException(404, f"Item {number} has a picture of a kind that is not shown: {found.media_type}")
        return Response(found.data, media_type=found.media_type, headers={"Cache-Control": "private, max-age=86400"})

    @router.get("/search", tags=["items"], summary="Items and named branches with some words in them")
    def search(
        q: Annotated[str, Query(max_length=200)], limit: Annotated[int, Query(ge=1, le=200)] = 20
    ) -> messages.Found:
        return messages.Found(**desk.search(q, limit))

    @router.post("/tree", tags=["hierarchy"], summary="What is visible of the hierarchy")
    def tree(view: messages.View) -> messages.Tree:
        wanted = view.model_dump()
        return messages.Tree(**desk.tree(opened=wanted.pop("open"), **wanted))

    @router.get("/statement", tags=["hierarchy"], summary="How sure it is that a and b belong together, apart from c")
    def statement(a: SomeItem, b: SomeItem, c: SomeItem) -> messages.Statement:
        return messages.Statement(**desk.statement(a, b, c))

    @router.get("/history", tags=["answers"], summary="What was said, the newest first")
    def history(
        before: Annotated[int | None, Query(ge=0, le=messages.LARGEST)] = None,
        limit: Annotated[int, Query(ge=1, le=200)] = 50,
    ) -> messages.Page:
        return messages.Page(**desk.history(before, limit))

    @router.get("/conflicts", tags=["answers"], summary="Which answers contradict each other")
    def conflicts() -> messages.Conflicts:
        return messages.Conflicts(**desk.dialogue.conflicts())

    @router.get(
        "/export/{format}",
        tags=["hierarchy"],
        summary="The hierarchy, or the answers, as a file for other programs",
        response_class=Response,
        responses={200: {"content": {"*/*": {"schema": {}}}}},  # text, JSON or bytes, as the format is
    )
    def export(
        format: Annotated[str, Path(max_length=40)],
        clusters: Annotated[int | None, Query(ge=1, le=2**31 - 1, description="How many, for labels.")] = None,
    ) -> Response:
        data, media_type, filename = desk.export(format, clusters)
        plain = "".join(sign if sign.isascii() and (sign.isalnum() or sign in "-_. ") else "_" for sign in filename)
        disposition = f"attachment; filename=\"{plain}\"; filename*=UTF-8''{_quoted(filename)}"
        return Response(
            data, media_type=media_type, headers={"Content-Disposition": disposition, "Cache-Control": "no-store"}
        )

    return router


def _talking(desk: Desk) -> APIRouter:
    """Return the endpoints of the dialogue."""
    router, dialogue = APIRouter(prefix=PREFIX), desk.dialogue

    @router.get("/question", tags=["questions"], summary="The question that a window shows")
    def question(window: messages.Window) -> messages.QuestionOrNone:
        return messages.QuestionOrNone(**dialogue.question(window))

    @router.post("/question", tags=["questions"], summary="Be asked about some items, or about a branch")
    def ask_about(wish: messages.AskAbout) -> messages.JustQuestion:
        if (wish.leaves is None) == (wish.branch is None):
            raise Refused("one thing is needed: leaves, or a branch")
        return messages.JustQuestion(**dialogue.ask_about(wish.window, wish.leaves, wish.branch))

    @router.post("/rearrangements", tags=["questions"], summary="What a drop comes to, and means; nothing is recorded")
    def rearrange(drop: messages.Rearrangement) -> messages.Rearranged:
        return messages.Rearranged(**dialogue.rearrange(**drop.model_dump()))

    @router.post("/answers", tags=["answers"], summary="Answer a question, or say something unasked")
    def answer(said: messages.Said) -> messages.Answered:
        desk.check_meant(said.project)
        response = said.response.triplets if said.response.kind == "triplets" else said.response.kind
        asked = None if said.asked is None else said.asked.model_dump()
        about = {"who": said.who or None, "comment": said.comment or None, "seconds": said.seconds}
        done = dialogue.answer(said.gesture, said.window, asked, response, **about)
        return messages.Answered(**done, state=messages.State(**desk.state()))

    @router.post("/retractions", tags=["answers"], summary="Take a gesture, or some answers, back")
    def retract(wish: messages.TakenBack) -> messages.Retracted:
        if (wish.takes_back is None) == (wish.answers is None):
            raise Refused("one thing is needed: takes_back, or answers")
        desk.check_meant(wish.project)
        about = {"who": wish.who or None, "comment": wish.comment or None}
        done = dialogue.retract(wish.gesture, wish.window, wish.takes_back, wish.answers, **about)
        return messages.Retracted(**done, state=messages.State(**desk.state()))

    @router.post("/comments", tags=["answers"], summary="Remark on an answer")
    def comment(wish: messages.Commenting) -> messages.Remarked:
        desk.check_meant(wish.project)
        return messages.Remarked(**dialogue.comment(wish.answer, wish.text, wish.who or None))

    @router.post("/names", tags=["hierarchy"], summary="Name a branch")
    def name(wish: messages.Naming) -> messages.Revision:
        desk.check_meant(wish.project)
        return messages.Revision(**dialogue.name(wish.branch, wish.name, wish.who or None))

    return router


def _pages(app: FastAPI) -> APIRouter:
    """Return the page, its parts, and the help."""
    router = APIRouter(include_in_schema=False)
    folder = resources.files("treetalk.server") / "page"
    files = {entry.name: entry for entry in folder.iterdir() if entry.is_file()}

    def sent(name: str) -> Response:
        ending = name[name.rfind(".") :]
        if name not in files or ending not in TYPES:
            raise HTTPException(404, f"There is no file {name!r}")
        return Response(
            files[name].read_bytes(),
            media_type=f"{TYPES[ending]}; charset=utf-8",
            headers={"Cache-Control": "no-cache"},
        )

    @router.get("/")
    def index() -> Response:
        return sent("index.html")

    @router.get("/help")
    def help_page() -> Response:
        return sent("help.html")

    @router.get("/help/api")
    def help_about_api(request: Request) -> HTMLResponse:
        return HTMLResponse(reference(app.openapi()))

    @router.get("/page/{name}")
    def part(name: str) -> Response:
        return sent(name)

    @router.get("/favicon.ico")
    def favicon() -> Response:
        return sent("icon.svg")

    return router


def _quoted(filename: str) -> str:
    from urllib.parse import quote

    return quote(filename, safe="")
