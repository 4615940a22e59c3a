# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""XML text to elements, refusing what an outsider could abuse."""

from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from robodyn_ros.errors import ModelError


def parse_xml(text: str | bytes) -> Element:
    """
    Root element of an XML text; element text and comments are dropped.

    Raises ModelError with the line when the text is not well-formed, and when it declares a
    document type: that is where external files and exploding entities come in, and no robot
    description needs it.
    """
    builder, blank = TreeBuilder(), 0
    # A str is already decoded, whatever encoding its first line once named.
    parser = expat.ParserCreate("utf-8" if isinstance(text, str) else None)
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.StartDoctypeDeclHandler = _refuse_doctype
    try:
        data = text.encode() if isinstance(text, str) else bytes(text)
        # Blank lines before <?xml are against the rules, common in parameters, and harmless.
        begun = data.lstrip()
        blank = data.count(b"\n", 0, len(data) - len(begun))
        parser.Parse(begun, True)
        return builder.close()
    except expat.ExpatError as error:
        reason = expat.errors.messages[error.code]
        place = f"line {error.lineno + blank}, column {error.offset + 1}"
        cure = "" if b"<" in data else " (there is no XML in it; load_urdf reads files)"
        raise ModelError(f"not well-formed XML: {reason} at {place}{cure}") from None
    except (UnicodeError, ValueError, LookupError, AssertionError) as error:
        raise ModelError(f"not XML: {error}") from None


def _refuse_doctype(*_: object) -> None:
    raise ModelError("the text declares a document type (<!DOCTYPE ...>): remove it")
