"""JSON routes."""

from fastapi import APIRouter

from webapp.context import Context


def routes(context: Context) -> APIRouter:
    """Return the routes under ``/api``."""
    return APIRouter(prefix="/api")
