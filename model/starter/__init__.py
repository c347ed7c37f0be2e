"""The starter checkpoint and the scripts that build it; see README.md beside this file."""

from pathlib import Path
from typing import Final

CHECKPOINT: Final = Path(__file__).parent / "checkpoint"
