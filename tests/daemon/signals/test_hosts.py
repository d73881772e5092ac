"""Names of machines that are not for everybody, and what only looks like one."""

from __future__ import annotations

import pytest

from daemon.signals.hosts import hosts
from daemon.signals.overlaps import Vocabulary
from tests.fakes.growth import grows_with_length_alone


def found(text: str) -> list[str]:
    hits = sorted((hit.start, hit.end) for hit in hosts(text, text.lower(), Vocabulary(text.lower())))
    return list(dict.fromkeys(text[start:end] for start, end in hits))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("connect to db-prod-03.nordhof.io:5432", "db-prod-03.nordhof.io"),
        ("DB_HOST=orders-db.nordhof.internal", "orders-db.nordhof.internal"),
        ("host: pg-main.lindgren.net", "pg-main.lindgren.net"),
        ('"host": "pg.lindgren.com"', "pg.lindgren.com"),
        ("https://jenkins.nordhof.io/job/x", "jenkins.nordhof.io"),
        ("https://api.staging.lindgren.io/v1", "api.staging.lindgren.io"),
        ("api-internal.lindgren.com", "api-internal.lindgren.com"),
        ("redis://cache01.lindgren.corp:6379/0", "cache01.lindgren.corp"),
        ("amqp://rabbit@mq-2.lindgren.eu:5672", "mq-2.lindgren.eu"),
        ("jdbc:postgresql://pg-prod.lindgren.com:5432/x", "pg-prod.lindgren.com"),
        ("ldap://ldap.lindgren.com", "ldap.lindgren.com"),
        ("Data Source=tcp:sql01.lindgren.net,1433", "sql01.lindgren.net"),
        ("git@code.lindgren.net:team/x.git", "code.lindgren.net"),
        ("\\\\SRV-FILES\\HR\\pay.xlsx", "SRV-FILES"),
        ("prod-db-01 is down", "prod-db-01"),
        ("restart staging-web-2 now", "staging-web-2"),
        ("ping fra-web-12", "fra-web-12"),
        ("http://prod-es-02:9200/_cat", "prod-es-02"),
        ("orders.payments.svc.cluster.local", "orders.payments.svc.cluster.local"),
        ("payments.prod.svc", "payments.prod.svc"),
        ("nas.lindgren.lan", "nas.lindgren.lan"),
        ("mara-mbp.local", "mara-mbp.local"),
        ("metrics.internal:9090", "metrics.internal"),
        ("ip-10-0-3-4.ec2.internal", "ip-10-0-3-4.ec2.internal"),
        ("dc01.ad.lindgren.co.uk", "dc01.ad.lindgren.co.uk"),
        ("lindgren.atlassian.net", "lindgren.atlassian.net"),
        ("lindgrenprod.blob.core.windows.net", "lindgrenprod.blob.core.windows.net"),
        ("orders.c9akciq32.eu-west-1.rds.amazonaws.com", "orders.c9akciq32.eu-west-1.rds.amazonaws.com"),
        ("482913056712.dkr.ecr.us-east-1.amazonaws.com/x", "482913056712.dkr.ecr.us-east-1.amazonaws.com"),
    ],
)
def test_a_machine_is_found(text: str, name: str) -> None:
    """By its zone, by what it says it is for, or by what stands before it."""
    assert found(text) == [name]


def test_all_of_several_brokers_are_found() -> None:
    """Behind the first, and each line of a hosts file."""
    assert found("mongodb://u:p@m1.lindgren.net,m2.lindgren.net:27017/x") == ["m1.lindgren.net", "m2.lindgren.net"]
    assert found("10.1.2.3 db1.lindgren.net db-1\n") == ["db1.lindgren.net", "db-1"]


@pytest.mark.parametrize(
    "text",
    [
        "import sun.nio.ch.internal",
        "threading.local() and self.local = x, settings.local",
        "com.google.internal.Foo, foo.bar.internal = 3",
        "see docs.python.org and https://api.stripe.com/v1",
        "smtp.gmail.com:587 and host='localhost'",
        "example.internal, db.example.com, your-domain.com",
        "prod-us-east-1, utf-8, sha-256, node-18, stage-1 build, production-ready code-2",
        "host = self.host; server = http.server.HTTPServer(); server.listen(3000)",
        "config.prod.js, app.prod.py, test.db.py, prod/web-01.yaml",
        "redis://localhost:6379, postgres://user@db:5432/x, broker=host1:9092, node1",
        "https://www.lindgren.com/about and www.lindgren.com",
        "user.home, java.util.logging.private, os.environ.home",
        "host.docker.internal:8080, kubernetes.default.svc",
        "ssh-keygen -t ed25519, ssh key, ping pong, kubectl -n prod get pods",
        "node.js, asp.net, socket.io, web.dev, a.b.com()",
        "r'\\\\d+\\\\w+' and '\\\\x00-\\\\x1f' and C:\\\\Users\\\\x",
        "db.session.info, redis.asyncio.client, request.host.name",
    ],
)
def test_what_only_looks_like_a_machine_is_left_alone(text: str) -> None:
    """Code, files, hosts of domains that everybody uses, and names of examples."""
    assert found(text) == []


@pytest.mark.parametrize(
    "unit", ["a.", "a-", "prod-", "://a", "host=", "\\\\a", "@a:", "10.1.1.1 a ", ".com", "ssh -a "]
)
def test_time_grows_with_length_alone(unit: str) -> None:
    """No text makes a pattern go back and forth."""
    assert grows_with_length_alone(found, unit)
