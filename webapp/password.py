"""The page on which people change their own password."""

from typing import Annotated, Final

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from labeling import accounts
from labeling.errors import BadInput, Refused
from labeling.guessing import Brake
from webapp import html
from webapp.context import SIGN_IN_COOKIE, Context, error_text

PATH: Final = "password"


def routes(context: Context) -> APIRouter:
    """Return the route ``/password``."""
    router = APIRouter(include_in_schema=False)
    brake = Brake()  # who walks up to an open browser may not guess for long either

    @router.get(f"/{PATH}")
    def show(request: Request, done: bool = False) -> Response:
        return _page(context, request, done=done)

    @router.post(f"/{PATH}")
    async def change(
        request: Request,
        current: Annotated[str, Form(max_length=1000)],
        password: Annotated[str, Form(max_length=1000)],
        again: Annotated[str, Form(max_length=1000)],
    ) -> Response:
        actor = context.actor(request)
        place = request.client.host if request.client else ""
        try:
            brake.check(actor.name, place)
            if password != again:
                raise BadInput("passwords_differ", "The two new passwords differ.")
            await run_in_threadpool(
                accounts.change_password,
                context.database,
                actor,
                current,
                password,
                keep_token=request.cookies.get(SIGN_IN_COOKIE),
            )
        except Refused as error:
            if error.code == "wrong_password":
                brake.failed(actor.name, place)
            status = 429 if error.code == "too_many_tries" else 400
            return await run_in_threadpool(_page, context, request, status=status, error=error)
        brake.succeeded(actor.name, place)
        return RedirectResponse(f"/{PATH}?done=true", status_code=303)

    return router


def _page(
    context: Context,
    request: Request,
    *,
    status: int = 200,
    error: Refused | None = None,
    done: bool = False,
) -> Response:
    language = context.language(request)
    actor = context.actor(request)
    body = html.fill(
        "password.html",
        language,
        title=context.t(request, "password.title"),
        header=html.header(context, request, actor, PATH),
        name=actor.name,
        shortest=accounts.SHORTEST_PASSWORD,
        error=error_text(language, error) if error else "",
        done=done,
    )
    return HTMLResponse(body, status_code=status, headers={"Cache-Control": "no-store"})
