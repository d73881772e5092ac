"""Who vouches for the other end of a TLS connection, as far as a receipt tells it.

A proxy that looks into TLS has to show a certificate of its own making, so its maker's name is what gives it away. The name
is read from the certificate's bytes (X.509, RFC 5280 §4.1) and not from `ssl.getpeercert`, which says nothing where the
system checks in OpenSSL's stead (macOS, Windows). Whether its root is a public one is told by Mozilla's list, as certifi
carries it: a system's own store holds the company's root as well.
"""

from __future__ import annotations

import hashlib
import re
import ssl
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final, Literal

from msgspec import Struct

Root = Literal["public", "private", "unknown"]
_SEQUENCE: Final = 0x30
_SET: Final = 0x31
_OID: Final = 0x06
_VERSION: Final = 0xA0
_ORGANISATION: Final = bytes((0x55, 0x04, 0x0A))
_COMMON_NAME: Final = bytes((0x55, 0x04, 0x03))
_TEXTS: Final = {0x0C: "utf-8", 0x13: "ascii", 0x14: "latin-1", 0x16: "ascii", 0x1E: "utf-16-be", 0x1C: "utf-32-be"}
_LONGEST: Final = 128
_ENCODING_DER: Final = 2
"""OpenSSL's binding's own number for it (`_ssl.ENCODING_DER`)."""
_PEM: Final = re.compile(rb"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)


class Tls(Struct, frozen=True):
    """A connection's protection. version: such as TLSv1.3. issuer, issuer_name: the organisation and common name of who
    signed the server's certificate; None if it has none, or can't be read.

    root: whether the chain goes back to a root of Mozilla's list. private: to another, a company's or one's own. unknown:
    the system checked it and doesn't tell.
    """

    version: str
    issuer: str | None
    issuer_name: str | None
    root: Root


def tls_of(connection: Any) -> Tls:
    """What a receipt tells of an `ssl.SSLObject` (or `ssl.SSLSocket`) whose handshake is done. Never raises."""
    issuer: tuple[str | None, str | None] = (None, None)
    root: Root = "unknown"
    try:
        own = connection.getpeercert(True)
        if own:
            issuer = issuer_of(own)
        if connection.context.verify_mode is ssl.CERT_REQUIRED:
            root = root_of(_verified_chain(connection))
    except (ValueError, AttributeError, TypeError, ssl.SSLError):
        pass
    return Tls(connection.version() or "TLS", *issuer, root)


def _verified_chain(connection: Any) -> tuple[bytes, ...]:
    """From the server's own certificate to the root that it was trusted for; empty if this Python doesn't tell."""
    if hasattr(connection, "get_verified_chain"):  # from Python 3.13 on
        return tuple(bytes(each) for each in connection.get_verified_chain())
    inner = getattr(connection, "_sslobj", None)
    told = inner.get_verified_chain() if inner is not None and hasattr(inner, "get_verified_chain") else None
    return tuple(each.public_bytes(_ENCODING_DER) for each in told or ())


def root_of(chain: tuple[bytes, ...]) -> Root:
    """Whether a verified chain goes back to a public root. A root may be signed anew: its key is what is compared.

    Raises ValueError if one of them is no certificate.
    """
    if not chain:
        return "unknown"
    above = chain[1:] or chain
    return "public" if any(_key_digest(each) in public_keys() for each in above) else "private"


@lru_cache(maxsize=1)
def public_keys() -> frozenset[bytes]:
    """SHA-256 of the keys of all public roots. Read once, off the event loop: 20 ms."""
    import certifi

    with open(certifi.where(), "rb") as file:
        found = _PEM.findall(file.read())
    return frozenset(_key_digest(ssl.PEM_cert_to_DER_cert(each.decode("ascii"))) for each in found)


def issuer_of(certificate: bytes) -> tuple[str | None, str | None]:
    """Organisation and common name of who signed a DER certificate. Raises ValueError if it is none."""
    names = dict(_attributes(_fields(certificate)[2]))
    return names.get(_ORGANISATION), names.get(_COMMON_NAME)


def _key_digest(certificate: bytes) -> bytes:
    return hashlib.sha256(_fields(certificate)[5]).digest()


def _fields(certificate: bytes) -> list[bytes]:
    """Of the signed part: serial number, algorithm, issuer, validity, subject, key, without the version before them."""
    tag, body, _ = _element(certificate, 0)
    inner_tag, signed, _ = _element(body, 0)
    if (tag, inner_tag) != (_SEQUENCE, _SEQUENCE):
        raise ValueError("this is no certificate")
    found = [content for tag, content in _elements(signed) if tag != _VERSION]
    if len(found) < 6:
        raise ValueError("this is no certificate")
    return found


def _attributes(name: bytes) -> Iterator[tuple[bytes, str]]:
    """Type and text of each attribute of a name; of several of a type, dict() takes the last, the narrowest."""
    for tag, group in _elements(name):
        if tag != _SET:
            raise ValueError("this is no name")
        for _, pair in _elements(group):
            parts = list(_elements(pair))
            if len(parts) == 2 and parts[0][0] == _OID and (encoding := _TEXTS.get(parts[1][0])):
                text = parts[1][1].decode(encoding, errors="replace")
                yield parts[0][1], "".join(each for each in text if each.isprintable())[:_LONGEST]


def _elements(data: bytes) -> Iterator[tuple[int, bytes]]:
    place = 0
    while place < len(data):
        tag, content, place = _element(data, place)
        yield tag, content


def _element(data: bytes, place: int) -> tuple[int, bytes, int]:
    """Tag, content and the place behind it, of the DER element that begins at `place`. Raises ValueError."""
    if place + 2 > len(data):
        raise ValueError("the certificate breaks off")
    tag, length, place = data[place], data[place + 1], place + 2
    if length & 0x80:
        count = length & 0x7F
        if not 1 <= count <= 4 or place + count > len(data):
            raise ValueError("the certificate breaks off")
        length, place = int.from_bytes(data[place : place + count], "big"), place + count
    if place + length > len(data):
        raise ValueError("the certificate breaks off")
    return tag, data[place : place + length], place + length
