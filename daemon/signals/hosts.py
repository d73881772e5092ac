"""Names of machines that are not for everybody: internal zones, servers of an organisation, targets of connections.

A name counts by its own form if only machines are called so: it lies in a zone that no public name server knows, is one
that a cloud gives to a customer, or says what the machine is for (`db-prod-03.nordhof.io`). Any other counts by what stands
before it: `ssh`, `--host`, `postgres://`, `\\\\server\\share`. Hosts of domains that everybody uses, names that standards
reserve for examples, and what code calls `threading.local` are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from daemon.signals.base import Found
from daemon.signals.overlaps import Vocabulary, places
from daemon.signals.public_domains import PUBLIC_DOMAINS, registered
from daemon.signals.samples import is_kind_only, is_sample_address, is_sample_name

LABEL: Final = "HOSTNAME"

# ---- what a name says -----------------------------------------------------------------------------------------------

_SURE_ZONES: Final = frozenset({"corp", "intranet", "intra", "lan", "localdomain", "svc"})
"""Zones below which nobody else's names lie, and that code hardly has as an attribute."""
_ZONES: Final = _SURE_ZONES | {"internal", "local", "private", "priv", "home"}
"""ICANN keeps `internal` for this, RFC 6762 `local`; the others are what name servers see in private use (RFC 6762, G)."""
_IN_TWO: Final = ("cluster.local", "home.arpa", "service.consul", "node.consul", "ts.net")
_LAST_OF_TWO: Final = frozenset({"consul", "arpa"})
_ENVIRONMENTS: Final = frozenset(
    [
        "prod",
        "production",
        "prd",
        "stage",
        "staging",
        "stg",
        "qa",
        "uat",
        "preprod",
        "nonprod",
        "internal",
        "corp",
        "intranet",
        "private",
        "mgmt",
        "int",
    ]
)
_STORES: Final = frozenset(
    """
    db database sql mysql mariadb pg pgsql postgres postgresql mongo mongodb redis memcached cassandra elasticsearch kafka
    zookeeper zk rabbitmq rmq ldap nfs nas etcd minio hadoop hdfs dwh warehouse replica mssql oracle clickhouse influx
    influxdb
    """.split()  # noqa: SIM905
)
_TOOLS: Final = frozenset(
    """
    jenkins grafana kibana jira confluence gitlab gitea nexus artifactory sonarqube sonar harbor vault consul prometheus
    argocd rancher airflow bastion jumphost jumpbox vpn intranet sharepoint vcenter esxi nagios zabbix splunk wiki
    """.split()  # noqa: SIM905
)
_ROLES: Final = (
    _STORES
    | _TOOLS
    | frozenset(
        """
        ad admin api app auth backup batch bi billing broker build cache ci cron crm dc dns edge erp es etl fileserver files
        frontend backend fs fw gateway git gpu gw host hr hv idp jump k8s kube kubernetes lb ldap log logs mail master
        metrics
        monitor monitoring mq mx node ns payments payroll primary printer proxy queue registry runner search secondary server
        smtp srv sso standby storage svc tomcat vm web windows win worker ws
        """.split()  # noqa: SIM905
    )
)
_EVERYBODYS: Final = frozenset(
    {
        *("host.docker.internal", "gateway.docker.internal", "kubernetes.docker.internal", "metadata.google.internal"),
        *("kubernetes.default.svc", "kubernetes.default.svc.cluster.local", "instance-data.ec2.internal"),
        *("localhost.localdomain", "svc.cluster.local", "cluster.local", "service.consul", "node.consul"),
    }
)
_RESERVED: Final = frozenset({"example", "test", "invalid", "localhost"})
_IN_EXAMPLES: Final = frozenset(
    {"example", "domain", "yourdomain", "mydomain", "your-domain", "mycompany", "yourcompany"}
)
_TENANTS: Final = re.compile(
    r"(?:(?:rds|redshift|elb|es|execute-api|cache|elasticbeanstalk|docdb|neptune|amplifyapp|compute-1|"
    r"[a-z]{2}(?:-[a-z]+)+-\d\.(?:rds|redshift|elb|es|compute|eks|opensearch|aoss)|"
    r"dkr\.ecr\.[a-z]{2}(?:-[a-z]+)+-\d)\.amazonaws\.com|s3(?:[.-][a-z0-9-]+)?\.amazonaws\.com|"
    r"cache\.amazonaws\.com|(?:blob|file|queue|table|dfs|web)\.core\.windows\.net|database\.windows\.net|"
    r"vault\.azure\.net|servicebus\.windows\.net|documents\.azure\.com|azurecr\.io|azurewebsites\.net|cloudapp\.azure\.com|"
    r"redis\.cache\.windows\.net|openai\.azure\.com|cloudfunctions\.net|run\.app|appspot\.com|firebaseio\.com|"
    r"firebaseapp\.com|"
    r"atlassian\.net|okta\.com|onmicrosoft\.com|sharepoint\.com|my\.salesforce\.com|snowflakecomputing\.com|mongodb\.net|"
    r"supabase\.co|zendesk\.com|service-now\.com|slack\.com|myshopify\.com|herokuapp\.com|ngrok\.io|ngrok-free\.app|"
    r"cloudapp\.net|azure-api\.net|azuredatabricks\.net|cloud\.databricks\.com|auth0\.com|workday\.com|ts\.net)"
)
"""Below these a customer has a name of its own."""
_NOBODYS_TENANT: Final = frozenset(
    [
        "www",
        "api",
        "docs",
        "support",
        "help",
        "status",
        "login",
        "app",
        "hooks",
        "files",
        "my",
        "developer",
        "developers",
        "blog",
        "static",
        "assets",
        "cdn",
        "dev",
        "account",
        "accounts",
    ]
)


