"""A hub and its store on loopback, with the routes of the real one and the faults of a bad day.

The hub answers `/REPOSITORY/resolve/REVISION/FILE` with a redirect to the store, which is another origin, and lists a
repository at `/api/models/…`. Each request's head is kept, so that a test can look at every byte that was sent to whom.
"""

from __future__ import annotations

import hashlib
import json
import re
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from msgspec import Struct

SILENT_S: Final = 10.0
COMMIT: Final = "0123456789abcdef0123456789abcdef01234567"
_RESOLVE: Final = re.compile(r"/([^/]+/[^/]+)/resolve/([^/]+)/(.+)")
_API: Final = re.compile(r"/api/models/([^/]+/[^/]+)/revision/([^/]+)")


class Faults(Struct):
    """What goes wrong, changed by the test as it likes.

    break_at: the store drops the connection after so many bytes of an answer, this many `times`. deaf: it ignores ranges.
    status, retry_after, error_code: what the hub answers instead. wrong: it serves other bytes than it announces.
    silent_at: the store sends so many bytes, and then nothing. location: where the hub sends us instead. gated: the token that
    it wants. store_status: what the store answers once.
    """

    break_at: int | None = None
    times: int = 10**9
    deaf: bool = False
    status: int | None = None
    store_status: int | None = None
    retry_after: str | None = None
    error_code: str | None = None
    wrong: bool = False
    silent_at: int | None = None
    location: str | None = None
    gated: str | None = None
    blind: bool = False
    """The hub names no digest."""


class Request(Struct):
    """One request's head, in the order they came. server: hub or store."""

    server: str
    path: str
    headers: dict[str, str]
    status: int = 0


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no news."""


class Hub:
    """Both servers. Use it as a context manager; `files` maps (repository, file) to bytes."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.files: dict[tuple[str, str], bytes] = {}
        self.small: set[tuple[str, str]] = set()
        """Files that the hub keeps itself, named by git's SHA-1."""
        self.faults = Faults()
        self.requests: list[Request] = []
        self.generation = 0
        """Part of the store's ETag: raise it to have the file change."""
        self._ended = threading.Event()
        self._hub = _Server(("127.0.0.1", 0), self._handler("hub"))
        self._store = _Server(("127.0.0.1", 0), self._handler("store"))
        self._scheme = "https" if tls else "http"
        if tls:
            self._hub.socket = tls.wrap_socket(self._hub.socket, server_side=True)

    @property
    def url(self) -> str:
        """For HF_ENDPOINT."""
        return f"{self._scheme}://127.0.0.1:{self._hub.server_port}"

    def put(self, repository: str, file: str, content: bytes, *, small: bool = False) -> str:
        """Have a file; returns its SHA-256."""
        self.files[repository, file] = content
        if small:
            self.small.add((repository, file))
        return hashlib.sha256(content).hexdigest()

    def sent(self, server: str) -> list[Request]:
        """What one of them was asked for."""
        return [request for request in self.requests if request.server == server]

    def __enter__(self) -> Hub:
        for server in (self._hub, self._store):
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._ended.set()
        for server in (self._hub, self._store):
            server.shutdown()
            server.server_close()

    def _handler(self, name: str) -> type[BaseHTTPRequestHandler]:
        hub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                seen = Request(name, self.path, {key.lower(): value for key, value in self.headers.items()})
                hub.requests.append(seen)
                try:
                    hub._at_hub(self) if name == "hub" else hub._at_store(self)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing."""

        return Handler

    def _answer(self, handler: Any, status: int, body: bytes = b"", **headers: str) -> None:
        self.requests[-1].status = status
        handler.send_response(status)
        for key, value in headers.items():
            handler.send_header(key.replace("_", "-"), value)
        handler.send_header("content-length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    def _at_hub(self, handler: Any) -> None:
        faults, path = self.faults, unquote(urlsplit(handler.path).path)
        if faults.status is not None:
            more = {"retry_after": faults.retry_after} if faults.retry_after else {}
            more |= {"x_error_code": faults.error_code} if faults.error_code else {}
            self._answer(handler, faults.status, b"a page", **more)
        elif faults.gated and handler.headers.get("authorization") != f"Bearer {faults.gated}":
            self._answer(handler, 401, x_error_code="GatedRepo")
        elif asked := _API.fullmatch(path):
            self._list(handler, asked[1])
        elif (asked := _RESOLVE.fullmatch(path)) and (asked[1], asked[3]) in self.files:
            self._resolve(handler, asked[1], asked[3])
        else:
            self._answer(handler, 404, x_error_code="EntryNotFound")

    def _list(self, handler: Any, repository: str) -> None:
        siblings = [
            {"rfilename": file, "size": len(content)}
            | ({} if (repository, file) in self.small else {"lfs": {"sha256": hashlib.sha256(content).hexdigest()}})
            for (owner, file), content in self.files.items()
            if owner == repository
        ]
        body = json.dumps({"id": repository, "sha": COMMIT, "siblings": siblings}).encode()
        self._answer(handler, 200 if siblings else 404, body, content_type="application/json")

    def _resolve(self, handler: Any, repository: str, file: str) -> None:
        content = self.files[repository, file]
        if (repository, file) in self.small:
            git = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
            self._answer(handler, 200, content, etag=f'"{git}"', x_repo_commit=COMMIT)
            return
        named = {} if self.faults.blind else {"x_linked_etag": f'"{hashlib.sha256(content).hexdigest()}"'}
        where = (
            self.faults.location or f"http://127.0.0.1:{self._store.server_port}/{repository}/{file}?Signature=a%2Fb"
        )
        size = str(len(content))
        self._answer(handler, 302, location=where, x_linked_size=size, x_repo_commit=COMMIT, **named)

    def _at_store(self, handler: Any) -> None:
        faults = self.faults
        organisation, name, file = urlsplit(handler.path).path.removeprefix("/").split("/", 2)
        if faults.store_status is not None:
            status, faults.store_status = faults.store_status, None
            self._answer(handler, status)
            return
        whole = self.files[f"{organisation}/{name}", unquote(file)]
        etag = f'"store-{self.generation}-{len(whole)}"'
        start = 0
        wanted = re.fullmatch(r"bytes=(\d+)-", handler.headers.get("range", ""))
        if wanted and not faults.deaf and handler.headers.get("if-range", etag) == etag:
            start = int(wanted[1])
            if start >= len(whole):
                self._answer(handler, 416)
                return
        body = whole[start:]
        if faults.wrong:
            body = bytes(byte ^ 1 for byte in body)
        self.requests[-1].status = 206 if start else 200
        handler.send_response(self.requests[-1].status)
        handler.send_header("etag", etag)
        handler.send_header("content-length", str(len(body)))
        if start:
            handler.send_header("content-range", f"bytes {start}-{len(whole) - 1}/{len(whole)}")
        handler.end_headers()
        self._send(handler, body)

    def _send(self, handler: Any, body: bytes) -> None:
        faults = self.faults
        if faults.break_at is not None and faults.times > 0 and len(body) > faults.break_at:
            faults.times -= 1
            handler.wfile.write(body[: faults.break_at])
            handler.close_connection = True
            handler.wfile.flush()
            handler.connection.shutdown(2)
        elif faults.silent_at is not None:
            handler.wfile.write(body[: faults.silent_at])
            self._ended.wait(SILENT_S)
            handler.close_connection = True
        else:
            handler.wfile.write(body)
