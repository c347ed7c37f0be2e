"""What the environment says: where things are kept, and where the server listens."""

from pathlib import Path
from typing import Literal, Self

from pydantic import AliasChoices, Field, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """The settings of one installation, read from the environment when made.

    Attributes
    ----------
    home : Path
        ``INTERPUNCT_HOME``: database, models, queue and logs are kept here. Made absolute.
    database_url : str
        ``DATABASE_URL``: any URL that SQLAlchemy reads; a SQLite file in the home folder
        where nothing is said.
    redis_url : str
        ``REDIS_URL``: the queue of background work; empty for a SQLite queue in the home
        folder.
    host, port
        ``INTERPUNCT_HOST``, ``INTERPUNCT_PORT``: where the server listens.
    demo : bool
        ``INTERPUNCT_DEMO``: whether the first start makes the demo projects and people.
    admin_password : str
        ``INTERPUNCT_ADMIN_PASSWORD``: of the admin that the first start makes; made up and
        shown if empty.
    starter : Path or None
        ``INTERPUNCT_STARTER``: the folder of the model that projects start with, made
        absolute; None for the one that ships.
    sign_in_days : int
        ``INTERPUNCT_SIGN_IN_DAYS``: how long a sign-in lasts.
    precision : str
        ``INTERPUNCT_PRECISION``: how a model that serves multiplies. `model.processor` reads it
        from the environment itself; here it is refused before anything starts.
    """

    model_config = SettingsConfigDict(
        env_prefix="INTERPUNCT_", env_ignore_empty=True, populate_by_name=True, extra="ignore"
    )

    home: Path = Path("var")
    database_url: str = Field("", validation_alias=AliasChoices("DATABASE_URL", "database_url"))
    redis_url: str = Field("", validation_alias=AliasChoices("REDIS_URL", "redis_url"))
    host: str = "127.0.0.1"
    port: int = Field(7860, ge=0, le=65535)
    demo: bool = True
    admin_password: str = Field("", repr=False)
    starter: Path | None = None
    sign_in_days: int = Field(30, ge=1)
    precision: Literal["auto", "bfloat16", "float32"] = "auto"

    @field_validator("precision", mode="before")
    @classmethod
    def _plain(cls, said: object) -> object:
        return said.strip().lower() if isinstance(said, str) else said

    @model_validator(mode="after")
    def _fill_in(self) -> Self:
        self.home = self.home.expanduser().absolute()
        if self.starter is not None:
            self.starter = self.starter.expanduser().absolute()
        if not self.database_url:
            self.database_url = f"sqlite:///{self.home / 'interpunct.db'}"
        return self

    def make_home(self) -> Path:
        """Make the home folder where it is not there yet, and return it."""
        self.home.mkdir(parents=True, exist_ok=True)
        return self.home