def _stems(label: str) -> list[str]:
    """The words of a label without their numbers: `db` and `prod` of `db-prod-03`."""
    return [word.rstrip("0123456789") for word in label.split("-")]


def _says_machine(label: str) -> bool:
    """Whether one label of a public domain's host says that it is an own machine."""
    stems = _stems(label)
    if any(stem in _ENVIRONMENTS for stem in stems):
        return True
    if any(stem in _STORES or stem in _TOOLS for stem in stems):
        return True
    return (
        label[-1].isdigit()
        and any(stem in _ROLES for stem in stems)
        and label not in ("web3", "ns1", "ns2", "mx1", "mx2")
    )


# ---- names with dots ------------------------------------------------------------------------------------------------

_TOP: Final = re.compile(r"\.([a-z]{2,13})(?![\w-]|\.\w)")
_BACKWARDS: Final = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+){0,8}")
_USUAL_TOPS: Final = frozenset(
    """
    com net org io dev cloud co ai app tech biz edu gov mil systems solutions software services digital online global group
    company health bank finance agency network energy media studio ac at au be br ca ch cl cn cz de dk es eu fi fr gr
    hk hu ie
    il in it jp kr lu mx nl no nz pl pt ro ru se sg si sk tr tw ua uk us vn za
    """.split()  # noqa: SIM905
)
"""Below which companies have their machines. Many other top-level domains are names of files or attributes as well."""
_ALSO_WORDS: Final = frozenset(
    {"at", "be", "app", "company", "group", "in", "io", "it", "media", "network", "no", "us"}
)
_CODE_HEADS: Final = frozenset(
    """
    self this cls com org net io edu gov de jdk sun java javax android google kotlin scala system window document module
    exports threading asyncio settings config process path os user app env spring server management tf torch jax np pd
    """.split()  # noqa: SIM905
)
_NO_HOST_BEFORE: Final = re.compile(r"(?:import|package|from|module|namespace|using|extends|@)\s+$")
_HOST_BEFORE: Final = re.compile(
    r"(?:://(?:[^\s/@]{1,200}@)?|[\w.+-]@|\b(?:hosts?|hostname|servers?|address|node|machine|endpoint|brokers?|"
    r"domain|url|uri|"
    r"connect(?:ed)? to|ssh|scp|ping|curl|wget|nslookup|dig|host)\b[\"']?[ \t]{0,3}[:=]?[ \t]{0,3}[\"'(\[]?)$"
)


def _dotted(text: str, lower: str) -> Iterator[Found]:
    for hit in _TOP.finditer(lower):
        top = hit[1]
        if top in _ZONES or top in _USUAL_TOPS or top in _LAST_OF_TWO:
            begins = _begin(lower, hit.start())
            if begins >= 0 and _is_host(text, lower, begins, hit.end(), top):
                yield Found(begins, hit.end(), LABEL)


_CLASS: Final = re.compile(r"(?<![\w-])[A-Z][a-z]+(?:[A-Z][a-z]+)*(?=\.[a-z])")
"""`pathlib.Path.home`"""


