"""Store what the starter makes of the regression texts: ``python -m tests.regression.store``.

Run it after a change of the starter whose differences you have read and want to keep.
"""

import json
import sys

from tests.regression.results import (
    CHECKPOINT,
    STORED,
    mark_with,
    micro_points,
    read_samples,
)


def main() -> int:
    if not (CHECKPOINT / "interpunct.json").is_file():
        print(f"There is no starter checkpoint in {CHECKPOINT}.", file=sys.stderr)
        return 1
    marked = mark_with(CHECKPOINT)
    STORED.write_text(json.dumps(marked, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    for language, texts in marked.items():
        careful = [sample.marked for sample in read_samples(language)]
        print(f"{language}: micro F1 {micro_points(careful, texts):.1f} on {len(texts)} texts")
    return 0


if __name__ == "__main__":
    sys.exit(main())
