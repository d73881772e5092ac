"""Secrets that tell by their name: `password = …`, `API_KEY: …`, `--token …`, `<secret>…</secret>`, a header, a URL.

What follows a name is a secret if it is a value and not an expression, and no placeholder. After a word like `password`
anything that a person could have chosen counts (`hunter2`); after `token` or `key`, of which code is full, the value has to
look random too.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Iterator
from typing import Final

from daemon.signals.base import Found
from daemon.signals.digests import is_digest, is_step
from daemon.signals.overlaps import places
from daemon.signals.samples import is_sample_uuid
from daemon.signals.vendor_tokens import entropy, looks_made_up

# ---- names ----------------------------------------------------------------------------------------------------------

_STEMS: Final = (
    "pass", "pw", "secret", "token", "cred", "key", "auth", "contraseña", "kennwort", "пароль", "密码", "パスワード",
)  # fmt: skip
_NAME: Final = re.compile(
    r"(?P<needle>(?P<chosen>pass(?:word|wd|phrase|code|wort|e(?![a-z])|(?![a-z]))|pwd|pw(?![a-z])|contraseña|kennwort|пароль|密码|パスワード)|"
    r"secret(?: (?:access )?key)?|token|cred(?:ential)?s?(?![a-z])|key|auth(?![a-z]))"
    r"(?P<suffix>[\w\-]{0,32}?)[\\\"'`\])]{0,4}(?: \[[^\]\n]{0,40}\])?[ \t]{0,12}"
    r"(?P<operator>(?::[ \t]{0,4})?(?<![a-z])(?:str|string|&(?:'static )?str|final|text|varchar\(\d+\))[ \t]{0,4}:?=|"
    r"=>|:{1,3}=|\?=|\|\|=|={1,3}|!==?|:{1,2}|>|<-|,(?=[ \t]{0,4}\\?[\"'`])|\((?=\\?[\"'`])|"
    r"(?:is|was)(?=[ \t]*[:\"'`]|[ ])|[ \t])"
    r"[ \t]{0,12}(?:[bfru@]{1,2}(?=\\?[\"'`]))?"
)
_KEY_OF: Final = re.compile(
    r"(?:api|auth|access|account|private|encrypt|encryption|decryption|sign|signing|master|license|licence|service|client|"
    r"consumer|app|application|subscription|session|jwt|hmac|aes|webhook|deploy|storage|admin|shared|rest|db|database|server)"
    r"[_\- .]?$"
)
"""Whose key: `key` alone names a place in a table."""
_MUST_STAND_FREE: Final = ("pass", "pw", "cred", "creds", "auth", "passe")
_PREFIX_BACKWARDS: Final = re.compile(r"[\w\-]{0,40}")
_NO_SECRET_BEHIND: Final = re.compile(
    r"name|id$|ids$|type|ur[il]|field|path|file|len|hash|polic|expir|ttl|count|limit|header|prefix|label|hint|holder|regex|"
    r"pattern|reset|min|max|usage|used|budget|size|index|idx|list|manager|provider|class|error|requir|input|source|ref|arn|"
    r"version|format|column|env|var$|bucket|iz|s$|ed$|less|_at$|status|state|scope|strength|valid|check|confirm|changed|"
    r"sha(?:-?\d|$)|md5|digest|checksum|fingerprint|prompt|generat|rotat|event|method|endpoint|mode|mask|rule|store$|vault|attempt|free|safe|spec"
)
_NO_SECRET_BEFORE: Final = re.compile(
    r"(?:^|[_\-])(?:max|min|num|n|total|no|is|has|use|show|hide|forgot|reset|pad|eos|bos|unk|sep|cls|stop|next|page|sort|cache|"
    r"primary|foreign|public|pub|partition|completion|prompt|input|output|per|with|without|hash|hashed|digest|verify|check|validate|get|set|"
    r"ask|enter|require|invalid|wrong|missing|bad|bytes|special|continuation)[_\-]$"
)

# ---- values ---------------------------------------------------------------------------------------------------------

_BARE: Final = re.compile(r"[^\s\"'`,;<>|]{4,400}")
_PLACEHOLDER: Final = re.compile(
    r"(?:<[^>]*>|<[\w .-]*|\$(?:[\[({].*|[a-z_]\w*.?)|%\w+%?|%[sdr]|\{[\w.: \"'$(){}-]*|%\(.*|\[[\w., \"'-]*\]?|"
    r"[xX*.•_#?-]+|&\w+;.*|#\{.*|@\w+@|\\+[nrt]?|![a-z]+(?:[ .:/].*)?|"
    r"config\..*|settings\..*|env[:.(].*|file:.*|(?:~|\.{0,2})/.*|[a-z]+://.*|"
    r"(?:my|some|the|new|old|a|user|test|fake|default)?[_-]?"
    r"(?:pass(?:word|wd|phrase)?|pwd|pw|secret|token|key|value|string|api[_-]?key|test|credentials?)[_-]?(?:here|value|string)?|"
    r"none|null|nil|undefined|true|false|yes|no|on|off|foo|bar|baz|str|string|bytes|int|bool|boolean|number|object|any|text|"
    r"input|hidden|submit|required|optional\S*|username|user|email|login|name|type|field|self|this|args|kwargs|enabled|disabled|"
    r"unknown|empty|blank|basic|bearer|plain|plaintext|static|inherit|read|write|auto|invalid|incorrect|missing|expired|"
    r"admin|root|guest|test(?:ing|er)?[_-]?\d{1,4}|password\d{1,4}|await|async|new|function|return|secretstr\S*|os\.\S*|.*[_-]here)",
    re.DOTALL,
)
_SAYS_SO: Final = (
    "your", "example", "changeme", "change_me", "change-me", "changethis", "change_this", "changeit", "placeholder", "dummy",
    "redacted", "replace", "insert", "xxxx", "***", "todo", "fixme", "sample", "foobar", "lorem", "environ", "getenv",
    "process.env", "secrets.", "vault:", "op://", "ssm:", "arn:", "keyring", "/run/secrets",
)  # fmt: skip


def is_placeholder(value: str) -> bool:
    """Whether it only holds the place of a value, or names where one comes from."""
    lower = value.lower()
    return any(word in lower for word in _SAYS_SO) or _PLACEHOLDER.fullmatch(lower) is not None or looks_made_up(value)


_EXPRESSION: Final = re.compile(
    r"\w[(\[]|^[A-Za-z_]+\d{0,2}[A-Za-z_]*(?:\.[A-Za-z_]+\d{0,2}[A-Za-z_]*)+$|^[(\[{&*]|->|::|==|\+=|^\W*$"
)
_NO_CODE: Final = re.compile(r"(?=.*\d)(?=.*[A-Za-z]).*[!@#$%^?~]")
"""Marks that beside digits and letters make a password of what brackets would make an expression."""


def _is_expression(value: str) -> bool:
    return _EXPRESSION.search(value) is not None and not _NO_CODE.match(value)


_WORDS: Final = re.compile(r"[A-Za-z]+(?:[-_./: ][A-Za-z]+)*(?:[-_.]?v?\d{1,2})?")
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d.*|\d+(?:\.\d+)*[a-z%]{0,2}")
_CONSTANT_LINE: Final = re.compile(r"(?:^|[\s;&])(?:export\s+|set\s+|ENV\s+|ARG\s+|-e\s+|-D)?[A-Za-z_][\w.]*$")
_CAMEL: Final = re.compile(r"[A-Z]?[a-z]+(?:[A-Z][a-z]+)*")


def assignments(text: str, lower: str) -> Iterator[Found]:
    """Values with a secret's name. lower: the text in lower case, at the same length."""
    for at in places(lower, _STEMS):
        hit = _NAME.match(lower, at)
        if not hit or not _is_name(lower, at, hit["needle"]):
            continue
        value = _value(text, lower, hit)
        if value is None:
            continue
        start, end, quoted = value
        chosen = hit["chosen"] is not None
        if not chosen and (is_step(lower, at) or is_digest(lower, start, end)):
            continue
        if _is_secret(text, start, end, hit, quoted=quoted, chosen=chosen):
            yield Found(start, end, "PASSWORD" if chosen else "API_KEY")


