"""Passwords that a sentence, a statement or a call gives, where no sign of assignment stands between name and value.

`the password for the wiki is hunter2`, `IDENTIFIED BY 'hunter2'`, `auth=("mara", "hunter2")`, `log in with mara / hunter2`.
A sentence goes on with a word where no password follows, so what stands there has to have a digit or a mark among its
letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from daemon.signals.assignments import is_placeholder
from daemon.signals.base import Found
from daemon.signals.overlaps import Vocabulary, places

LABEL: Final = "PASSWORD"
_NAMES: Final = (
    r"(?:pass(?:words?|phrase|code|wort|wd)|contraseña|kennwort|mot de passe|clave|senha|wachtwoord|parola|пароль|密码|"
    r"パスワード|비밀번호)"
)
_STEMS: Final = (
    "passw", "passphrase", "passcode", "contraseña", "kennwort", "mot de passe", "clave", "senha", "wachtwoord", "parola",
    "пароль", "密码", "パスワード", "비밀번호",
)  # fmt: skip
_VALUE: Final = r"[\"'`“«]?(?P<value>[^\s\"'`”»<>,;]{5,80})"
_SAID: Final = re.compile(
    rf"{_NAMES}(?:[ \t]+(?:for|to|of|on|in|at|für|zu|zum|von|de|del|du|pour|para)[ \t]+[^\n.;:=]{{1,40}}?)?[ \t]*"
    r"(?:\bis\b|\bwas\b|\bist\b|\blautet\b|\best\b|\bes\b|\bé\b|\bè\b|(?:is |was )?(?:now|set to|changed to|"
    r"reset to|will be|should be)|"
    rf"\bto\b|是|は|:|=)?[ \t:=]+{_VALUE}"
)
_STATEMENT: Final = re.compile(
    r"(?:identified (?:with \S{1,40} )?(?:by|as)|(?:with|encrypted|set|"
    r"alter user \S{1,40}) password(?: for \S{1,60})?(?: =)?|masterauth|requirepass)"
    r"[ \t]{1,4}(?P<quote>[\"']?)(?P<value>[^\s\"';]{4,80})(?P=quote)"
)
_STATEMENTS: Final = (
    "identified ",
    "with password ",
    "encrypted password ",
    "set password",
    "requirepass ",
    "masterauth ",
)
_PAIR: Final = re.compile(
    r"(?:auth ?= ?\(|httpbasicauth\(|httpdigestauth\(|\.login\(|basicauth\(|basic_auth\(|setcredentials\(|"
    r"usernamepasswordcredentials\()"
    r"[ \t]{0,4}[\"'][^\"'\n]{1,80}[\"'],[ \t\n]{0,20}[\"'](?P<value>[^\"'\s]{4,80})[\"']"
)
_PAIRS: Final = ("auth=(", "auth = (", "auth(", "login(", "credentials(")
_LOGIN: Final = re.compile(
    r"(?:log ?in|credentials?|creds|account)(?: (?:is|are|as|with|to|using|for \S{1,30}))*[ \t:=]{1,3}"
    r"[\"'`]?[\w.@+-]{2,60}[ \t]?[/:|][ \t]?(?P<value>[^\s\"'`<>,;]{5,80})"
)
_LOGINS: Final = ("login", "log in", "credential", "creds", "account")
_VALUE_BELOW: Final = re.compile(
    r"name[\"']?: [\"']?(?P<name>[a-z0-9_.-]{2,60})[\"']?,?[ \t]*\n?[ \t,{]*[\"']?value[\"']?: (?P<quote>["
    r"\"']?)(?P<value>[^\s\"']{4,200})(?P=quote)"
)
_SECRETS_NAME: Final = re.compile(
    r"(?:^|[_.-])(?:pass(?:word|wd)?|pwd|secret|passphrase)(?:$|[_.-](?!name|key|ref|file|path|id|arn))"
)
_OTHER_NAMES: Final = re.compile(
    r"(?:^|[_.-])(?:token|api[_-]?key|secret[_-](?:access[_-])?key|access[_-]?key|auth[_-]?key|private[_-]?key|"
    r"encryption[_-]?key)$"
)
_NOT_ONE: Final = re.compile(
    r"sha-?\d+.*|md5|utf-?\d+|base\d+|v?\d+(?:\.\d+)*\w?|oauth\d?|argon2\w*|bcrypt\w*|pbkdf2\w*|scrypt\w*|"
    r"http/?\d.*|s3|ec2|ipv\d|k8s|x509|"
    r"aes-?\d*.*|rsa-?\d*|\dfa|mfa|1password|.*[a-z]\(.*|[a-z]+'[a-z]+|\d+[-.]?\w*|.*\(\)?.*|.*[a-z]/[a-z].*|"
    r"(?:[a-z]+_)+[a-z]+\d?|"
    r"[a-z]+(?:-[a-z]+)*[:.!?)]*|\W+"
)


def is_mixed(value: str) -> bool:
    """Whether letters stand beside digits or marks as in no word of a sentence."""
    lower = value.lower()
    return (
        len(value) >= 5
        and any(map(str.isalpha, value))
        and (any(map(str.isdigit, value)) or any(mark in "!@#$%^&*?+=~" for mark in value[:-1]))
        and not _NOT_ONE.fullmatch(lower)
        and not is_placeholder(value)
    )


def phrases(text: str, lower: str, vocabulary: Vocabulary) -> Iterator[Found]:
    """lower: the text in small letters, at the same length. vocabulary: its own."""
    for words, pattern in ((_STEMS, _SAID), (_LOGINS, _LOGIN)):
        for at in places(lower, vocabulary.said(words)):
            hit = pattern.match(lower, at)
            if hit and not (at and lower[at - 1].isalnum()):
                start, end = hit.span("value")
                value = text[start:end].rstrip(".:?)]}" if "(" not in text[start:end] else ".:?")
                if is_mixed(value) and text[start + len(value) : start + len(value) + 1] not in ("(", "["):
                    yield Found(start, start + len(value), LABEL)
    for openings, pattern in ((_STATEMENTS, _STATEMENT), (_PAIRS, _PAIR)):
        for at in places(lower, vocabulary.said(openings)):
            begin = lower.rfind("\n", 0, at) + 1
            hit = pattern.search(lower, max(begin, at - 30), at + 300)
            if hit and not is_placeholder(text[slice(*hit.span("value"))]):
                yield Found(*hit.span("value"), LABEL)
    for at in places(lower, vocabulary.said(("name: ", 'name": '))):
        hit = _VALUE_BELOW.match(lower, at)
        if not hit or is_placeholder(text[slice(*hit.span("value"))]):
            continue
        if _SECRETS_NAME.search(hit["name"]):
            yield Found(*hit.span("value"), LABEL)
        elif _OTHER_NAMES.search(hit["name"]) and any(map(str.isdigit, hit["value"])) and len(hit["value"]) >= 12:
            yield Found(*hit.span("value"), "API_KEY")
