"""Who vouches for the other end: read from certificates' own bytes, whatever is in them."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from pathlib import Path

import certifi
import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.certificates import issuer_of, public_keys, root_of

PEM_END = "-----END CERTIFICATE-----\n"
ROOTS = [
    ssl.PEM_cert_to_DER_cert(text[text.index("-----BEGIN") :] + PEM_END)
    for text in Path(certifi.where()).read_text().split(PEM_END)
    if "-----BEGIN" in text
]
needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl command to make a CA")


def made(folder: Path, subject: str) -> bytes:
    """A certificate that signs itself."""
    out = folder / "cert.der"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-utf8",
         "-subj", subject, "-keyout", str(folder / "key"), "-outform", "DER", "-out", str(out)],
        check=True, capture_output=True,
    )  # fmt: skip
    return out.read_bytes()


def test_names_of_public_roots_are_openssls() -> None:
    """Of every public root, organisation and common name are what OpenSSL reads."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(certifi.where())
    ours = {issuer_of(der) for der in ROOTS}

    assert len(ROOTS) > 100
    for told in context.get_ca_certs():
        names = dict(pair[0] for pair in told["issuer"])  # type: ignore[misc]
        assert (names.get("organizationName"), names.get("commonName")) in ours


def test_a_root_is_public_by_its_key() -> None:
    """A chain that ends in a public root is public, whoever signed what is under it."""
    assert len(public_keys()) > 100
    assert all(root_of((ROOTS[0], der)) == "public" for der in ROOTS)
    assert root_of(()) == "unknown"


@needs_openssl
def test_a_root_of_ones_own_is_private(tmp_path: Path) -> None:
    """What isn't on Mozilla's list is private, even if it is called like what is."""
    names = issuer_of(ROOTS[0])
    like = made(tmp_path, f"/O={names[0]}/CN={names[1] or 'x'}")

    assert issuer_of(like)[0] == names[0]
    assert root_of((like,)) == root_of((like, like)) == "private"


@needs_openssl
@pytest.mark.parametrize(
    ("subject", "names"),
    [
        ("/O=Big Corp/CN=Root", ("Big Corp", "Root")),
        ("/CN=only a name", (None, "only a name")),
        ("/C=DE", (None, None)),
        ("/O=東京/CN=ü", ("東京", "ü")),
        (f"/O={'x' * 64}/CN=y", ("x" * 64, "y")),
    ],
)
def test_names_are_read(tmp_path: Path, subject: str, names: tuple[str | None, str | None]) -> None:
    """Whatever letters they are in; what isn't there is None."""
    assert issuer_of(made(tmp_path, subject)) == names


@given(st.binary(max_size=200), st.integers(0, 2000), st.binary(min_size=1, max_size=8))
def test_anything_can_be_read(garbage: bytes, at: int, patch: bytes) -> None:
    """Bytes that are no certificate, or a damaged one, are a ValueError or some names, and nothing else."""
    damaged = ROOTS[0][:at] + patch + ROOTS[0][at + len(patch) :]
    for data in (garbage, damaged, ROOTS[0][:at]):
        try:
            names = issuer_of(data)
        except ValueError:
            continue
        assert all(name is None or name.isprintable() for name in names)