def _is_name(lower: str, at: int, needle: str) -> bool:
    if needle == "key":
        return _KEY_OF.search(lower, max(0, at - 14), at) is not None
    return needle not in _MUST_STAND_FREE or not (at and lower[at - 1].isalpha())


def _value(text: str, lower: str, hit: re.Match[str]) -> tuple[int, int, bool] | None:
    """Where the value stands that belongs to a name, and whether in quotes; None if the name isn't a secret's."""
    suffix = hit["suffix"]
    if suffix and _NO_SECRET_BEHIND.search(suffix.rstrip("_-0123456789") or suffix):
        return None
    backwards = _PREFIX_BACKWARDS.match(lower[max(0, hit.start() - 40) : hit.start()][::-1])
    before = backwards[0][::-1] if backwards else ""
    if _NO_SECRET_BEFORE.search(before):
        return None
    operator, start = hit["operator"], hit.end()
    name_at = hit.start() - len(before)
    if not operator.strip():  # a command line's flag: `--password hunter2`
        if not before.startswith("--") and lower[name_at - 2 : name_at] != "--":
            return None
    elif operator == ">":
        if lower[name_at - 1 : name_at] != "<":
            return None
        end = text.find("<", start, start + 400)
        return (start, end, True) if end > start else None
    quote = text[start : start + 1]
    closing = quote
    if quote == "\\" and text[start + 1 : start + 2] in ('"', "'"):
        closing = text[start : start + 2]
    if closing and closing[-1] in "\"'`":
        inside = start + len(closing)
        end = text.find(closing, inside, inside + 400)
        return (inside, end, True) if end > inside and "\n" not in text[inside:end] else None
    bare = _BARE.match(text, start)
    if not bare or bare[0].count("=") > 4:  # `a=b=c`, and a hostile run of it
        return None
    written = bare[0]
    if name_at and text[name_at - 1] in "?&" and "&" in written:
        written = written.partition("&")[0]
    written = written.rstrip(".:?)]}\\" if operator.strip() in ("is", "was", ":") else ")]}\\")
    return start, start + len(written), False


