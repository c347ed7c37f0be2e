"""PaddleNLP's Auto classes, imported as late and as quietly as can be."""

import warnings
from typing import Any

from model.processor import prepare_processor, signals_kept


def auto_classes() -> tuple[Any, Any]:
    """Return AutoModelForTokenClassification and AutoTokenizer (the first import takes seconds)."""
    prepare_processor()
    with signals_kept(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from paddlenlp.transformers import AutoModelForTokenClassification, AutoTokenizer
    from paddlenlp.utils.log import logger

    logger.set_level("ERROR")
    return AutoModelForTokenClassification, AutoTokenizer