def _begin(lower: str, dot: int) -> int:
    """Where the name begins whose last dot this is; -1 if it is part of something else."""
    backwards = _BACKWARDS.match(lower[max(0, dot - 120) : dot][::-1])
    if not backwards:
        return -1
    begin = dot - len(backwards[0].rstrip("-"))
    return -1 if begin and (lower[begin - 1].isalnum() or lower[begin - 1] in "_$") else begin


def _is_host(text: str, lower: str, start: int, end: int, top: str) -> bool:
    name = lower[start:end]
    labels = name.split(".")
    if name in _EVERYBODYS or any(not label or label[0] == "-" or label[-1] == "-" for label in labels):
        return False
    if _is_in_examples(labels):
        return False
    if text[end : end + 1] in ("(", "[") or _NO_HOST_BEFORE.search(lower, max(0, start - 12), start):
        return False
    if top in _ZONES or name.endswith(_IN_TWO):
        return not _CLASS.search(text, start, end) and _in_zone(lower, start, end, labels, top)
    if top in _LAST_OF_TWO:
        return False
    if _is_tenants(name, labels):
        return True
    domain = registered(labels)
    if domain in PUBLIC_DOMAINS:
        return False
    own = labels[: len(labels) - domain.count(".") - 1]
    if any(word in ("internal", "intranet", "corp") for word in domain.partition(".")[0].split("-")[1:]):
        return True
    told = _HOST_BEFORE.search(lower, max(0, start - 40), start) is not None
    if labels[0] in _CODE_HEADS and not told:
        return False
    if top in _ALSO_WORDS and labels[0].isalpha() and not told:
        return False
    if top == "org" and not any(stem in _ENVIRONMENTS or stem in _STORES for label in own for stem in _stems(label)):
        return False  # communities' own servers are everybody's
    return any(_says_machine(label) for label in own)


def _in_zone(lower: str, start: int, end: int, labels: list[str], top: str) -> bool:
    if lower[end : end + 1] == "=" or lower[end : end + 2] in (" =", "()"):
        return False
    told = _HOST_BEFORE.search(lower, max(0, start - 40), start) is not None or re.match(
        r":\d{2,5}(?!\d)", lower[end : end + 7]
    )
    if labels[0] in _CODE_HEADS and not told:
        return False
    if told or top in _SURE_ZONES or top not in _ZONES or len(labels) > 3:
        return top != "svc" or len(labels) > 2
    first = labels[0]
    if "-" in first or any(map(str.isdigit, first)):
        return True
    return len(labels) > 2 or first in _ROLES


def _is_tenants(name: str, labels: list[str]) -> bool:
    hit = _TENANTS.search(name)
    while hit is not None:
        if hit.end() == len(name) and hit.start() > 1 and name[hit.start() - 1] == ".":
            own = name[: hit.start() - 1].split(".")[-1]
            return own not in _NOBODYS_TENANT and not is_kind_only(own)
        hit = _TENANTS.search(name, hit.start() + 1)
    return False


# ---- machines without a domain --------------------------------------------------------------------------------------

_ENVIRONMENT_NEEDLES: Final = (
    "prod",
    "prd-",
    "-prd",
    "stag",
    "stg-",
    "-stg",
    "uat-",
    "-uat",
    "-qa",
    "qa-",
    "-dev",
    "dev-",
    "corp-",
)
_MACHINE_BACKWARDS: Final = re.compile(r"[a-z0-9-]{0,60}")
_MACHINE: Final = re.compile(r"[a-z0-9-]{0,60}")


def _machines(lower: str, vocabulary: Vocabulary) -> Iterator[Found]:
    """`prod-db-01`: an environment, a role and a number."""
    done = -1
    for at in sorted(places(lower, vocabulary.said(_ENVIRONMENT_NEEDLES))):
        if at < done:
            continue
        before = _MACHINE_BACKWARDS.match(lower[max(0, at - 60) : at][::-1])
        behind = _MACHINE.match(lower, at)
        start = at - (before.end() if before else 0)
        end = behind.end() if behind else at
        done = end
        name = lower[start:end]
        if "-" not in name or (start and (lower[start - 1].isalnum() or lower[start - 1] in "_./$\\")):
            continue
        if lower[end : end + 1] in ("_", "(", "/") or re.match(r"\.\w", lower[end : end + 2]):
            continue
        if _is_machine(name):
            yield Found(start, end, LABEL)


def _is_machine(name: str) -> bool:
    stems = _stems(name)
    numbered = name[-1].isdigit() or any(
        word[-1:].isdigit() and stem in _ROLES for word, stem in zip(name.split("-"), stems, strict=True)
    )
    return (
        numbered
        and any(stem in _ENVIRONMENTS or stem == "dev" for stem in stems)
        and any(stem in _ROLES for stem in stems)
    )


