"""Keys that tell by their own shape who gave them out: one row each.

Shapes are the vendors' own, as their documentation and the rules of secret scanners have them. `needle` is a literal that
every such key holds, so that a text without it costs one search. GROUND is what stands around a key and isn't part of it.
"""

from __future__ import annotations

import binascii
import math
import re
from base64 import urlsafe_b64decode
from collections import Counter
from collections.abc import Iterator
from typing import Final

import msgspec
from msgspec import Struct

from daemon.signals.base import Found


class Vendor(Struct, frozen=True):
    """label: what it is. needle: a literal inside it. shape: the whole, matched from `back` characters before the needle on.

    bits: entropy per character that its random part must have, so that `ghp_xxxxxxxx` is none. hook: the needle is the
    public part of an address, and no part of the key.
    """

    label: str
    needle: str
    shape: re.Pattern[str]
    back: int = 0
    bits: float = 2.0
    hook: bool = False


def _row(label: str, needle: str, rest: str, bits: float = 2.5) -> Vendor:
    """A key that begins with its needle."""
    return Vendor(label, needle, re.compile(f"{re.escape(needle)}(?:{rest})", re.ASCII), 0, bits)


def _hook(label: str, needle: str, rest: str) -> Vendor:
    """What stands behind an address that takes messages of whoever knows it."""
    return Vendor(label, needle, re.compile(f"{re.escape(needle)}(?:{rest})", re.ASCII), 0, 3.0, hook=True)


