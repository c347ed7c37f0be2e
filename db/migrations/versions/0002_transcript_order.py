"""An index that hands a project's transcripts out in order of id."""

from alembic import op

revision = "0002_transcript_order"
down_revision = "0001_tables"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_transcript_project", "transcript", ["project_id", "id"])


def downgrade() -> None:
    op.drop_index("ix_transcript_project", table_name="transcript")