# ---- what stands before it ------------------------------------------------------------------------------------------

_NAME: Final = r"(?P<name>[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?){0,8})(?![\w-]|\.\w|\()"
_URL: Final = re.compile(rf"://(?:[^\s/@'\"<>]{{0,120}}@)?{_NAME}")
_MORE: Final = re.compile(rf"(?::\d{{2,5}})?,{_NAME}")
_AFTER_SCHEME: Final = frozenset(
    {"http", "https", "file", "urn", "data", "git", "chrome", "about", "vscode", "app", "s3", "gs"}
)
_NO_MACHINES_SCHEMES: Final = frozenset(
    """
    s3 s3a s3n gs wasb wasbs abfs abfss r2 oss dbfs file urn data chrome about app vscode op vault docker oci doi
    """.split()  # noqa: SIM905
)
"""What follows them is a bucket, a file or an entry of a store."""
_SET: Final = re.compile(
    r"(?:host(?:_?name)?s?|servers?|addr(?:ess)?|data source|brokers?|endpoint)[\"']?"
    rf"(?:[ \t]{{0,3}}[:=][ \t]{{0,3}}[\"'`\[]{{0,2}}|[ \t]+)(?:tcp:)?{_NAME}"
)
_SET_WORDS: Final = ("host", "server", "addr", "data source", "broker", "endpoint")
_COMMAND: Final = re.compile(
    rf"(?:ssh|scp|sftp|ping|telnet|nslookup|traceroute|mosh|rsync|psql|mysql|mongosh?|redis-cli|ldapsearch|nc|rdp|mstsc)\b"
    rf"(?:[ \t]+-{{1,2}}[a-z][\w=./~-]*(?:[ \t]+[\w./~-]+\b(?=[ \t]+\S))?){{0,4}}[ \t]+(?:[\w.-]{{1,40}}@)?{_NAME}"
)
_COMMANDS: Final = (
    "ssh ",
    "scp ",
    "sftp ",
    "ping ",
    "telnet ",
    "nslookup ",
    "traceroute ",
    "mosh ",
    "rsync ",
    "psql ",
    "mysql ",
    "mongo",
    "redis-cli ",
    "ldapsearch ",
    "nc ",
)
_AT: Final = re.compile(rf"@{_NAME}(?=:(?:\d{{2,5}}(?!\d)|[/~]|[\w.-]+/))")
_UNC: Final = re.compile(
    r"\\\\(?:\\\\)?(?P<name>(?!x[0-9a-f]{2}|"
    r"u[0-9a-f]{4})[a-z][a-z0-9-]{2,30}(?:\.[a-z0-9-]+){0,5})\\{1,2}[a-z0-9_$][\w$ .-]*"
)
_MARKED: Final = re.compile(r"[\d.-]")
_PRIVATE_NETWORKS: Final = ("10.", "172.", "192.168.")
_HOSTS_FILE: Final = re.compile(
    r"\d{1,3}(?:\.\d{1,3}){3}[ \t]+(?P<names>[a-z0-9][a-z0-9.-]*(?:[ \t]+[a-z0-9][a-z0-9.-]*){0,6})[ \t]*(?"
    r":#[^\n]*)?(?:\n|\Z)"
)
_NO_MACHINES: Final = frozenset(
    """
    localhost localhost4 localhost6 ip6-localhost ip6-loopback broadcasthost mysql postgres postgresql redis mongo mongodb
    rabbitmq kafka elasticsearch memcached db database web api app server host hostname none null true false undefined string
    """.split()  # noqa: SIM905
)
_NOT_NAMED_SO: Final = re.compile(
    r"(?:[a-z]{1,9}-?)?v?\d+(?:\.\d+)*|(?:utf|sha|iso|rfc|md|python|node|win|http|ipv?|x|arm|amd)-?\d+.*|\d.*"
)


