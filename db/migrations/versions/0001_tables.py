"""The tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001_tables"
down_revision = None
branch_labels = None
depends_on = None

# In the order in which they are made.
TABLES = (
    "project",
    "user_account",
    "audit_event",
    "job",
    "model_version",
    "sign_in",
    "transcript",
    "assignment",
    "decision",
    "promotion",
    "round",
    "suggestion",
    "version",
)


def upgrade() -> None:
    op.create_table(
        "project",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("language", sa.String(length=8), nullable=False),
        sa.Column("marks", sa.JSON(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("serving_model_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["serving_model_id"],
            ["model_version.id"],
            name=op.f("fk_project_serving_model_id"),
            use_alter=True,
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_project")),
        sa.UniqueConstraint("name", name=op.f("uq_project_name")),
    )
    op.create_table(
        "user_account",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("password_hash", sa.String(length=255), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_user_account")),
        sa.UniqueConstraint("name", name=op.f("uq_user_account_name")),
    )
    op.create_table(
        "audit_event",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("project_id", sa.Integer(), nullable=True),
        sa.Column("action", sa.String(length=40), nullable=False),
        sa.Column("subject", sa.String(length=120), nullable=False),
        sa.Column("detail", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["project.id"],
            name=op.f("fk_audit_event_project_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name=op.f("fk_audit_event_user_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_event")),
    )
    op.create_index("ix_audit_event_project", "audit_event", ["project_id", "id"])
    op.create_table(
        "job",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("arguments", sa.JSON(), nullable=False),
        sa.Column("progress", sa.JSON(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("cancel_asked", sa.Boolean(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("heartbeat_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_job_project_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["user_account.id"], name=op.f("fk_job_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job")),
    )
    op.create_index("ix_job_project", "job", ["project_id", "id"])
    op.create_index("ix_job_state", "job", ["state", "kind"])
    op.create_table(
        "model_version",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=True),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("folder", sa.String(length=500), nullable=False),
        sa.Column("parent_id", sa.Integer(), nullable=True),
        sa.Column("marks", sa.JSON(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("metrics", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["parent_id"], ["model_version.id"], name=op.f("fk_model_version_parent_id")
        ),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["project.id"],
            name=op.f("fk_model_version_project_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_model_version")),
        sa.UniqueConstraint("name", name=op.f("uq_model_version_name")),
    )
    op.create_index("ix_model_version_project", "model_version", ["project_id", "id"])
    op.create_table(
        "sign_in",
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name=op.f("fk_sign_in_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_sign_in")),
    )
    op.create_table(
        "transcript",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("words_hash", sa.String(length=32), nullable=False),
        sa.Column("unit_count", sa.Integer(), nullable=False),
        sa.Column("language", sa.String(length=8), nullable=False),
        sa.Column("document", sa.String(length=255), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("split", sa.String(length=8), nullable=False),
        sa.Column("wanted", sa.Integer(), nullable=False),
        sa.Column("places", sa.Integer(), nullable=False),
        sa.Column("uncertainty", sa.Double(), nullable=False),
        sa.Column("lot", sa.Double(), nullable=False),
        sa.Column("timing", sa.JSON(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["project.id"],
            name=op.f("fk_transcript_project_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_transcript")),
        sa.UniqueConstraint(
            "project_id",
            "words_hash",
            "document",
            "position",
            name=op.f("uq_transcript_project_id_words_hash_document_position"),
        ),
    )
    op.create_index(
        "ix_transcript_waiting_lot",
        "transcript",
        ["project_id", "lot"],
        sqlite_where=sa.text("places > 0"),
        postgresql_where=sa.text("places > 0"),
    )
    op.create_index(
        "ix_transcript_waiting_uncertain",
        "transcript",
        ["project_id", "uncertainty"],
        sqlite_where=sa.text("places > 0"),
        postgresql_where=sa.text("places > 0"),
    )
    op.create_index("ix_transcript_words", "transcript", ["project_id", "words_hash"])
    op.create_index("ix_transcript_counts", "transcript", ["project_id", "split", "places"])
    op.create_table(
        "assignment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("transcript_id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("chosen_by", sa.String(length=12), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("flagged", sa.Boolean(), nullable=False),
        sa.Column("draft", sa.LargeBinary(), nullable=True),
        sa.Column("draft_number", sa.Integer(), nullable=False),
        sa.Column("draft_based_on", sa.Integer(), nullable=False),
        sa.Column("model_id", sa.Integer(), nullable=True),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("touched_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["annotator_id"], ["user_account.id"], name=op.f("fk_assignment_annotator_id")
        ),
        sa.ForeignKeyConstraint(
            ["model_id"], ["model_version.id"], name=op.f("fk_assignment_model_id")
        ),
        sa.ForeignKeyConstraint(
            ["transcript_id"],
            ["transcript.id"],
            name=op.f("fk_assignment_transcript_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assignment")),
        sa.UniqueConstraint(
            "transcript_id", "annotator_id", name=op.f("uq_assignment_transcript_id_annotator_id")
        ),
    )
    op.create_index(
        "ix_assignment_annotator", "assignment", ["annotator_id", "state", "touched_at"]
    )
    op.create_index("ix_assignment_state", "assignment", ["state", "touched_at"])
    op.create_table(
        "decision",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("transcript_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("reviewer_id", sa.Integer(), nullable=False),
        sa.Column("labels", sa.LargeBinary(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["reviewer_id"], ["user_account.id"], name=op.f("fk_decision_reviewer_id")
        ),
        sa.ForeignKeyConstraint(
            ["transcript_id"],
            ["transcript.id"],
            name=op.f("fk_decision_transcript_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_decision")),
        sa.UniqueConstraint(
            "transcript_id", "number", name=op.f("uq_decision_transcript_id_number")
        ),
    )
    op.create_table(
        "promotion",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("model_id", sa.Integer(), nullable=False),
        sa.Column("previous_id", sa.Integer(), nullable=True),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["model_id"], ["model_version.id"], name=op.f("fk_promotion_model_id")
        ),
        sa.ForeignKeyConstraint(
            ["previous_id"], ["model_version.id"], name=op.f("fk_promotion_previous_id")
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_promotion_project_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name=op.f("fk_promotion_user_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_promotion")),
    )
    op.create_index("ix_promotion_project", "promotion", ["project_id", "id"])
    op.create_table(
        "round",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=True),
        sa.Column("parent_model_id", sa.Integer(), nullable=False),
        sa.Column("model_id", sa.Integer(), nullable=True),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("snapshot", sa.JSON(), nullable=False),
        sa.Column("before", sa.JSON(), nullable=False),
        sa.Column("after", sa.JSON(), nullable=False),
        sa.Column("verdict", sa.JSON(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name=op.f("fk_round_job_id")),
        sa.ForeignKeyConstraint(["model_id"], ["model_version.id"], name=op.f("fk_round_model_id")),
        sa.ForeignKeyConstraint(
            ["parent_model_id"], ["model_version.id"], name=op.f("fk_round_parent_model_id")
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_round_project_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["user_account.id"], name=op.f("fk_round_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_round")),
        sa.UniqueConstraint("project_id", "number", name=op.f("uq_round_project_id_number")),
    )
    op.create_table(
        "suggestion",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("transcript_id", sa.Integer(), nullable=False),
        sa.Column("model_id", sa.Integer(), nullable=False),
        sa.Column("probabilities", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["model_id"],
            ["model_version.id"],
            name=op.f("fk_suggestion_model_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["transcript_id"],
            ["transcript.id"],
            name=op.f("fk_suggestion_transcript_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_suggestion")),
        sa.UniqueConstraint(
            "transcript_id", "model_id", name=op.f("uq_suggestion_transcript_id_model_id")
        ),
    )
    op.create_index("ix_suggestion_model", "suggestion", ["model_id", "transcript_id"])
    op.create_table(
        "version",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("transcript_id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("labels", sa.LargeBinary(), nullable=False),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("submitted", sa.Boolean(), nullable=False),
        sa.Column("based_on", sa.Integer(), nullable=False),
        sa.Column("model_id", sa.Integer(), nullable=True),
        sa.Column("seconds", sa.Double(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["annotator_id"], ["user_account.id"], name=op.f("fk_version_annotator_id")
        ),
        sa.ForeignKeyConstraint(
            ["model_id"], ["model_version.id"], name=op.f("fk_version_model_id")
        ),
        sa.ForeignKeyConstraint(
            ["transcript_id"],
            ["transcript.id"],
            name=op.f("fk_version_transcript_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_version")),
        sa.UniqueConstraint(
            "transcript_id",
            "annotator_id",
            "number",
            name=op.f("uq_version_transcript_id_annotator_id_number"),
        ),
    )
    op.create_index("ix_version_annotator", "version", ["annotator_id", "created_at"])
    # Projects and models point to each other. SQLite has that key in its table already.
    if op.get_bind().dialect.supports_alter:
        op.create_foreign_key(
            "fk_project_serving_model_id", "project", "model_version", ["serving_model_id"], ["id"]
        )


def downgrade() -> None:
    if op.get_bind().dialect.supports_alter:
        op.drop_constraint("fk_project_serving_model_id", "project", type_="foreignkey")
    for table in reversed(TABLES):
        op.drop_table(table)