_W: Final = r"[A-Za-z0-9_-]"
_A: Final = r"[A-Za-z0-9]"
TABLE: Final = (
    *(
        _row("AWS_ACCESS_KEY", prefix, rf"[A-Z0-9]{{16}}(?!{_A})", 2.7)
        for prefix in ("AKIA", "ASIA", "ABIA", "ACCA")
    ),
    _row("AWS_ACCESS_KEY", "A3T", rf"[A-Z0-9]{{17}}(?!{_A})", 3.0),
    _row("AWS_BEDROCK_KEY", "ABSK", r"[A-Za-z0-9+/]{60,260}={0,2}", 3.0),
    _row("AWS_BEDROCK_KEY", "bedrock-api-key-", r"[A-Za-z0-9+/_-]{20,2000}={0,2}"),
    *(_row("GITHUB_TOKEN", f"gh{kind}_", rf"{_A}{{30,255}}", 3.0) for kind in "pousr"),
    _row("GITHUB_TOKEN", "github_pat_", r"\w{22,255}", 3.0),
    *(
        _row("GITLAB_TOKEN", needle, r"[\w.-]{18,300}", 2.8)
        for needle in ("glpat-", "gldt-", "glrt-", "glrtr-", "glft-", "glsoat-", "glcbt-", "glptt-", "gloas-", "glimt-",
                       "glagent-", "glffct-", "GR1348941")
    ),
    *(_row("SLACK_TOKEN", f"xox{kind}", r"[-.][A-Za-z0-9.-]{10,260}", 2.6) for kind in "abeoprs"),
    _row("SLACK_TOKEN", "xapp-", r"\d-[A-Za-z0-9-]{12,260}"),
    *(
        _hook("SLACK_WEBHOOK", f"hooks.slack.com/{kind}/", r"[A-Za-z0-9+/]{30,80}")
        for kind in ("services", "workflows", "triggers")
    ),
    *(_row("STRIPE_KEY", f"{kind}k_{mode}_", rf"{_A}{{10,250}}") for kind in "sr" for mode in ("live", "test", "prod")),
    _row("STRIPE_KEY", "whsec_", r"[A-Za-z0-9+/]{24,80}={0,2}", 3.0),
    _row("GOOGLE_API_KEY", "AIza", rf"[\w-]{{35}}(?!{_W})", 3.2),
    _row("GOOGLE_OAUTH", "GOCSPX-", rf"{_W}{{20,40}}"),
    _row("GOOGLE_OAUTH", "ya29.", rf"{_W}{{20,400}}", 3.0),
    _row("ANTHROPIC_KEY", "sk-ant-", rf"{_W}{{20,200}}", 2.8),
    _row("OPENAI_KEY", "sk-", rf"(?:proj-|svcacct-|admin-|None-)?{_W}{{20,250}}", 3.1),
    _row("HUGGINGFACE_TOKEN", "hf_", r"[A-Za-z0-9]{34,40}(?!\w)", 3.4),
    _row("HUGGINGFACE_TOKEN", "api_org_", r"[A-Za-z]{34}", 3.0),
    _row("NPM_TOKEN", "npm_", rf"{_A}{{36}}", 3.0),
    _row("PYPI_TOKEN", "pypi-", rf"AgE{_W}{{50,1000}}", 3.0),
    _row("RUBYGEMS_TOKEN", "rubygems_", r"[a-f0-9]{48}"),
    _row("SENDGRID_KEY", "SG.", r"[\w=.-]{40,120}", 3.0),
    _row("TWILIO_KEY", "SK", rf"[0-9a-f]{{32}}(?!{_A})", 2.8),
    _row("AZURE_KEY", "AccountKey=", r"[A-Za-z0-9+/]{40,120}={0,2}", 3.0),
    _row("AZURE_KEY", "SharedAccessKey=", r"[A-Za-z0-9+/]{40,120}={0,2}", 3.0),
    _row("AZURE_KEY", "sig=", r"[A-Za-z0-9%+/]{40,120}(?:%3[dD]|=){0,2}", 3.0),
    Vendor("AZURE_KEY", "Q~", re.compile(r"(?<![\w.~-])[\w.~]{3}\dQ~[\w.~-]{31,34}(?![\w~-])", re.ASCII), 4, 3.0),
    _row("NEARLOOP_TOKEN", "nl_", rf"{_W}{{20,100}}", 3.0),
    *(_row("DIGITALOCEAN_TOKEN", f"do{kind}_v1_", r"[a-f0-9]{64}") for kind in "opr"),
    _row("DATABRICKS_TOKEN", "dapi", r"[a-f0-9]{32}(?:-\d)?"),
    _row("DOPPLER_TOKEN", "dp.", r"(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{20,100}"),
    *(_row("SHOPIFY_TOKEN", f"shp{kind}_", r"[a-fA-F0-9]{32}") for kind in ("at", "ca", "pa", "ss")),
    _row("GRAFANA_TOKEN", "glsa_", rf"{_A}{{32}}_[A-Fa-f0-9]{{8}}"),
    _row("GRAFANA_TOKEN", "glc_", r"[A-Za-z0-9+/]{32,400}={0,2}", 3.0),
    _row("SENTRY_TOKEN", "sntrys_", r"eyJ[A-Za-z0-9=_+/-]{20,400}"),
    _row("SENTRY_TOKEN", "sntryu_", r"[a-f0-9]{64}"),
    _row("LINEAR_KEY", "lin_api_", rf"{_A}{{40}}"),
    _row("NOTION_TOKEN", "ntn_", r"[A-Za-z0-9]{40,60}", 3.0),
    _row("NOTION_TOKEN", "secret_", rf"{_A}{{43}}(?!{_A})", 3.5),
    _row("POSTMAN_KEY", "PMAK-", r"[a-fA-F0-9]{24}-[a-fA-F0-9]{34}"),
    _row("PULUMI_TOKEN", "pul-", r"[a-f0-9]{40}"),
    *(_row("VAULT_TOKEN", needle, rf"{_W}{{80,500}}", 3.0) for needle in ("hvs.", "hvb.", "hvr.")),
    Vendor("TERRAFORM_TOKEN", ".atlasv1.", re.compile(r"(?<!\w)[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9=_-]{60,70}"), 14, 3.0),
    _row("ATLASSIAN_TOKEN", "ATATT3", r"[A-Za-z0-9_=-]{150,220}", 3.0),
    *(
        _hook("DISCORD_WEBHOOK", f"{host}/api/webhooks/", rf"\d{{17,20}}/{_W}{{60,72}}")
        for host in ("discord.com", "discordapp.com")
    ),
    _hook("TEAMS_WEBHOOK", ".webhook.office.com/webhookb2/", r"[A-Za-z0-9@/-]{60,260}"),
    _hook("ZAPIER_WEBHOOK", "hooks.zapier.com/hooks/catch/", r"\d{4,10}/[a-z0-9]{5,12}"),
    Vendor("TELEGRAM_TOKEN", ":AA", re.compile(r"(?<!\d)\d{8,10}:AA[A-Za-z0-9_-]{32,33}(?![\w-])"), 10, 3.0),
    _row("MAILGUN_KEY", "key-", rf"[a-f0-9]{{32}}(?!{_A})", 2.8),
    _row("MAILGUN_KEY", "pubkey-", r"[a-f0-9]{32}", 2.8),
    Vendor("MAILCHIMP_KEY", "-us", re.compile(r"(?<![\w-])[a-f0-9]{32}-us\d{1,2}(?!\w)"), 32, 2.8),
    *(_row("SQUARE_TOKEN", needle, r"[\w-]{22,64}", 3.0) for needle in ("sq0atp-", "sq0csp-", "sq0idp-", "EAAA")),
    *(_row("FLY_TOKEN", needle, r"[A-Za-z0-9+/=_-]{40,800}", 3.0) for needle in ("fo1_", "fm1_", "fm1a_", "fm1r_", "fm2_")),
    _row("AGE_KEY", "AGE-SECRET-KEY-1", r"[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}", 0.0),
    _row("ARTIFACTORY_KEY", "AKCp", rf"{_A}{{69}}", 3.0),
    _row("ARTIFACTORY_KEY", "cmVmd", rf"{_A}{{59}}", 3.0),
    _row("DYNATRACE_TOKEN", "dt0c01.", r"[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}", 3.0),
    _row("GROQ_KEY", "gsk_", rf"{_A}{{40,60}}", 3.0),
    _row("XAI_KEY", "xai-", rf"{_A}{{60,90}}", 3.0),
    _row("PERPLEXITY_KEY", "pplx-", rf"{_A}{{40,60}}", 3.0),
    _row("REPLICATE_TOKEN", "r8_", rf"{_A}{{37}}", 3.0),
    *(_row("PLANETSCALE_TOKEN", f"pscale_{kind}_", r"[\w=.-]{32,64}", 3.0) for kind in ("tkn", "pw", "oauth")),
    _row("NEWRELIC_KEY", "NRAK-", rf"{_A}{{27}}"),
    _row("NEWRELIC_KEY", "NRJS-", r"[a-f0-9]{19}"),
    _row("NEWRELIC_KEY", "NRII-", rf"{_W}{{32}}"),
    _row("NETLIFY_TOKEN", "nfp_", rf"{_A}{{36,40}}", 3.0),
    _row("PREFECT_KEY", "pnu_", rf"{_A}{{36}}", 3.0),
    _row("SUPABASE_KEY", "sbp_", r"[a-f0-9]{40}"),
    _row("SUPABASE_KEY", "sb_secret_", rf"{_W}{{20,60}}", 3.0),
    Vendor("AIRTABLE_TOKEN", "pat", re.compile(r"(?<!\w)pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"), 0, 3.0),
    _row("ONEPASSWORD_TOKEN", "ops_eyJ", r"[A-Za-z0-9+/]{100,2000}={0,3}", 3.0),
    _row("SOURCEGRAPH_TOKEN", "sgp_", r"(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}"),
    _row("FIGMA_TOKEN", "figd_", rf"{_W}{{40}}", 3.0),
    _row("HEROKU_KEY", "HRKU-", rf"{_W}{{36,66}}", 3.0),
    *(_row("EASYPOST_KEY", needle, rf"{_A}{{54}}", 3.0) for needle in ("EZAK", "EZTK")),
    *(_row("SHIPPO_TOKEN", f"shippo_{mode}_", r"[a-fA-F0-9]{40}") for mode in ("live", "test")),
    *(_row("DUFFEL_TOKEN", f"duffel_{mode}_", r"[\w=-]{43}") for mode in ("live", "test")),
    _row("INFRACOST_KEY", "ico-", rf"{_A}{{32}}", 3.0),
    _row("TAILSCALE_KEY", "tskey-", r"[a-z]{3,8}-[A-Za-z0-9]{6,30}-[A-Za-z0-9]{16,50}"),
    _row("DOCKER_TOKEN", "dckr_pat_", rf"{_W}{{27}}"),
    _row("DOCKER_TOKEN", "dckr_oat_", rf"{_W}{{32}}"),
    Vendor("CLOUDFLARE_KEY", "v1.0-", re.compile(r"v1\.0-[a-f0-9]{24}-[a-f0-9]{146}"), 0, 3.0),
    _row("FACEBOOK_TOKEN", "EAAM", rf"{_A}{{80,300}}", 3.0),
    _row("FACEBOOK_TOKEN", "EAAC", rf"{_A}{{80,300}}", 3.0),
    _row("ALIBABA_KEY", "LTAI", rf"{_A}{{17,22}}(?!{_A})", 3.0),
    _row("YANDEX_TOKEN", "AQVN", rf"{_W}{{35,38}}", 3.0),
    _row("YANDEX_TOKEN", "t1.", r"[A-Za-z0-9_-]{5,40}=*\.[A-Za-z0-9_-]{80,90}={0,2}", 3.0),
    _row("YANDEX_TOKEN", "YC", rf"[A-Za-z0-9_-]{{38}}(?!{_W})", 3.5),
    _row("ADOBE_KEY", "p8e-", rf"{_A}{{32}}"),
    _row("CLOJARS_TOKEN", "CLOJARS_", r"[a-z0-9]{60}"),
    _row("FRAMEIO_TOKEN", "fio-u-", r"[\w=-]{64}"),
    *(_row("FLUTTERWAVE_KEY", f"FLW{kind}-", r"[a-hA-H0-9]{12,32}(?:-X)?") for kind in ("SECK_TEST", "PUBK_TEST", "SECK")),
    *(_row("HARNESS_KEY", needle, r"[\w.-]{60,90}", 3.0) for needle in ("pat.", "sat.")),
    _row("OCTOPUS_KEY", "API-", rf"[A-Z0-9]{{26}}(?!{_A})", 3.0),
    _row("README_KEY", "rdme_", r"[a-z0-9]{70}"),
    _row("SCALINGO_TOKEN", "tk-us-", rf"{_W}{{48}}", 3.0),
    _row("SENDINBLUE_KEY", "xkeysib-", r"[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    *(_row("SETTLEMINT_TOKEN", f"sm_{kind}_", rf"{_A}{{16}}", 2.8) for kind in ("pat", "aat", "sat")),
    *(_row("SONAR_TOKEN", f"sq{kind}_", r"[a-fA-F0-9]{40}", 2.5) for kind in "upa"),
    _row("INTRA42_SECRET", "s-s4t2", r"[a-z]{2}-[a-f0-9]{64}"),
    _row("OPENSHIFT_TOKEN", "sha256~", rf"{_W}{{43}}", 3.2),
    _row("CLICKHOUSE_KEY", "4b1d", rf"{_A}{{38}}(?!{_A})", 3.5),
    *(_row("LOB_KEY", f"{mode}_{kind}", r"[a-f0-9]{31,35}") for mode in ("live", "test") for kind in ("", "pub_")),
)  # fmt: skip
_GROUND: Final = re.compile(r"[A-Za-z0-9]")
_EXAMPLE: Final = re.compile(
    r"EXAMPLE|YOUR|abcdefghijklm|0123456789|1234567890123|abcdef0123|[xX]{6}|\*{3}|\.{3}|0{10}|(?<![A-Za-z])(?:fake|dummy|sample|placeholder|redacted)",
    re.ASCII,
)


_WORD: Final = re.compile(r"[A-Za-z0-9_-]{16,}")
_INSIDE: Final = re.compile(r"[_-](?=[A-Za-z0-9])")
"""Where a key may begin within a longer identifier: `ask_ghp_…`."""
_LEAST_CHARS: Final = 20
_SURE_CHARS: Final = 4
"""Of a needle, so that a word's middle is none."""
_PLAIN: Final = re.compile(r"[A-Za-z0-9_-]{2,}")


def _by_head() -> dict[str, tuple[Vendor, ...]]:
    """Rows whose needle is the beginning of a word, by its first two characters."""
    heads: dict[str, tuple[Vendor, ...]] = {}
    for row in TABLE:
        if not row.back and _PLAIN.fullmatch(row.needle):
            heads[row.needle[:2]] = (*heads.get(row.needle[:2], ()), row)
    return heads


_BY_HEAD: Final = _by_head()
_ANYWHERE: Final = tuple(row for row in TABLE if row.back or not _PLAIN.fullmatch(row.needle))


def vendor_tokens(text: str) -> Iterator[Found]:
    """All keys of vendors, JSON web tokens and an AWS secret that stands near its id.

    One pass over long words serves most rows; the others, whose needle isn't the head of a word, are searched for.
    """
    for word in _WORD.finditer(text):
        for row in _BY_HEAD.get(text[word.start() : word.start() + 2], ()):
            if text.startswith(row.needle, word.start()) and (hit := row.shape.match(text, word.start())):
                yield from _keys(text, row, hit)
        for mark in _INSIDE.finditer(text, word.start() + 1, word.end() - _LEAST_CHARS):
            at = mark.end()
            for row in _BY_HEAD.get(text[at : at + 2], ()):
                if (
                    len(row.needle) >= _SURE_CHARS
                    and text.startswith(row.needle, at)
                    and (hit := row.shape.match(text, at))
                ):
                    yield from _keys(text, row, hit)
    for row in _ANYWHERE:
        at = text.find(row.needle)
        while at >= 0:
            found = _shape_at(text, row, at)
            if found:
                yield from _keys(text, row, found)
            # a run that has the shape is read once, or a hostile one would be read from each of its needles
            at = text.find(row.needle, max(found.end() if found else 0, at + len(row.needle)))
    yield from _web_tokens(text)


def _keys(text: str, row: Vendor, hit: re.Match[str]) -> Iterator[Found]:
    if _is_key(row, hit[0]):
        end = hit.start() + len(hit[0].rstrip(".-"))
        yield Found(hit.start() + len(row.needle) * row.hook, end, row.label)
        if row.label == "AWS_ACCESS_KEY":
            yield from _aws_secret(text, hit.start(), end)


def _shape_at(text: str, row: Vendor, at: int) -> re.Match[str] | None:
    """The row's shape around a needle."""
    if not row.back:
        return None if at and not row.hook and _GROUND.match(text, at - 1) else row.shape.match(text, at)
    for start in range(max(0, at - row.back), at + 1):
        if (hit := row.shape.match(text, start)) and hit.end() > at:
            return hit
    return None


def _is_key(row: Vendor, written: str) -> bool:
    """Whether what has the shape is random enough."""
    random = written if row.back else written[len(row.needle) :]
    if row.label == "SLACK_TOKEN" and sum(map(str.isdigit, random)) < 6:  # `xoxo-indieweb-1.jpg`
        return False
    if row.bits and (entropy(random) < row.bits or looks_made_up(written)):
        return False
    return row.label not in ("OPENAI_KEY", "NEARLOOP_TOKEN") or (any(map(str.isdigit, random)) and _is_mixed(random))


def _is_mixed(random: str) -> bool:
    """Not words with hyphens between them, as in the name of a CSS class."""
    words = re.split(r"[-_]", random)
    return max(map(len, words)) >= 12


def looks_made_up(value: str) -> bool:
    """Whether a key says of itself that it is an example."""
    return _EXAMPLE.search(value) is not None


def entropy(value: str) -> float:
    """Shannon's, in bits per character."""
    if not value:
        return 0.0
    total = len(value)
    return -sum(count / total * math.log2(count / total) for count in Counter(value).values())


_AWS_SECRET: Final = re.compile(r"(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")


def _aws_secret(text: str, start: int, end: int) -> Iterator[Found]:
    """40 characters of base64 within 300 of an access key's id."""
    for hit in _AWS_SECRET.finditer(text, max(0, start - 300), min(len(text), end + 300)):
        if entropy(hit[0]) >= 4.0 and any(map(str.isdigit, hit[0])) and not looks_made_up(hit[0]):
            yield Found(hit.start(), hit.end(), "AWS_SECRET_KEY")


_WEB_TOKEN: Final = re.compile(
    r"(?P<head>eyJ[A-Za-z0-9_-]{10,4000})\.[A-Za-z0-9_-]{2,8000}(?:\.[A-Za-z0-9_-]{0,4000}){1,3}"
)


_RUN: Final = re.compile(r"[A-Za-z0-9_-]+")


_SAMPLE_CLAIM: Final = ".eyJzdWIiOiIxMjM0NTY3ODkw"
"""`{"sub":"1234567890`, with which tokens in documents begin."""


def _web_tokens(text: str) -> Iterator[Found]:
    at = text.find("eyJ")
    while at >= 0:
        run = _RUN.match(text, at)
        hit = _WEB_TOKEN.match(text, at)
        if hit and not (at and _GROUND.match(text, at - 1)) and _is_head(hit["head"]) and _SAMPLE_CLAIM not in hit[0]:
            yield Found(at, hit.end(), "JWT")
        at = text.find("eyJ", hit.end() if hit else run.end() if run else at + 3)


def _is_head(head: str) -> bool:
    try:
        value = msgspec.json.decode(urlsafe_b64decode(head + "=" * (-len(head) % 4)))
    except (binascii.Error, ValueError, msgspec.DecodeError):
        return False
    return isinstance(value, dict) and "alg" in value