def _told(lower: str, vocabulary: Vocabulary) -> Iterator[Found]:
    """Names behind a word, a scheme or a mark that says what they are."""
    for at in places(lower, ("://",)):
        if hit := _URL.match(lower, at):
            begin = lower[max(0, at - 20) : at]
            scheme = re.split(r"[^a-z0-9+.]", begin)[-1]
            scheme = scheme.rpartition("+")[0] or scheme
            if scheme in _NO_MACHINES_SCHEMES:
                continue
            yield from _named(lower, hit, web=scheme.rpartition(":")[2] in _AFTER_SCHEME)
            end = hit.end()
            while more := _MORE.match(lower, end):
                yield from _named(lower, more, web=False, loose=True)
                end = more.end()
    for words, pattern in ((_SET_WORDS, _SET), (_COMMANDS, _COMMAND)):
        for at in places(lower, vocabulary.said(words)):
            if at and pattern is _COMMAND and (lower[at - 1].isalnum() or lower[at - 1] in "-_./"):
                continue
            if hit := pattern.match(lower, at):
                yield from _named(lower, hit, web=False, loose=pattern is _SET)
    for at in places(lower, ("@",)):
        if at and (lower[at - 1].isalnum() or lower[at - 1] in "_.-") and (hit := _AT.match(lower, at)):
            yield from _named(lower, hit, web=False)
    for at in places(lower, ("\\\\",)):
        if not (at and lower[at - 1].isalnum()) and (hit := _UNC.match(lower, at)) and _MARKED.search(hit["name"]):
            if is_kind_only(hit["name"]):
                continue
            yield Found(*hit.span("name"), LABEL)
    yield from _hosts_file(lower)


def _hosts_file(lower: str) -> Iterator[Found]:
    """`/etc/hosts`: an address of a private network at a line's start, and names alone behind it."""
    for at in places(lower, _PRIVATE_NETWORKS):
        start = lower.rfind("\n", 0, at) + 1
        if lower[start:at].strip() or not (hit := _HOSTS_FILE.match(lower, at)):
            continue
        at = hit.start("names")
        for name in re.finditer(r"\S+", hit["names"]):
            own = name[0] not in _NO_MACHINES and not _is_public(name[0])
            if own and _MARKED.search(name[0]) and any(map(str.isalpha, name[0])):
                yield Found(at + name.start(), at + name.end(), LABEL)


def _named(lower: str, hit: re.Match[str], web: bool, loose: bool = False) -> Iterator[Found]:
    """What a place says is a host, unless it is everybody's. web: in a URL for browsers, where most hosts are. loose: by a
    word that stands before much else.
    """
    name = hit["name"]
    if name in _NO_MACHINES or name in _EVERYBODYS or _is_public(name) or ("." not in name and is_kind_only(name)):
        return
    if "." in name:
        labels = name.split(".")
        top = labels[-1]
        if not web and (top in _ZONES or top in _USUAL_TOPS) and labels[0] not in _CODE_HEADS and len(labels[-2]) > 1:
            yield Found(*hit.span("name"), LABEL)
        return
    if "_" in name or not any(map(str.isdigit, name)) or (_NOT_NAMED_SO.fullmatch(name) and not _numbered_role(name)):
        return
    if loose and len(name.split("-")) < 3:  # `host1`, `node-2` of a document
        return
    if _numbered_role(name) or ("-" in name and name[-1].isdigit()):
        yield Found(*hit.span("name"), LABEL)


def _numbered_role(name: str) -> bool:
    return name[-1].isdigit() and any(stem in _ROLES and stem != "" for stem in _stems(name)) and len(name) >= 4


def _is_in_examples(labels: list[str]) -> bool:
    """Whether one of the labels is what standards and documents write names of examples with."""
    return (
        not _RESERVED.isdisjoint(labels)
        or not _IN_EXAMPLES.isdisjoint(labels[-3:])
        or any(is_sample_name(label) or _is_sample_instance(label) for label in labels)
    )


_INSTANCE: Final = re.compile(r"(?:ec2|ip)-(\d{1,3})-(\d{1,3})-(\d{1,3})-(\d{1,3})")
_IN_DOCUMENTS: Final = ((192, 0, 2), (198, 51, 100), (203, 0, 113))  # RFC 5737


def _is_sample_instance(label: str) -> bool:
    hit = _INSTANCE.fullmatch(label)
    octets = tuple(map(int, hit.groups())) if hit else ()
    return bool(octets) and (octets[:3] in _IN_DOCUMENTS or is_sample_address(octets))


def _is_public(name: str) -> bool:
    labels = name.split(".")
    return _is_in_examples(labels) or (registered(labels) in PUBLIC_DOMAINS and not _is_tenants(name, labels))


def hosts(text: str, lower: str, vocabulary: Vocabulary) -> Iterator[Found]:
    """lower: the text in small letters, at the same length. vocabulary: its own."""
    yield from _dotted(text, lower)
    yield from _machines(lower, vocabulary)
    yield from _told(lower, vocabulary)
