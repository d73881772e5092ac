"""The guard, driven as an ASGI app around a small inner one: what reaches it, and what is refused in which words."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from daemon.callers import PREFIX, Callers, token_hash
from daemon.guard import BEYOND, FOREIGN_USER, MAX_DEPTH, Guard, Message, Receive, Scope, Send, nests_deeper
from daemon.settings import Client
from tests.fakes.clock import HeldClock

TOKEN, ADMIN = (PREFIX + letter * 43 for letter in "ta")  # the same in every process that runs tests
LISTED = "http://localhost:3000"
LIMIT = 1 << 20
JSON = {"content-type": "application/json"}


class Inner:
    """The app behind the guard: it reads the whole body and answers 200."""

    def __init__(self) -> None:
        self.reached = 0
        self.body = b""
        self.then: Message | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.reached += 1
        if scope["type"] == "lifespan":
            return
        message = await receive()
        assert message["type"] == "http.request"
        assert message["more_body"] is False
        self.body = message["body"]
        self.then = await receive()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
        await send({"type": "http.response.body", "body": b"inner", "more_body": False})


class Answer:
    """What a client sees."""

    def __init__(self, sent: list[Message]) -> None:
        self.sent = sent
        self.status: int = sent[0]["status"]
        self.headers = {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}
        self.body = b"".join(message["body"] for message in sent[1:])

    @property
    def cors(self) -> set[str]:
        return {name for name in self.headers if name.startswith("access-control-")}

    @property
    def error(self) -> dict[str, Any]:
        error: dict[str, Any] = json.loads(self.body)["error"]
        return error


class Door:
    """A guard and what is behind it."""

    def __init__(self, hosts: tuple[str, ...] = (), origins: tuple[str, ...] = (LISTED,)) -> None:
        self.inner = Inner()
        callers = Callers(ADMIN, {"editor": Client(token_hash(TOKEN))})
        self.guard = Guard(self.inner, callers, hosts, origins, LIMIT, HeldClock().monotonic)
        self.received = 0

    async def send(self, scope: Scope, messages: Iterable[Message] = ()) -> list[Message]:
        """All that the guard sends. The connection ends after `messages`."""
        coming = iter([*messages, {"type": "http.disconnect"}])
        sent: list[Message] = []

        async def receive() -> Message:
            self.received += 1
            return next(coming)

        async def send(message: Message) -> None:
            sent.append(message)

        await self.guard(scope, receive, send)
        return sent

    async def ask(
        self,
        headers: dict[str, str] | None = None,
        body: bytes | list[bytes] = b"",
        method: str = "POST",
        foreign: bool = False,
        path: str = "/anything",
        beyond: str = "",
    ) -> Answer:
        """One HTTP request, from this machine's own address unless the headers say otherwise. A header "" is left out.

        beyond: the address of ours that another machine connected to.
        """
        given = {"host": "127.0.0.1:6327", **(headers or {})}
        scope: Scope = {
            "type": "http",
            "method": method,
            "path": path,
            "headers": [(name.encode("latin-1"), value.encode("latin-1")) for name, value in given.items() if value],
            "state": ({FOREIGN_USER: True} if foreign else {}) | ({BEYOND: True} if beyond else {}),
            "client": ("192.168.1.77" if beyond else "127.0.0.1", 50000),
            "server": (beyond or "127.0.0.1", 6327),
        }
        chunks = body if isinstance(body, list) else [body]
        last = len(chunks) - 1
        messages = [
            {"type": "http.request", "body": chunk, "more_body": place < last} for place, chunk in enumerate(chunks)
        ]
        return Answer(await self.send(scope, messages))


@pytest.fixture
def door() -> Door:
    return Door()


def is_refused(answer: Answer, door: Door, status: int, code: str) -> None:
    """The inner app was not reached, and the client is told so in OpenAI's shape."""
    assert (answer.status, answer.error["code"]) == (status, code)
    assert door.inner.reached == 0
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["content-length"] == str(len(answer.body))
    assert answer.cors == set()