def _is_secret(text: str, start: int, end: int, hit: re.Match[str], *, quoted: bool, chosen: bool) -> bool:
    value = text[start:end]
    if not 4 <= len(value) <= 400 or is_placeholder(value):
        return False
    if len(set(value)) < 3:
        return False
    if not quoted and (_is_expression(value) or text[end : end + 1] in ("(", "[")):
        return False
    if " " in value and not ("phrase" in hit["needle"] and quoted):
        return False
    return _could_be_chosen(text, end, value, hit, quoted) if chosen else _is_random(value, hit["needle"])


def _could_be_chosen(text: str, end: int, value: str, hit: re.Match[str], quoted: bool) -> bool:
    """Whether it may be a password. In quotes nearly all may; bare, it must not be a variable or a word of a sentence."""
    if not any(map(str.isalnum, value)) or value.lower().strip("_-:") == hit["needle"]:
        return False
    if text[max(0, hit.start() - len(value) - 1) : hit.start()].lower() == f"{value.lower()}_":
        return False  # `POSTGRES_PASSWORD: postgres`
    letters_only = _WORDS.fullmatch(value) is not None and not any(map(str.isdigit, value))
    operator = hit["operator"].strip()
    if quoted:
        if operator == "," and letters_only and text[end + 1 : end + 2] == ",":
            return False  # a list of names
        if (
            operator in (",", "(")
            or operator.startswith(("=", ":", "!"))
            or operator in ("is", "was", ">", "<-", "?=", "")
        ):
            return not (letters_only and (value[:1].isupper() or "_" in value or " " in value)) or "-" in value
        return not letters_only
    if any(map(str.isdigit, value)) or not letters_only:
        if re.fullmatch(r"[A-Za-z_]\w*", value) and text[end : end + 1] in (",", ")", ";", ":") and operator != ":":
            return "_" not in value and not re.fullmatch(r"[a-z]+\d", value)
        if operator in ("is", "was"):
            return any(map(str.isdigit, value)) or any(sign in "!@#$%^&*?+=~" for sign in value)
        return not re.fullmatch(r"\d{1,3}|[\W_]+", value)
    if _CAMEL.fullmatch(value) and not value.islower():
        return False
    if operator == "=" and value.count("-") >= 2 and text[end : end + 1] in ("", "\n", " ", ";"):
        return True  # a phrase: no language has a name with hyphens
    if operator == ":" and len(value) >= 8 and text[end : end + 1] in ("", "\n", "\r"):  # YAML, and what people write
        return text[hit.end("operator")] == " "
    if operator == "=" and text[end : end + 1] == ";" and ";" in text[max(0, hit.start() - 120) : hit.start()]:
        return True  # a connection string
    if operator not in ("=", "") or hit.end("operator") - hit.start("operator") != len(operator):
        return False
    name = text[max(0, hit.start() - 60) : hit.end("suffix")].rpartition("\n")[2]
    shouted = text[hit.start("needle") : hit.end("needle")].isupper()
    return (shouted or operator == "") and _CONSTANT_LINE.search(name) is not None and "_" not in value


