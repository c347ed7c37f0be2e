"""The gate before everything: who asks, from where, and whether this page is for them.

It stands before Gradio's routes as well as ours, so that there is no way round it: pages
redirect to the sign-in, everything else answers 401. What a role may *do* is checked again
in every use case.
"""

from typing import Final
from urllib.parse import quote, urlsplit

from fastapi import Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from labeling.errors import NotAllowed
from labeling.permissions import Actor, may
from webapp import html
from webapp.context import SIGN_IN_COOKIE, Context
from webapp.pages import BY_PATH, Page, pages_of

_OPEN: Final = ("/interpunct/", "/assets/", "/static/", "/svelte/")
_OPEN_PATHS: Final = frozenset({"/login", "/login/", "/logout", "/health", "/favicon.ico"})
_OURS: Final = frozenset({"/password"})  # pages that are not Gradio's
_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})


class Gate:
    """An ASGI application around another one.

    Parameters
    ----------
    app : ASGIApp
        What lies behind the gate.
    context : Context
        The database and settings.
    """

    def __init__(self, app: ASGIApp, context: Context) -> None:
        self.app = app
        self.context = context

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it."""
        if scope["type"] == "websocket":  # nothing here speaks it, so nothing need be open to it
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope, receive)
        if scope["method"] not in _SAFE_METHODS and crosses_sites(request):
            await _refusal(403, "cross_site", "This request came from another site.")(
                scope, receive, send
            )
            return
        path = scope["path"]
        if path in _OPEN_PATHS or path.startswith(_OPEN):
            await self.app(scope, receive, send)
            return
        page = BY_PATH.get(path.strip("/")) if scope["method"] in ("GET", "HEAD") else None
        actor = await run_in_threadpool(self._who, request)
        if actor is None:
            await _sign_in_first(request, page)(scope, receive, send)
            return
        scope.setdefault("state", {})["actor"] = actor
        if page is None:
            await self.app(scope, receive, send)
        elif may(actor, page.action):
            await self._show(page, actor, request, send)
        else:
            response = await run_in_threadpool(self._not_for_role, page, actor, request)
            await response(scope, receive, send)

    def _who(self, request: Request) -> Actor | None:
        if SIGN_IN_COOKIE not in request.cookies:
            return None
        try:
            return self.context.actor(request)
        except NotAllowed:
            return None

    def _not_for_role(self, page: Page, actor: Actor, request: Request) -> Response:
        mine = pages_of(actor)
        if page.path == "" and mine:  # the first page is where everybody lands
            return RedirectResponse(f"/{mine[0].path}", status_code=303)
        language = self.context.language(request)
        reason = self.context.t(
            request,
            "shell.no_right",
            role=self.context.t(request, f"role.{actor.role}"),
            page=self.context.t(request, page.key),
        )
        body = html.fill(
            "refused.html",
            language,
            title=self.context.t(request, "shell.no_right_title"),
            reason=reason,
            header=html.header(self.context, request, actor, page.path),
        )
        return HTMLResponse(body, status_code=403)

    async def _show(self, page: Page, actor: Actor, request: Request, send: Send) -> None:
        """Have Gradio make the page, and frame it with our header."""
        scope = dict(request.scope)
        # Brotli would hide the text that we are about to change.
        scope["headers"] = [h for h in scope["headers"] if h[0] != b"accept-encoding"]
        start: Message = {}
        body = bytearray()

        async def catch(message: Message) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
            elif message["type"] == "http.response.body":
                body.extend(message.get("body", b""))

        await self.app(scope, request.receive, catch)
        headers = dict(start.get("headers", []))
        if start.get("status") == 200 and headers.get(b"content-type", b"").startswith(
            b"text/html"
        ):
            framed = await run_in_threadpool(self._frame, body.decode(), page, actor, request)
            body[:] = framed.encode()
            headers[b"cache-control"] = b"no-store"
        headers[b"content-length"] = str(len(body)).encode()
        start["headers"] = list(headers.items())
        await send(start)
        await send({"type": "http.response.body", "body": bytes(body)})

    def _frame(self, made: str, page: Page, actor: Actor, request: Request) -> str:
        title = self.context.t(request, page.key)
        header = html.header(self.context, request, actor, page.path)
        return html.frame(made, header, html.page_data(self.context, request, actor, title), title)


def crosses_sites(request: Request) -> bool:
    """Whether a browser sent this request for another site's page.

    Programs send neither header; browsers always send one of them with what changes
    something.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = request.headers.get("origin")
    return origin is not None and urlsplit(origin).netloc != request.headers.get("host")


def _sign_in_first(request: Request, page: Page | None) -> RedirectResponse | JSONResponse:
    ours = request.method == "GET" and request.url.path in _OURS
    if page is not None or ours:
        here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(f"/login?next={quote(here, safe='/')}", status_code=303)
    return _refusal(401, "not_signed_in", "Please sign in first.")


def _refusal(status: int, code: str, message: str) -> JSONResponse:
    return JSONResponse({"code": code, "message": message}, status_code=status)