# ---- Host -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.0.0.1:6327", "localhost", "LocalHost:1", "[::1]", "[::1]:6327", "localhost:", "box.lan:1"],
)
async def test_our_own_hosts_are_served(host: str) -> None:
    """Loopback's names, with any port and in any case, are served, and those of the settings too."""
    door = Door(hosts=("Box.LAN",))

    answer = await door.ask({"host": host})

    assert (answer.status, answer.body, door.inner.reached) == (200, b"inner", 1)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:6327",
        "127.0.0.1.evil.example",
        "localhost.evil.example:6327",
        "evil.example#localhost",
        "user@localhost",
        "127.0.0.2",
        "0.0.0.0:6327",
        "::1",
        "127.0.0.1:6327:1",
        "127.0.0.1:x",
        "localhost:١",
        "",
    ],
)
async def test_other_hosts_are_refused(door: Door, host: str) -> None:
    """A name that an attacker's DNS could point at this machine, and no name at all, reach nothing."""
    given = host.encode().decode("latin-1")

    is_refused(await door.ask({"host": given}), door, 403, "refused")


# ---- Origin and Sec-Fetch-Site --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "http://127.0.0.1:6327"},
        {"origin": "http://localhost:6327", "host": "localhost:6327"},
        {"origin": "https://localhost", "host": "localhost"},
        {"origin": LISTED},
        {"origin": LISTED, "sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-origin"},
        {"sec-fetch-site": "none"},
    ],
)
async def test_these_pages_may_call(door: Door, headers: dict[str, str]) -> None:
    """Programs, the daemon's own pages, listed origins and addresses typed by the user pass."""
    assert (await door.ask(headers)).status == 200


@pytest.mark.parametrize("token", ["", f"Bearer {TOKEN}"])
@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://localhost:6328", "host": "localhost:6327"},
        {"origin": "http://127.0.0.1:6327", "host": "localhost:6327"},
        {"origin": "http://localhost:3000.evil.example"},
        {"origin": "http://localhost:30000"},
        {"origin": "https://localhost:3000"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
async def test_these_pages_may_not(door: Door, headers: dict[str, str], token: str) -> None:
    """Web pages of other origins, `null` and other ports of this machine are refused, even with a valid token."""
    is_refused(await door.ask({"authorization": token, **headers}), door, 403, "refused")


async def test_a_custom_scheme_with_a_valid_token_passes(door: Door) -> None:
    """An editor's web view is believed if it holds a token, and is still not given a CORS header."""
    for token in (TOKEN, ADMIN):
        answer = await door.ask({"origin": "vscode-webview://abc", "authorization": f"Bearer {token}"})

        assert answer.status == 200
        assert answer.cors == set()


@pytest.mark.parametrize("authorization", ["", "Bearer sk-none", "Bearer nl_unknown", f"Basic {TOKEN}"])
async def test_a_custom_scheme_without_one_is_refused(door: Door, authorization: str) -> None:
    """Without a valid token of ours a scheme of its own proves nothing."""
    headers = {"origin": "vscode-webview://abc", "authorization": authorization}

    is_refused(await door.ask(headers), door, 403, "refused")


async def test_an_empty_origin_is_not_believed(door: Door) -> None:
    """An Origin header that is there and empty is no origin of ours."""
    sent = await door.send(
        {
            "type": "http",
            "method": "POST",
            "path": "/",
            "headers": [(b"host", b"localhost"), (b"origin", b"")],
            "state": {},
        }
    )

    is_refused(Answer(sent), door, 403, "refused")


# ---- from beyond this machine ----------------------------------------------------------------------------------------

LAN, LAN6 = "192.168.1.5", "fd00::5"
BEARER = {"authorization": f"Bearer {TOKEN}"}


@pytest.mark.parametrize(
    "path", ["/v1/chat/completions", "/health", "/", "/api/tags", "/nearloop/v1/status", "/nothing"]
)
@pytest.mark.parametrize("headers", [{}, {"authorization": "Bearer sk-dummy"}])
async def test_nothing_is_anonymous_out_there(door: Door, path: str, headers: dict[str, str]) -> None:
    """Without a token no address answers, known or not; nothing of the body is read, and the connection ends."""
    answer = await door.ask({"host": f"{LAN}:6327", **headers}, b"{}", path=path, beyond=LAN)

    assert (answer.status, door.inner.reached, door.received) == (401, 0, 0)
    assert answer.headers["connection"] == "close"
    assert answer.cors == set()


@pytest.mark.parametrize(
    ("address", "host"),
    [
        (LAN, f"{LAN}:6327"),
        (LAN6, f"[{LAN6}]:6327"),
        (LAN, "host.docker.internal:6327"),
        (LAN, "host.containers.internal"),
        (LAN, "box.lan:6327"),
        (LAN, "127.0.0.1:6327"),
    ],
)
async def test_a_token_opens_under_the_names_that_we_have(address: str, host: str) -> None:
    """The address that was connected to, what containers call this machine, the settings' names, and a forwarded loopback."""
    door = Door(hosts=("box.lan",))

    assert (await door.ask({"host": host, **BEARER}, beyond=address)).status == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "192.168.1.6:6327", "[fd00::6]", LAN6, "host.docker.internal.evil", ""]
)
async def test_other_names_stay_closed_out_there(door: Door, host: str) -> None:
    """Also with a token: rebinding is no way in."""
    is_refused(await door.ask({"host": host, **BEARER}, beyond=LAN), door, 403, "refused")


