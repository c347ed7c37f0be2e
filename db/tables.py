"""The tables.

Marks are stored as canonical ids (uint8, one byte a slot): the position in
`model.marks.ALL_MARKS`, whatever mark set the project uses, so that extending a
project's set rewrites nothing. Times are UTC. What is append-only (versions, decisions,
promotions, audit events) is ordered by a counter, never by a clock.
"""

from datetime import UTC, datetime
from typing import Any, ClassVar

from sqlalchemy import (
    JSON,
    BigInteger,
    DateTime,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Text,
    TypeDecorator,
    UniqueConstraint,
)
from sqlalchemy import (
    text as sql_text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship


def now() -> datetime:
    """Return the time, in UTC, with its zone."""
    return datetime.now(UTC)


class UtcDateTime(TypeDecorator[datetime]):
    """A time with its zone, also where the database keeps none (SQLite)."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> datetime | None:  # noqa: D102
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Any) -> datetime | None:  # noqa: D102
        return value if value is None or value.tzinfo else value.replace(tzinfo=UTC)


class Base(DeclarativeBase):
    """The declarative base; constraint names are fixed, so that migrations can name them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        dict[str, Any]: JSON,
        list[str]: JSON,
        datetime: UtcDateTime,
        bytes: LargeBinary,
    }


class User(Base):
    """Somebody who signs in. `role` is annotator, lead, engineer or admin."""

    __tablename__ = "user_account"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(80), unique=True)
    password_hash: Mapped[str] = mapped_column(String(255))
    role: Mapped[str] = mapped_column(String(16))
    active: Mapped[bool] = mapped_column(default=True)
    created_at: Mapped[datetime] = mapped_column(default=now)


class SignIn(Base):
    """One browser's sign-in. Only a hash of its cookie's token is kept."""

    __tablename__ = "sign_in"
    token_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.id", ondelete="CASCADE"))
    created_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime]
    user: Mapped[User] = relationship(lazy="joined", innerjoin=True)


class Project(Base):
    """A body of transcripts with one language, one mark set and one serving model.

    `settings` keys: see `labeling.projects.ProjectSettings`.
    """

    __tablename__ = "project"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(120), unique=True)
    language: Mapped[str] = mapped_column(String(8))
    marks: Mapped[list[str]]
    settings: Mapped[dict[str, Any]] = mapped_column(default=dict)
    serving_model_id: Mapped[int | None] = mapped_column(
        ForeignKey("model_version.id", use_alter=True)
    )
    created_at: Mapped[datetime] = mapped_column(default=now)
    serving_model: Mapped["ModelVersion | None"] = relationship(
        foreign_keys=[serving_model_id], lazy="joined"
    )


class Transcript(Base):
    """One text to punctuate, without marks.

    `split` is pool (may be trained on) or test (frozen: measured on, never trained on).
    `places` counts the annotators that it still waits for; `wanted` how many it had at
    first. `uncertainty` is the serving model's, higher is less certain; `lot` is a fixed
    random number in [0, 1) by which random draws run. `words_hash` names its units.
    """

    __tablename__ = "transcript"
    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    text: Mapped[str] = mapped_column(Text)
    words_hash: Mapped[str] = mapped_column(String(32))
    unit_count: Mapped[int]
    language: Mapped[str] = mapped_column(String(8))
    document: Mapped[str] = mapped_column(String(255), default="")
    position: Mapped[int] = mapped_column(default=0)
    split: Mapped[str] = mapped_column(String(8), default="pool")
    wanted: Mapped[int] = mapped_column(default=1)
    places: Mapped[int] = mapped_column(default=1)
    uncertainty: Mapped[float] = mapped_column(default=0.0)
    lot: Mapped[float]
    # Word times and audio, as the recogniser gave them: {"words": [[start_s, end_s], ...], ...}
    timing: Mapped[dict[str, Any] | None]
    created_at: Mapped[datetime] = mapped_column(default=now)
    __table_args__ = (
        UniqueConstraint("project_id", "words_hash", "document", "position"),
        # The list goes by id; without this, each page would sort the whole project.
        Index("ix_transcript_project", "project_id", "id"),
        Index("ix_transcript_words", "project_id", "words_hash"),
        # Progress is shown after every submission, and must not read the texts.
        Index("ix_transcript_counts", "project_id", "split", "places"),
        Index(
            "ix_transcript_waiting_uncertain",
            "project_id",
            "uncertainty",
            sqlite_where=sql_text("places > 0"),
            postgresql_where=sql_text("places > 0"),
        ),
        Index(
            "ix_transcript_waiting_lot",
            "project_id",
            "lot",
            sqlite_where=sql_text("places > 0"),
            postgresql_where=sql_text("places > 0"),
        ),
    )


