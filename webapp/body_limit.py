"""A limit on what a request may bring, before anything reads it whole.

Files come in through Gradio's upload, which writes them to disk as they arrive and has a limit
of its own. All else is read into memory: the largest answer, of a text of 250,000 characters,
takes about a megabyte.
"""

from typing import Final

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY: Final = 8 << 20
_UPLOADS: Final = "/gradio_api/upload"


class BodyLimit:
    """An ASGI application around another one.

    Parameters
    ----------
    app : ASGIApp
        What gets the requests that are small enough.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on with its body, or answer 413 as soon as it is too large."""
        if scope["type"] != "http" or scope["path"].startswith(_UPLOADS):
            await self.app(scope, receive, send)
            return
        body = bytearray()
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body += message.get("body", b"")
            if len(body) > LARGEST_BODY:
                said = {"code": "too_large", "message": "This request is too large."}
                await JSONResponse(said, 413)(scope, receive, send)
                return
            more = message.get("more_body", False)
        whole: list[Message] = [{"type": "http.request", "body": bytes(body), "more_body": False}]

        async def again() -> Message:
            return whole.pop() if whole else await receive()

        await self.app(scope, again, send)