@pytest.mark.parametrize("authorization", ["", "Bearer sk-dummy", "Bearer nl_wrong"])
@pytest.mark.parametrize("host", [LAN, "host.docker.internal:6327", "host.containers.internal"])
async def test_names_from_beyond_are_none_on_loopback(door: Door, host: str, authorization: str) -> None:
    """Where no token is needed, a page that somebody's DNS put under such a name would be let in."""
    is_refused(await door.ask({"host": host, "authorization": authorization}), door, 403, "refused")


async def test_a_container_that_comes_to_loopback_is_known_by_its_token(door: Door) -> None:
    """As Docker Desktop brings them; another machine's address stays none of ours."""
    assert (await door.ask({"host": "host.docker.internal:6327", **BEARER})).status == 200
    assert (await door.ask({"host": LAN, **BEARER})).status == 403


async def test_the_admin_token_is_for_this_machine(door: Door) -> None:
    """On loopback it opens, from beyond it does not."""
    headers = {"host": LAN, "authorization": f"Bearer {ADMIN}"}

    is_refused(await door.ask(headers, beyond=LAN), door, 403, "refused")


async def test_guesses_are_counted_whatever_the_origin(door: Door) -> None:
    """An editor's scheme, which is believed with a token, is no way to try tokens without end."""
    wrong = {"host": LAN, "origin": "vscode-webview://abc", "authorization": "Bearer nl_wrong"}
    told = [(await door.ask(wrong, beyond=LAN)).status for _ in range(11)]
    last = await door.ask({"host": LAN, **BEARER}, beyond=LAN)

    assert told == [401] * 10 + [429]
    assert (last.status, last.error["code"], last.headers["retry-after"]) == (429, "too_many_tries", "60")
    assert (await door.ask(BEARER)).status == 200  # loopback never waits


async def test_pages_are_looked_at_out_there_too(door: Door) -> None:
    """A foreign page is refused with a token; a listed one may ask first without one, and then needs it."""
    foreign = {"host": LAN, "origin": "http://evil.example", **BEARER}
    first = {"host": LAN, "origin": LISTED, "access-control-request-method": "POST"}

    assert (await door.ask(foreign, beyond=LAN)).status == 403
    assert (await door.ask(first, method="OPTIONS", beyond=LAN)).status == 204
    assert (await door.ask({"host": LAN, "origin": "http://evil.example", "access-control-request-method": "POST"},
                           method="OPTIONS", beyond=LAN)).status == 401  # fmt: skip
    assert (await door.ask({"host": LAN, "origin": LISTED}, beyond=LAN)).status == 401
    assert door.inner.reached == 0
    assert (await door.ask({"host": LAN, "origin": LISTED, **BEARER}, beyond=LAN)).cors


# ---- CORS -----------------------------------------------------------------------------------------------------------


async def test_a_listed_origin_may_read_the_answer(door: Door) -> None:
    """The answer to a listed origin names this origin, and tells caches that it depends on it."""
    answer = await door.ask({"origin": LISTED})

    assert answer.headers["access-control-allow-origin"] == LISTED
    assert answer.headers["vary"] == "origin"
    assert answer.headers["content-type"] == "text/plain"
    assert answer.cors == {"access-control-allow-origin"}


async def test_a_listed_origin_may_ask_first(door: Door) -> None:
    """A preflight of a listed origin is answered by the guard, with the methods and headers that clients use."""
    answer = await door.ask(
        {"origin": LISTED, "access-control-request-method": "POST", "sec-fetch-site": "cross-site"}, method="OPTIONS"
    )

    assert (answer.status, answer.body, door.inner.reached) == (204, b"", 0)
    assert answer.headers["access-control-allow-origin"] == LISTED
    assert "POST" in answer.headers["access-control-allow-methods"]
    assert {"authorization", "content-type", "x-api-key"} <= set(
        answer.headers["access-control-allow-headers"].split(", ")
    )
    assert "access-control-allow-credentials" not in answer.headers


