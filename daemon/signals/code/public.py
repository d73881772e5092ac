"""Names in code that are nobody's own: of languages and their libraries, and words.

The list is made by `edge_models.training.public_names`, from sources that assets/names/SOURCES.md names. It is read when
somebody first asks: 40 ms and 9 MB, which only those pay who have names in code masked.
"""

from __future__ import annotations

import lzma
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

_PACKAGE: Final = Path(__file__).resolve().parents[2]
_ENDINGS: Final = (
    ("s", ""), ("es", ""), ("ies", "y"), ("d", ""), ("ed", ""), ("ing", ""), ("ing", "e"), ("ly", ""), ("er", ""), ("r", ""),
)  # fmt: skip
_MARKS: Final = re.compile(r"[_$\-]+")
_MORE_WORDS: Final = """
airflow alpine amazon angular ansible apache apple apiserver apiversion appsettings argocd autoscaling aws azure
backoff bashrc bazel bigquery bitbucket bugfix cassandra changelog charset circleci claude cloudflare cloudformation
cloudwatch cmake cobol codex collation configmap configmaps containerd containerport cors cronjob cronjobs csv cuda
daemonset databricks datadog dbname debian deployment devcontainer devops django dns docker dockerfile dotenv dropdown
dynamodb ecmascript eks elasticsearch emptydir entrypoint env envfrom envoy eslint etcd excel expressjs fastapi
favicon fedora ffmpeg figma firebase flask flutter fortran freebsd frontend fullstack gcc gemini gemfile github gitlab
gitignore gke gmail golang gradle grafana graphql groovy grpc gunicorn hadoop haskell hbase healthcheck heroku
hostname hostpath hotfix html htmx http httpget https google ide imagepullpolicy initcontainers java javascript
influxdb ingress instagram ios ipad iphone ipynb istio iterm jdk jenkins jira jquery json junit jupyter jvm jwt kafka
kanban keras keycloak kibana kotlin kpi kubectl kubelet kubernetes labelselector lambda langchain laravel latex
linkedin linux livenessprobe loadbalancer lodash logstash luxon lua macos makefile mariadb markdown matchlabels matlab
matplotlib maven memcached metadata microservice microservices microsoft middleware minikube mkdocs mongodb mountpath
mysql namespace neovim nestjs netlify newrelic nextjs nginx node nodejs nodeport nodeselector npm numpy nuxt oauth
openai openapi opensearch openshift openssl openstack openvino oracle ora paypal pagerduty pandas
persistentvolumeclaim perl php playwright podman postgres postgresql powerpoint powershell prisma prometheus protobuf
pulumi pycharm pydantic pypi pytest python pytorch rabbitmq raspbian readme react readinessprobe readwriteonce redhat
redis redshift replicaset replicas requirements resttemplate rfc roadmap roboto ruby runbook rust saas salesforce
scala scikit sdk secretkeyref selenium sendgrid sentry serviceaccount serviceaccountname servlet setup sharepoint
shopify sklearn slack snowflake solr spark splunk springboot sql sqlalchemy sqlite sqlserver ssl ssh statefulset
storageclass storybook stripe svelte swagger swiftui symfony systemd tailwind targetport tcp tensorflow terraform tls
toml tomcat traefik travisci tsconfig twilio typescript ubuntu udp unix uri url utf uuid uvicorn vercel vim vite
vitest vmware volumemounts vscode vue vuejs webhook webhooks webpack websocket websockets wifi wikipedia windows
wordpress workflow workflows xcode xml yaml yarn youtube yml zookeeper zsh .split()
"""
_MORE: Final = frozenset(_MORE_WORDS.split())
"""Products, programs and keys of common files that the sources don't hold."""


class PublicNames:
    """names: keys of names, and of words that many of them have. words: English ones besides."""

    def __init__(self, names: frozenset[str], words: frozenset[str]) -> None:
        self._names = names
        self._words = words

    def knows(self, name: str) -> bool:
        """Whether a language, a library or many of their names have it, however it is written."""
        key = key_of(name)
        return key in self._names or key in _MORE or (key[-1:] == "s" and key[:-1] in self._names)

    def is_product(self, name: str) -> bool:
        """Whether it is a product's or a program's, of those that are listed here."""
        return name.lower() in _MORE

    def is_word(self, name: str) -> bool:
        """Whether it is a word of English, or a form of one. name: letters alone."""
        word = name.lower()
        return word in self._words or word in self._names or any(self._has(stem) for stem in _stems(word))

    def _has(self, stem: str) -> bool:
        return stem in self._words or stem in self._names


@cache
def public_names() -> PublicNames:
    """Those that are shipped."""
    inside = _PACKAGE / "assets" / "names"
    folder = inside if inside.is_dir() else _PACKAGE.parent / "assets" / "names"
    names, _, words = lzma.decompress((folder / "public.txt.xz").read_bytes()).decode().partition("\n\n")
    return PublicNames(frozenset(names.split("\n")), frozenset(words.split("\n")))


def key_of(name: str) -> str:
    """What two spellings of a name have in common."""
    return _MARKS.sub("", name).lower()


def _stems(word: str) -> Iterator[str]:
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) >= len(ending) + 3:
            yield word[: -len(ending)] + instead