_PARTS: Final = re.compile(r"(?:[A-Za-z]+\d{0,3}[-_.:])+(?:[A-Za-z]*\d{0,3}|\d+(?:\.\d+)+)")
"""Words with numbers and versions: `x-amz-content-sha256`, `jjwt-jackson-0.11.2`."""


def _is_random(value: str, needle: str) -> bool:
    """Whether it may be a generated key: long, of several kinds of signs, and no name, number, date or path."""
    digits = sum(map(str.isdigit, value))
    if value.lower().startswith(("abc123", "123abc")):
        return False
    if len(value) < 8 or _WORDS.fullmatch(value) or _DATE.fullmatch(value):
        return False
    if _UUID.fullmatch(value):
        return needle != "auth" and not is_sample_uuid(value)
    if "/" in value and not re.fullmatch(r"[A-Za-z0-9+/]{20,}={0,2}", value):
        return False
    if len(value) < 16:
        return digits >= 1 and digits < len(value) and entropy(value) >= 2.5 and needle != "auth"
    if digits == 0:
        return len(value) >= 20 and entropy(value) >= 4.0 and not re.search(r"[-_. ]", value)
    if any(len(word) > 30 for word in re.split(r"[-_.]", value)) or needle != "auth":
        return entropy(value) >= 3.0 and not _PARTS.fullmatch(value)
    return entropy(value) >= 3.3


# ---- headers, URLs, commands ----------------------------------------------------------------------------------------

_SCHEME: Final = re.compile(r"(?P<scheme>bearer|basic)[ \t]{1,4}(?P<value>[\w.~+/=:-]{8,4000})")
_HEADER: Final = re.compile(
    r"authorization[\\\"']{0,2}[ \t]{0,4}[:=,][ \t]{0,4}[\\\"'`]{0,2}"
    r"(?P<scheme>[a-z]{3,10}[ \t]{1,4})?(?P<value>[\w.~+/=:-]{12,4000})"
)