class Assignment(Base):
    """One annotator's hold on one transcript, with the draft that is being typed.

    `state` is open, submitted, skipped or expired. An open one that was not touched for the
    project's lease time expires: it gives its place back, so that somebody else may be handed
    the transcript; its draft stays. `draft` holds canonical ids; `draft_number` counts its
    saves, so that a second tab's stale save is refused; `draft_based_on` is the number of the
    version that it started from (0: none).
    """

    __tablename__ = "assignment"
    id: Mapped[int] = mapped_column(primary_key=True)
    transcript_id: Mapped[int] = mapped_column(ForeignKey("transcript.id", ondelete="CASCADE"))
    annotator_id: Mapped[int] = mapped_column(ForeignKey("user_account.id"))
    state: Mapped[str] = mapped_column(String(12), default="open")
    chosen_by: Mapped[str] = mapped_column(String(12), default="uncertain")
    reason: Mapped[str] = mapped_column(Text, default="")
    flagged: Mapped[bool] = mapped_column(default=False)
    draft: Mapped[bytes | None]
    draft_number: Mapped[int] = mapped_column(default=0)
    draft_based_on: Mapped[int] = mapped_column(default=0)
    model_id: Mapped[int | None] = mapped_column(ForeignKey("model_version.id"))
    opened_at: Mapped[datetime] = mapped_column(default=now)
    touched_at: Mapped[datetime] = mapped_column(default=now)
    __table_args__ = (
        UniqueConstraint("transcript_id", "annotator_id"),
        Index("ix_assignment_annotator", "annotator_id", "state", "touched_at"),
        Index("ix_assignment_state", "state", "touched_at"),
    )


class Suggestion(Base):
    """A model version's probabilities for every slot: float16, slots by marks of its mark set."""

    __tablename__ = "suggestion"
    id: Mapped[int] = mapped_column(primary_key=True)
    transcript_id: Mapped[int] = mapped_column(ForeignKey("transcript.id", ondelete="CASCADE"))
    model_id: Mapped[int] = mapped_column(ForeignKey("model_version.id", ondelete="CASCADE"))
    probabilities: Mapped[bytes]
    created_at: Mapped[datetime] = mapped_column(default=now)
    __table_args__ = (
        UniqueConstraint("transcript_id", "model_id"),
        Index("ix_suggestion_model", "model_id", "transcript_id"),
    )


class Version(Base):
    """One saved state of one annotator's marks for one transcript. Never changed.

    `kind` is submit, save, restore or import; only `submitted` ones count as the
    annotator's answer, the one with the highest number at that. `based_on` is the number
    of the version before it (0: none). `model_id` is the suggestion that was shown, if any.
    """

    __tablename__ = "version"
    id: Mapped[int] = mapped_column(primary_key=True)
    transcript_id: Mapped[int] = mapped_column(ForeignKey("transcript.id", ondelete="CASCADE"))
    annotator_id: Mapped[int] = mapped_column(ForeignKey("user_account.id"))
    number: Mapped[int]
    labels: Mapped[bytes]
    kind: Mapped[str] = mapped_column(String(12), default="submit")
    submitted: Mapped[bool] = mapped_column(default=True)
    based_on: Mapped[int] = mapped_column(default=0)
    model_id: Mapped[int | None] = mapped_column(ForeignKey("model_version.id"))
    seconds: Mapped[float | None]
    created_at: Mapped[datetime] = mapped_column(default=now)
    annotator: Mapped[User] = relationship()
    __table_args__ = (
        UniqueConstraint("transcript_id", "annotator_id", "number"),
        Index("ix_version_annotator", "annotator_id", "created_at"),
    )


class Decision(Base):
    """A reviewer's adjudication of a transcript; the highest number holds. Never changed."""

    __tablename__ = "decision"
    id: Mapped[int] = mapped_column(primary_key=True)
    transcript_id: Mapped[int] = mapped_column(ForeignKey("transcript.id", ondelete="CASCADE"))
    number: Mapped[int]
    reviewer_id: Mapped[int] = mapped_column(ForeignKey("user_account.id"))
    labels: Mapped[bytes]
    note: Mapped[str] = mapped_column(Text, default="")
    created_at: Mapped[datetime] = mapped_column(default=now)
    reviewer: Mapped[User] = relationship()
    __table_args__ = (UniqueConstraint("transcript_id", "number"),)


