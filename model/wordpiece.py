"""A BERT WordPiece tokenizer that reads a folder without PaddleNLP.

Importing PaddleNLP takes seconds, and serving needs nothing else of it. For the folders
that `WordPiece.reads` accepts, the tokens are the same as `AutoTokenizer`'s.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from model.card import BrokenModel, read_object

VOCABULARY: Final = "vocab.txt"
_SPECIAL: Final = {"unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "pad": "[PAD]"}
_MAX_CHARS = 100
# Letters and numbers to Unicode, but symbols to PaddleNLP.
_ODD_SYMBOLS = frozenset("\u00ad\u00b2\u00ba\u3007\u00b5\u00d8\u014b\u01b1")
_CHINESE = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


class WordPiece:
    """Greedy longest-match sub-words (Wu et al. 2016, arXiv 1609.08144) in BERT's manner.

    Parameters
    ----------
    folder : Path
        A folder with ``vocab.txt`` and ``tokenizer_config.json``.

    Raises
    ------
    BrokenModel
        One of the two is not there, cannot be read, or lacks a token that every text needs.
    """

    def __init__(self, folder: Path):
        config = _config(folder)
        self._ids = {line: i for i, line in enumerate(read_vocabulary(folder))}
        names = {name: config.get(f"{name}_token", own) for name, own in _SPECIAL.items()}
        for token in names.values():
            if token not in self._ids:
                raise BrokenModel(f"{folder}: {VOCABULARY} has no {token}, which every text needs.")
        self._unknown = names["unk"]
        self.unk_token_id = self._ids[names["unk"]]
        self.cls_token_id = self._ids[names["cls"]]
        self.sep_token_id = self._ids[names["sep"]]
        self.pad_token_id = self._ids[names["pad"]]

    @staticmethod
    def reads(folder: Path) -> bool:
        """Whether a folder's tokenizer is a plain cased BERT one."""
        config = _config(folder)
        return (
            (folder / VOCABULARY).is_file()
            and not (folder / "added_tokens.json").is_file()
            and config.get("tokenizer_class") == "BertTokenizer"
            and config.get("do_lower_case") is False
            and config.get("do_basic_tokenize", True) is True
            and config.get("tokenize_chinese_chars", True) is True
            and not config.get("strip_accents")
            and not config.get("never_split")
            and all(isinstance(config.get(f"{name}_token", ""), str) for name in _SPECIAL)
        )

    def tokenize(self, text: str) -> list[str]:
        """Cut a text into tokens; what the vocabulary lacks becomes the unknown token."""
        return [token for word in _words(text) for token in self._match(word)]

    def convert_tokens_to_ids(self, tokens: Sequence[str]) -> list[int]:
        """Return the ids of tokens."""
        return [self._ids.get(token, self.unk_token_id) for token in tokens]

    def _match(self, word: str) -> list[str]:
        if len(word) > _MAX_CHARS:
            return [self._unknown]
        tokens: list[str] = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(len(word), start, -1):
                if prefix + word[start:end] in self._ids:
                    break
            else:
                return [self._unknown]
            tokens.append(prefix + word[start:end])
            start = end
        return tokens


def read_vocabulary(folder: Path) -> list[str]:
    """Return the tokens of a folder's ``vocab.txt``, in the order of their ids.

    Raises
    ------
    BrokenModel
        It cannot be read, or is empty.
    """
    path = folder / VOCABULARY
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        raise BrokenModel(f"{folder}: it has no {VOCABULARY}.") from None
    except OSError as error:
        raise BrokenModel(f"{path} cannot be read: {error.strerror or error}.") from None
    except ValueError:
        raise BrokenModel(f"{path} cannot be read: it is not UTF-8.") from None
    if not lines[-1]:
        lines.pop()
    if not lines:
        raise BrokenModel(f"{folder}: {VOCABULARY} is empty.")
    return lines


def _config(folder: Path) -> dict:
    path = folder / "tokenizer_config.json"
    return read_object(path) if path.is_file() else {}


def _words(text: str) -> Iterator[str]:
    """Split at spaces and around each Han character, punctuation mark and symbol."""
    word = ""
    for char in text:
        category = unicodedata.category(char)
        if char in " \t\n\r" or category == "Zs":
            alone, kept = False, False
        elif char == "\ufffd" or category[0] == "C":
            continue
        else:
            alone = _is_chinese(ord(char)) or _is_mark(char, category)
            kept = True
        if alone or not kept:
            if word:
                yield from word.split()
            word = ""
            if alone and not char.isspace():
                yield char
        else:
            word += char
    if word:
        yield from word.split()


def _is_mark(char: str, category: str) -> bool:
    ascii_mark = (
        "!" <= char <= "/" or ":" <= char <= "@" or "[" <= char <= "`" or "{" <= char <= "~"
    )
    return ascii_mark or category[0] in "PS" or char in _ODD_SYMBOLS


def _is_chinese(code: int) -> bool:
    return any(first <= code <= last for first, last in _CHINESE)
