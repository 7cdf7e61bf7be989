"""XML of an uploaded file, read event by event by expat, with no document type and so with no entities of its
own. No torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO
from xml.parsers import expat

from privgraph.data.errors import UploadError
from privgraph.data.upload_checks import shown

_CUT_OFF = (
    expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS],
    expat.errors.codes[expat.errors.XML_ERROR_UNCLOSED_TOKEN],
)
_CHUNK = 1 << 16
_LONGEST_TAG = 1_000_000


def check_form(file: BinaryIO) -> None:
    """Raise `UploadError` unless a file is well-formed XML without a document type."""
    feed(new_parser(), file)


def new_parser() -> expat.XMLParserType:
    """A parser that refuses a document type, and with it entities of a file's own."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse_doctype
    return parser


def feed(parser: expat.XMLParserType, file: BinaryIO, seen: Callable[[int], None] | None = None) -> None:
    """Give a parser the whole file. Raises `UploadError` for what is no XML, and what its handlers raise."""
    try:
        fed = 0
        while chunk := file.read(_CHUNK):
            parser.Parse(chunk, False)
            fed += len(chunk)
            if seen is not None:
                seen(fed)
            if fed - max(0, parser.CurrentByteIndex) > _LONGEST_TAG:
                raise UploadError(f"The GraphML file has an element of more than {_LONGEST_TAG:,} letters")
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        cut = "it is cut off, and ends before its elements do, " * (error.code in _CUT_OFF)
        raise UploadError(f"The GraphML file is damaged: {cut}{shown(error, 100)}") from None
    except UploadError:
        raise
    except (ValueError, LookupError) as error:
        raise UploadError(f"The GraphML file is in an encoding that is not read: {shown(error, 100)}") from None


def _refuse_doctype(name: str, system: str | None, public: str | None, internal: bool) -> None:
    raise UploadError("The GraphML file declares a document type, which is never read; remove its DOCTYPE")