class ModelVersion(Base):
    """A checkpoint. `project_id` is None for the starter, which every project can use.

    `folder` is relative to the home folder, or absolute for a model from elsewhere.
    `state` is ready, or broken with the reason in `note`.
    """

    __tablename__ = "model_version"
    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int | None] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(String(120), unique=True)
    folder: Mapped[str] = mapped_column(String(500))
    parent_id: Mapped[int | None] = mapped_column(ForeignKey("model_version.id"))
    marks: Mapped[list[str]]
    settings: Mapped[dict[str, Any]] = mapped_column(default=dict)
    metrics: Mapped[dict[str, Any]] = mapped_column(default=dict)
    state: Mapped[str] = mapped_column(String(12), default="ready")
    note: Mapped[str] = mapped_column(Text, default="")
    created_at: Mapped[datetime] = mapped_column(default=now)
    __table_args__ = (Index("ix_model_version_project", "project_id", "id"),)


class Promotion(Base):
    """One change of a project's serving model. `kind` is promote or rollback. Never changed."""

    __tablename__ = "promotion"
    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    kind: Mapped[str] = mapped_column(String(12))
    model_id: Mapped[int] = mapped_column(ForeignKey("model_version.id"))
    previous_id: Mapped[int | None] = mapped_column(ForeignKey("model_version.id"))
    user_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id"))
    reason: Mapped[str] = mapped_column(Text, default="")
    created_at: Mapped[datetime] = mapped_column(default=now)
    __table_args__ = (Index("ix_promotion_project", "project_id", "id"),)


class Job(Base):
    """A piece of background work. `kind` is round or suggest.

    `state` is waiting, running, done, failed or cancelled. `progress` holds done, total,
    message, and for a round loss, learning rate and seconds left; `heartbeat_at` tells a
    job whose worker died from one that is slow.
    """

    __tablename__ = "job"
    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    kind: Mapped[str] = mapped_column(String(16))
    state: Mapped[str] = mapped_column(String(12), default="waiting")
    arguments: Mapped[dict[str, Any]] = mapped_column(default=dict)
    progress: Mapped[dict[str, Any]] = mapped_column(default=dict)
    error: Mapped[str] = mapped_column(Text, default="")
    cancel_asked: Mapped[bool] = mapped_column(default=False)
    attempts: Mapped[int] = mapped_column(default=0)
    user_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id"))
    created_at: Mapped[datetime] = mapped_column(default=now)
    started_at: Mapped[datetime | None]
    heartbeat_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    __table_args__ = (
        Index("ix_job_project", "project_id", "id"),
        Index("ix_job_state", "state", "kind"),
    )


class Round(Base):
    """One retraining: snapshot of gold, fine-tune, measure before and after, verdict.

    `snapshot` lists the gold rows by split, with their source (decision or version ids)
    and a hash; `before` and `after` hold the metrics on the frozen test; `verdict` the
    comparison and whether it is decisive. `model_id` is the candidate, once trained.
    """

    __tablename__ = "round"
    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    number: Mapped[int]
    job_id: Mapped[int | None] = mapped_column(ForeignKey("job.id"))
    parent_model_id: Mapped[int] = mapped_column(ForeignKey("model_version.id"))
    model_id: Mapped[int | None] = mapped_column(ForeignKey("model_version.id"))
    state: Mapped[str] = mapped_column(String(12), default="waiting")
    settings: Mapped[dict[str, Any]] = mapped_column(default=dict)
    snapshot: Mapped[dict[str, Any]] = mapped_column(default=dict)
    before: Mapped[dict[str, Any]] = mapped_column(default=dict)
    after: Mapped[dict[str, Any]] = mapped_column(default=dict)
    verdict: Mapped[dict[str, Any]] = mapped_column(default=dict)
    error: Mapped[str] = mapped_column(Text, default="")
    user_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id"))
    created_at: Mapped[datetime] = mapped_column(default=now)
    ended_at: Mapped[datetime | None]
    __table_args__ = (UniqueConstraint("project_id", "number"),)


class AuditEvent(Base):
    """Who did what, when. Never changed."""

    __tablename__ = "audit_event"
    id: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    at: Mapped[datetime] = mapped_column(default=now)
    user_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id"))
    project_id: Mapped[int | None] = mapped_column(ForeignKey("project.id", ondelete="SET NULL"))
    action: Mapped[str] = mapped_column(String(40))
    subject: Mapped[str] = mapped_column(String(120), default="")
    detail: Mapped[dict[str, Any]] = mapped_column(default=dict)
    __table_args__ = (Index("ix_audit_event_project", "project_id", "id"),)