async def test_another_origin_may_not_even_ask(door: Door) -> None:
    """A preflight of an origin that is not listed is refused without any CORS header."""
    headers = {"origin": "http://evil.example", "access-control-request-method": "POST"}

    is_refused(await door.ask(headers, method="OPTIONS"), door, 403, "refused")


@pytest.mark.parametrize("headers", [{}, {"origin": "http://127.0.0.1:6327"}])
async def test_nobody_else_gets_a_cors_header(door: Door, headers: dict[str, str]) -> None:
    """Programs and the daemon's own pages need no permission, and none is given."""
    assert (await door.ask(headers)).cors == set()


async def test_options_without_a_preflight_goes_through(door: Door) -> None:
    """A plain OPTIONS request is the inner app's business."""
    assert (await door.ask({"origin": LISTED}, method="OPTIONS")).status == 200


# ---- the body -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind", ["application/json", "Application/JSON; charset=utf-8", "application/vnd.api+json", "application/json ;a=b"]
)
async def test_json_reaches_the_app_whole(door: Door, kind: str) -> None:
    """A body that is declared as JSON arrives in one piece, however it came in, and what follows it is real."""
    answer = await door.ask({"content-type": kind}, [b'{"a"', b"", b": 1}"])

    assert answer.status == 200
    assert door.inner.body == b'{"a": 1}'
    assert door.inner.then == {"type": "http.disconnect"}


@pytest.mark.parametrize(
    "kind",
    [
        "",
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=application/json",
        "text/json",
        "application/jsonp",
        "text/plain; application/json",
        "text/x+json",
    ],
)
async def test_a_body_of_another_type_is_refused(door: Door, kind: str) -> None:
    """What a form or a `no-cors` fetch can send is not read as JSON."""
    answer = await door.ask({"content-type": kind}, b"{}")

    is_refused(answer, door, 415, "unsupported_media_type")


