"""Signing in and out: our own page, and a cookie behind which stands a row in the database."""

from typing import Annotated, Final
from urllib.parse import urlsplit

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from labeling import accounts
from labeling.errors import Refused
from labeling.guessing import Brake
from webapp.context import SIGN_IN_COOKIE, Context, error_text
from webapp.html import fill

DAY_SECONDS: Final = 24 * 60 * 60


def routes(context: Context) -> APIRouter:
    """Return the routes ``/login`` and ``/logout``."""
    router = APIRouter(include_in_schema=False)
    brake = Brake()

    @router.get("/login")
    def show(request: Request, next: str = "/") -> Response:
        return _page(context, request, next, status=200)

    @router.post("/login")
    @router.post("/login/")
    async def sign_in(
        request: Request,
        username: Annotated[str, Form(max_length=80)],
        password: Annotated[str, Form(max_length=1000)],
        next: Annotated[str, Form()] = "",
    ) -> Response:
        # Browsers send `next` from our form; programs (gradio_client) do not, and read 200.
        in_browser = bool(next)
        place = request.client.host if request.client else ""
        try:
            brake.check(username, place)
            _, token = await run_in_threadpool(
                accounts.sign_in,
                context.database,
                username,
                password,
                days=context.settings.sign_in_days,
            )
        except Refused as error:
            status = 429 if error.code == "too_many_tries" else 401
            if status == 401:
                brake.failed(username, place)
            if not in_browser:
                told = {"code": error.code, "message": str(error)}
                return JSONResponse(told, status_code=status)
            return _page(context, request, next, status=status, error=error, name=username)
        brake.succeeded(username, place)
        response: Response = (
            RedirectResponse(local_path(next), status_code=303)
            if in_browser
            else JSONResponse({"success": True})
        )
        response.set_cookie(
            SIGN_IN_COOKIE,
            token,
            max_age=context.settings.sign_in_days * DAY_SECONDS,
            httponly=True,
            samesite="lax",
            secure=request.url.scheme == "https",
            path="/",
        )
        return response

    @router.post("/logout")
    def sign_out(request: Request) -> Response:
        if token := request.cookies.get(SIGN_IN_COOKIE):
            accounts.sign_out(context.database, token)
        response = RedirectResponse("/login", status_code=303)
        response.delete_cookie(SIGN_IN_COOKIE, path="/", httponly=True, samesite="lax")
        return response

    return router


def local_path(wanted: str) -> str:
    """Return where to go after signing in: a path of this server, whatever was asked."""
    if not wanted.startswith("/") or wanted.startswith(("//", "/\\")):
        return "/"
    try:
        parts = urlsplit(wanted)
    except ValueError:  # such as a bracket where a host would be
        return "/"
    return "/" if parts.scheme or parts.netloc or parts.path.startswith("/login") else wanted


def _page(
    context: Context,
    request: Request,
    wanted: str,
    *,
    status: int,
    error: Refused | None = None,
    name: str = "",
) -> Response:
    language = context.language(request)
    html = fill(
        "sign_in.html",
        language,
        title=context.t(request, "sign_in.title"),
        next=local_path(wanted),
        error=error_text(language, error) if error else "",
        name=name,
    )
    return HTMLResponse(html, status_code=status, headers={"Cache-Control": "no-store"})