def headers(text: str, lower: str) -> Iterator[Found]:
    """`Authorization: …`, and `Bearer …` or `Basic …` alone."""
    for word, pattern in (("bearer", _SCHEME), ("basic", _SCHEME), ("authorization", _HEADER)):
        for at in places(lower, (word,)):
            hit = pattern.match(lower, at)
            if not hit or (at and lower[at - 1].isalnum()):
                continue
            start, end = hit.span("value")
            value = text[start:end].rstrip(".:")
            basic = (hit["scheme"] or "").startswith("basic")
            if not is_placeholder(value) and (_is_pair(value) if basic else _is_random(value, "token")):
                yield Found(start, start + len(value), "AUTHORIZATION")


def _is_pair(value: str) -> bool:
    """Whether it is base64 of `user:password`."""
    try:
        pair = b64decode(value, validate=True).decode()
    except (binascii.Error, ValueError):
        return False
    return ":" in pair and pair.isprintable()


_USER: Final = re.compile(r"[^\s/?#:@'\"<>`]{0,100}:(?!/)")
_URL_PASSWORD: Final = re.compile(r"[^\s'\"<>`]{1,300}")
_LOCAL: Final = re.compile(
    r"(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]|host\.docker\.internal|[a-z][a-z0-9_-]*(?=[:/]|$))(?![\w.-])"
)


def url_passwords(text: str) -> Iterator[Found]:
    """The password in `scheme://user:password@host`."""
    at = text.find("://")
    while at >= 0:
        start = at + 3
        user = _USER.match(text, start)
        if user:
            rest = _URL_PASSWORD.match(text, user.end())
            if rest and (length := _password_length(rest[0])):
                password = rest[0][:length]
                if _is_url_password(password, user[0][:-1], rest[0][length + 1 :]):
                    yield Found(user.end(), user.end() + length, "CONNECTION_PASSWORD")
                    start = user.end() + length
        at = text.find("://", start)


def _password_length(rest: str) -> int:
    """Up to the `@` before the host. A password may hold `/` and `@` if nobody escaped them."""
    slash = re.search(r"[/?#]", rest)
    if not slash:
        return max(rest.rfind("@"), 0)
    at = rest.rfind("@", 0, slash.start())
    if at >= 0:
        return at
    if re.match(r"\d{1,5}[/?#]", rest):  # a port: `http://host:80/@scope`
        return 0
    hosts = [hit.start() for hit in re.finditer(r"@(?=[\w.-]+(?::\d+)?(?:/|$))", rest)]
    return hosts[-1] if hosts else 0


def _is_url_password(password: str, user: str, host: str) -> bool:
    if len(password) < 3 or is_placeholder(password):
        return len(password) >= 3 and password.lower() in _WEAK and not _LOCAL.match(host)
    if _is_expression(password) or re.search(r"\{\w*\}|\$\{|%s$", password):
        return False
    return not (password == user and _LOCAL.match(host))


_WEAK: Final = frozenset({"admin", "root", "guest", "test", "secret"})
"""Words that stand for a password in a template and are one in an address that somebody uses."""

_CURL_USER: Final = re.compile(
    r"\bcurl\b[^\n]{0,300}?\s(?:-u|--user)[ =]?[\"']?(?P<user>[^\s:\"'<>]{1,80})[\"']?:[\"']?(?P<value>[^\s\"'<>]{3,200})"
)
_SSHPASS: Final = re.compile(r"\bsshpass\s+-p[ ]?[\"']?(?P<value>[^\s\"']{3,200})")
_MYSQL: Final = re.compile(r"\bmysql(?:dump|admin)?\b[^\n]{0,200}?\s-p(?P<value>[^\s\"']{4,200})")


def commands(text: str) -> Iterator[Found]:
    """Passwords that well-known commands take."""
    for word, pattern in (("curl", _CURL_USER), ("sshpass", _SSHPASS), ("mysql", _MYSQL)):
        done = 0
        for at in places(text, (word,)):
            hit = pattern.match(text, at) if at >= done else None
            if not hit:
                continue
            done = hit.end()
            if not (is_placeholder(hit["value"]) or _is_expression(hit["value"])):
                yield Found(*hit.span("value"), "PASSWORD")