FORM, PLAIN = "application/x-www-form-urlencoded", "text/plain"
CURL = {"user-agent": "curl/8.5.0", "accept": "*/*"}
CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36"
FETCH = {"sec-fetch-site": "none", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty"}


@pytest.mark.parametrize("path", ["/api/chat", "/api/generate", "/api/show", "/api/delete", "/api/nothing"])
@pytest.mark.parametrize("kind", ["", FORM, f"{PLAIN};charset=UTF-8"])
@pytest.mark.parametrize("who", [CURL, {"user-agent": "Go-http-client/1.1"}, {}])
async def test_ollamas_programs_need_no_type(door: Door, path: str, kind: str, who: dict[str, str]) -> None:
    """What `curl -d` and other programs send to Ollama's addresses is read, whatever they call it."""
    answer = await door.ask({**who, "content-type": kind}, b"{}", path=path)

    assert (answer.status, door.inner.body) == (200, b"{}")


@pytest.mark.parametrize(
    "path", ["/v1/chat/completions", "/api/v1/classify/pii", "/api/v0/x", "/nearloop/v1/stop", "/x"]
)
@pytest.mark.parametrize("kind", ["", FORM, PLAIN])
async def test_everybody_else_does(door: Door, path: str, kind: str) -> None:
    """At all other addresses a body is declared as JSON, by programs too."""
    is_refused(await door.ask({**CURL, "content-type": kind}, b"{}", path=path), door, 415, "unsupported_media_type")


@pytest.mark.parametrize("kind", ["", FORM, PLAIN, "multipart/form-data; boundary=x"])
@pytest.mark.parametrize(
    "sign",
    [
        {"user-agent": CHROME, **FETCH},
        {"user-agent": CHROME},  # of a time before Sec-Fetch, from a page without a referrer
        {"user-agent": "Opera/9.80 (Windows NT 6.1) Presto/2.12.388"},
        FETCH,  # whoever else is no longer just a program
        {"sec-ch-ua": '"Chromium"'},
        {"referer": "http://evil.example/"},
        {"cookie": "a=b"},
        {"accept-language": "de-DE,de;q=0.9"},
        {"upgrade-insecure-requests": "1"},
        {"origin": "http://127.0.0.1:6327"},  # a page of ours would know how to say JSON
    ],
)
async def test_a_page_cant_pass_for_a_program(door: Door, sign: dict[str, str], kind: str) -> None:
    """A form, a beacon or a fetch in the no-cors mode, of any browser and any age, is refused at Ollama's addresses too."""
    answer = await door.ask({"content-type": kind, **sign}, b'{"model":"local","keep_alive":0}', path="/api/generate")

    assert (answer.status, door.inner.reached) == (415, 0)
    assert json.loads(answer.body)["code"] == "unsupported_media_type"


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1.evil.example"])
async def test_a_foreign_page_is_refused_before_its_type(door: Door, origin: str) -> None:
    """What says that it comes from elsewhere is not looked at any further."""
    answer = await door.ask({"origin": origin, "content-type": PLAIN}, b"{}", path="/api/chat")

    assert (answer.status, door.inner.reached) == (403, 0)


async def test_a_program_may_not_send_a_form(door: Door) -> None:
    """What is no JSON by any reading stays refused."""
    answer = await door.ask({**CURL, "content-type": "multipart/form-data; boundary=x"}, b"--x", path="/api/chat")

    assert (answer.status, door.inner.reached) == (415, 0)


async def test_no_body_needs_no_type(door: Door) -> None:
    """A GET has nothing to declare."""
    assert (await door.ask(method="GET")).status == 200
    assert door.inner.body == b""


async def test_a_body_at_the_limit_passes(door: Door) -> None:
    """Exactly the limit is not over it."""
    body = b'"' + b"a" * (LIMIT - 2) + b'"'

    assert (await door.ask({**JSON, "content-length": str(LIMIT)}, body)).status == 200
    assert door.inner.body == body


async def test_a_declared_body_over_the_limit_is_not_read(door: Door) -> None:
    """What is declared too large is refused before a byte of it is taken, and the connection closes."""
    answer = await door.ask({**JSON, "content-length": str(LIMIT + 1)}, b"{}")

    is_refused(answer, door, 413, "body_too_large")
    assert door.received == 0
    assert answer.headers["connection"] == "close"
    assert "1 MB" in answer.error["message"]


@pytest.mark.parametrize("declared", [{}, {"content-length": "2"}, {"content-length": "x"}])
async def test_a_chunked_body_over_the_limit_is_not_read_on(door: Door, declared: dict[str, str]) -> None:
    """Whatever was declared, reading stops with the chunk that goes over the limit."""
    answer = await door.ask({**JSON, **declared}, [b"[" + b" " * (LIMIT // 2)] * 2 + [b"]"] * 100)

    is_refused(answer, door, 413, "body_too_large")
    assert door.received == 2


@pytest.mark.parametrize("declared", ["²", "-1", "1_0", " 5", "9" * 5000])
async def test_a_length_that_is_none_is_no_crash(door: Door, declared: str) -> None:
    """A Content-Length that no server would pass on raises nothing here either."""
    answer = await door.ask({**JSON, "content-length": declared}, b"{}")

    assert answer.status in (200, 413)


async def test_a_body_that_nests_too_deep_is_refused(door: Door) -> None:
    """Depth is bounded before anybody parses: the limit passes, twice the limit does not."""
    assert (await door.ask(JSON, b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)).status == 200
    door.inner.reached = 0

    answer = await door.ask(JSON, b'{"a":' * (2 * MAX_DEPTH + 1) + b"1" + b"}" * (2 * MAX_DEPTH + 1))

    is_refused(answer, door, 400, "bad_request")
    assert str(MAX_DEPTH) in answer.error["message"]


@pytest.mark.parametrize("body", [b'{"a": "\xff"}', b'{"\xed\xa0\x80": 1}', "{}".encode("utf-16"), b'"\xc3'])
@pytest.mark.parametrize("more", [0, 300_000])
async def test_a_body_that_is_no_utf8_is_refused(door: Door, body: bytes, more: int) -> None:
    """Bytes that are no text reach nobody, also where no parser would look at them."""
    is_refused(await door.ask(JSON, body + b" " * more), door, 400, "bad_request")


async def test_a_client_that_goes_away_while_it_sends_reaches_nothing(door: Door) -> None:
    """Half a body is no request, and nobody is answered."""
    scope: Scope = {"type": "http", "method": "POST", "path": "/x", "headers": [(b"host", b"localhost")], "state": {}}

    sent = await door.send(scope, [{"type": "http.request", "body": b"{", "more_body": True}])

    assert sent == []
    assert door.inner.reached == 0


# ---- who and what else ----------------------------------------------------------------------------------------------


async def test_another_user_is_refused(door: Door) -> None:
    """A connection of another user of this machine reaches nothing, whatever else is right about it."""
    answer = await door.ask({"authorization": f"Bearer {TOKEN}"}, foreign=True)

    is_refused(answer, door, 403, "refused")
    assert "another user" in answer.error["message"]


async def test_a_websocket_is_closed(door: Door) -> None:
    """There is no websocket here, not even for a page that would pass."""
    sent = await door.send({"type": "websocket", "headers": [(b"host", b"localhost")]}, [{"type": "websocket.connect"}])

    assert [message["type"] for message in sent] == ["websocket.close"]
    assert door.inner.reached == 0


async def test_the_lifespan_passes(door: Door) -> None:
    """Start and stop are the inner app's business."""
    await door.send({"type": "lifespan"})

    assert door.inner.reached == 1


async def test_a_refusal_holds_none_of_the_clients_words(door: Door) -> None:
    """No header and no body that was refused comes back in the answer."""
    canary = "canary"
    for headers, body in (
        ({"host": f"{canary}.example"}, b""),
        ({"origin": f"http://{canary}.example"}, b""),
        ({"origin": f"{canary}://x", "authorization": f"Bearer nl_{canary}"}, b""),
        ({"content-type": canary}, b"{}"),
        (JSON, canary.encode() + b"[" * 1000),
    ):
        answer = await door.ask(headers, body)

        assert answer.status >= 400
        assert canary.encode() not in repr(answer.sent).encode()


# ---- nests_deeper ---------------------------------------------------------------------------------------------------


def depth(value: Any) -> int:
    match value:
        case dict():
            return 1 + max(map(depth, value.values()), default=0)
        case list():
            return 1 + max(map(depth, value), default=0)
        case _:
            return 0


words = st.text(st.sampled_from('[]{}"\\/ a\u2028ä😀\n'), max_size=8)
values = st.recursive(
    st.none() | st.integers() | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=12,
)


@settings(deadline=None)
@given(values, st.text("[{", max_size=12), st.booleans())
def test_valid_json_within_the_limit_passes_and_beyond_twice_does_not(value: Any, around: str, ascii: bool) -> None:
    """JSON of depth d is never refused by a limit of d, and always by one that is less than half of d."""
    for bracket in around:
        value = [value] if bracket == "[" else {'"]}': value}
    levels = depth(value)
    body = json.dumps(value, ensure_ascii=ascii).encode()

    assert not nests_deeper(body, levels)
    assert not nests_deeper(body, levels + 1)
    for limit in range((levels + 1) // 2):
        assert nests_deeper(body, limit)


@settings(deadline=None)
@given(st.binary(max_size=60) | st.text('[]{}"\\a', max_size=40).map(str.encode), st.integers(0, 20))
@example(b"\\", 1)
@example(b'"\\', 1)
@example(b'"', 0)
def test_arbitrary_bytes_never_raise(body: bytes, limit: int) -> None:
    """Whatever the bytes, the answer is yes or no, and text without an opening bracket never nests."""
    assert nests_deeper(body, limit) in (True, False)
    assert not nests_deeper(body.translate(None, b'[]{}"'), limit)


@settings(deadline=None)
@given(st.binary(max_size=20).filter(lambda text: b'"' not in text and b"\\" not in text), st.integers(1, 30))
def test_what_only_opens_is_refused(text: bytes, limit: int) -> None:
    """A body that opens more often than the limit and never closes is refused, though it is no JSON."""
    opening = text.translate(None, b"]}") + b"[" * (limit + 1)

    assert nests_deeper(opening, limit)


@pytest.mark.parametrize("text", [b'"[[[["', b'"\\"[[[["', b'{"\\\\": "[[[["}', b'["[[[[", "]"]', b'"\\\\\\"[[[["'])
def test_brackets_in_strings_do_not_count(text: bytes) -> None:
    """Brackets between quotes are words, also after an escaped quote or an escaped backslash."""
    assert not nests_deeper(text, 1)


@pytest.mark.parametrize("text", [b'["\\\\", [[[]]]]', b'{"a\\"": [[["]"]]]}', b'["", [[[]]]]'])
def test_brackets_after_a_string_count(text: bytes) -> None:
    """An escaped backslash does not swallow the quote that ends its string."""
    assert nests_deeper(text, 1)
