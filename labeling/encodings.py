"""From a file's bytes to text: UTF-8, or UTF-16 that says so. Nothing is guessed."""

import codecs

from labeling.errors import BadInput


def decode(data: bytes, name: str = "The file") -> str:
    """Read a file's bytes as text.

    Parameters
    ----------
    data : bytes
        UTF-8 with or without a byte order mark, or UTF-16 with one.
    name : str
        What to call the file in an error.

    Returns
    -------
    str
        The text without its byte order mark, every other character as it was.

    Raises
    ------
    BadInput
        The bytes are something else; the message names the line and the byte.
    """
    if data.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        raise BadInput(
            "wrong_encoding", f"{name} is UTF-32. Save it as UTF-8.", name=name, line=1, byte=1
        )
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _strictly(data, "utf-16", name)
    if data.startswith(codecs.BOM_UTF8):
        data = data[len(codecs.BOM_UTF8) :]
    return _strictly(data, "utf-8", name)


def _strictly(data: bytes, encoding: str, name: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data[: error.start].decode(encoding, "replace").count("\n") + 1
        byte = error.start + 1
        raise BadInput(
            "wrong_encoding",
            f"{name} is not {encoding.upper()}: line {line}, byte {byte} of the file is "
            f"0x{data[error.start]:02X}. Save it as UTF-8.",
            name=name,
            line=line,
            byte=byte,
        ) from None
