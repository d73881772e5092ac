"""Pictures that a request names, fetched from listed hosts over real TLS."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from providers.cleared import Crossing, Ended, Returned
from providers.contract import BadAnswer, NotCleared, NotWitnessed, Unreachable
from providers.picture_hosts import PictureHosts, is_public
from tests.fakes.upstream import Answer, Upstream, certificate, upstream

PNG = b"\x89PNG and so on"


class Book:
    """Writes down what leaves."""

    def __init__(self, full: bool = False) -> None:
        self.crossings: list[Crossing] = []
        self.ends: list[Returned] = []
        self._full = full

    async def __call__(self, crossing: Crossing) -> Ended:
        if self._full:
            raise NotWitnessed("the disk is full")
        self.crossings.append(crossing)
        return self.ends.append


def answer(body: bytes, status: int = 200, **headers: str) -> Answer:
    return Answer((body,), status, {"content-type": "image/png", **headers})


def hosts(
    served: Upstream, book: Book, limit: int = 1000, timeout_s: float = 8.0, may: Callable[[str], bool] = lambda _: True
) -> PictureHosts:
    return PictureHosts([f"127.0.0.1:{served.port}"], "1", book, limit, timeout_s, may)


@pytest.fixture
def trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    context, file = certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    return context


async def test_fetched(trusted: object) -> None:
    """The bytes come, what left is written down without its path, and nothing of the client goes along."""
    book = Book()
    async with upstream(answer(PNG), tls=trusted) as served:  # type: ignore[arg-type]
        here = hosts(served, book)
        assert await here.fetch(f"https://127.0.0.1:{served.port}/jane/a.png?token=1#x") == PNG
        await here.close()
    (crossing,) = book.crossings
    assert (crossing.purpose, crossing.host, crossing.path, crossing.body_bytes) == ("picture", "127.0.0.1", "", 0)
    assert crossing.tls is not None
    assert book.ends == [Returned(200, len(PNG), True)]
    (received,) = served.requests
    assert received.path == "/jane/a.png?token=1"
    assert {name.lower() for name in received.headers} == {
        "host",
        "connection",
        "user-agent",
        "accept",
        "accept-encoding",
    }


async def test_no_receipt_no_request(trusted: object) -> None:
    """What can't be written down is not asked for."""
    async with upstream(answer(PNG), tls=trusted) as served:  # type: ignore[arg-type]
        here = hosts(served, Book(full=True))
        with pytest.raises(NotWitnessed):
            await here.fetch(f"https://127.0.0.1:{served.port}/a.png")
        await here.close()
    assert served.requests == []


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (answer(b"", 302, location="https://127.0.0.1/b.png"), BadAnswer),
        (answer(b"gone", 404), BadAnswer),
        (answer(bytes(1001)), BadAnswer),
        (Answer((b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc",), raw=True), Unreachable),
        (Answer((b"nonsense\r\n\r\n",), raw=True), Unreachable),
    ],
)
async def test_refused(trusted: object, given: Answer, error: type[Exception]) -> None:
    """Redirects, errors, what is too large, and what breaks off are no pictures."""
    book = Book()
    async with upstream(given, tls=trusted) as served:  # type: ignore[arg-type]
        here = hosts(served, book)
        with pytest.raises(error):
            await here.fetch(f"https://127.0.0.1:{served.port}/a.png")
        await here.close()
    assert len(book.ends) == len(book.crossings) == len(served.requests) == 1
    assert not book.ends[0].whole


async def test_late(trusted: object) -> None:
    """Who takes too long is not waited for."""
    from tests.fakes.upstream import Pause

    async with upstream(Answer((Pause(),)), tls=trusted) as served:  # type: ignore[arg-type]
        here = hosts(served, Book(), timeout_s=0.3)
        with pytest.raises(Unreachable):
            await here.fetch(f"https://127.0.0.1:{served.port}/a.png")
        await here.close()


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:{port}/a",
        "https://127.0.0.1/a",
        "https://user@127.0.0.1:{port}/a",
        "https://127.0.0.1:{port}:1/a",
        "https://other.example:{port}/a",
        "https://127.0.0.1.other.example:{port}/a",
        "https://2130706433:{port}/a",
        "ftp://127.0.0.1:{port}/a",
        "https://[::ffff:127.0.0.1]:{port}/a",
        "https://127.0.0.1 :{port}/a",
        "data:image/png;base64,AAAA",
        "file:///etc/passwd",
    ],
)
async def test_not_listed(trusted: object, url: str) -> None:
    """Another host, port or scheme is not asked."""
    book = Book()
    async with upstream(answer(PNG), tls=trusted) as served:  # type: ignore[arg-type]
        here = hosts(served, book)
        assert not here.lists(url.format(port=served.port))
        with pytest.raises(NotCleared):
            await here.fetch(url.format(port=served.port))
    assert (served.requests, book.crossings) == ([], [])


async def test_names_that_lead_indoors(trusted: object) -> None:
    """A listed name whose address is not public is not asked, and neither is such a number."""
    book = Book()
    async with upstream(answer(PNG), tls=trusted) as served:  # type: ignore[arg-type]
        named = PictureHosts([f"localhost:{served.port}"], "1", book, 1000)
        with pytest.raises(Unreachable):
            await named.fetch(f"https://localhost:{served.port}/a.png")
        await named.close()
        assert not hosts(served, book, may=is_public).lists(f"https://127.0.0.1:{served.port}/a.png")
    assert (served.requests, book.crossings) == ([], [])


async def test_an_unknown_certificate(tmp_path: Path) -> None:
    """Without trust in it nothing is asked."""
    context, _ = certificate(tmp_path)
    book = Book()
    async with upstream(answer(PNG), tls=context) as served:
        here = hosts(served, book)
        with pytest.raises(Unreachable):
            await here.fetch(f"https://127.0.0.1:{served.port}/a.png")
        await here.close()
    assert (served.requests, book.crossings) == ([], [])


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1:248:1893:25c8:1946", True),
        *((each, False) for each in (
            "127.0.0.1", "10.0.0.1", "192.168.1.1", "172.16.0.1", "169.254.169.254", "0.0.0.0", "100.64.0.1", "224.0.0.1",
            "255.255.255.255", "192.0.2.1", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "ff02::1", "::ffff:10.0.0.1",
            "::ffff:8.8.8.8", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:db8::1", "localhost", "",
        )),
    ],
)  # fmt: skip
def test_public(address: str, public: bool) -> None:
    """What only the local network, this machine or nobody has is not public, however it is written."""
    assert is_public(address) is public
