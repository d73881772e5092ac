"""The texts of `nearloop bench leak`: made-up values in every class, in several languages, and look-alikes that are nobody's.

`tests/bench/write_leak_rows.py` writes them to assets/bench/leak.jsonl, which is what is shipped.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from itertools import cycle
from typing import Final

from daemon.leakage.rows import Row, Value
from tests.fakes.canary_values import KINDS, value
from tests.fakes.leak_languages import LANGUAGES, TYPES

SEED: Final = 20
PER_LANGUAGE: Final = 60
PER_SECRET: Final = 8
_SLOT: Final = re.compile(r"\{(\w+)\}")
_TYPE_OF: Final = {
    "mail address": "email", "card": "card", "IBAN": "iban", "phone": "phone", "vendor key": "api_key",
    "key without a form": "api_key", "name": "person", "street address": "address", "employee id": "employee_id",
    "host": "hostname",
}  # fmt: skip


def rows() -> list[Row]:
    """All of them, always the same."""
    dice = random.Random(SEED)
    found = [row for name in LANGUAGES for row in _language(name)]
    found += _secrets(dice)
    found += _code(dice)
    found += _implicit()
    found += [Row(text, (), "harmless") for text in HARMLESS]
    found += [Row(text, (), "harmless", code=code) for code, text in HARMLESS_CODE]
    return found


def filled(
    frame: str, values: dict[str, Iterator[tuple[str, str]]], group: str, language: str = "", code: str = ""
) -> Row:
    """A frame with its slots filled, each with the next (type, text) of its kind."""
    out: list[str] = []
    marks: list[Value] = []
    at = size = 0
    for slot in _SLOT.finditer(frame):
        type, text = next(values[slot[1]])
        out += (frame[at : slot.start()], text)
        size += slot.start() - at
        if type:
            marks.append(Value(type, text, size, size + len(text)))
        size += len(text)
        at = slot.end()
    out.append(frame[at:])
    return Row("".join(out), tuple(marks), group, language, code)


def _language(name: str) -> list[Row]:
    language = LANGUAGES[name]
    values = {letter: cycle([(TYPES[letter], text) for text in texts]) for letter, texts in language.values.items()}
    frames = cycle(language.frames)
    return [filled(next(frames), values, f"pii, {name}", name) for _ in range(PER_LANGUAGE)]


def _values(kind: str, dice: random.Random) -> Iterator[tuple[str, str]]:
    while True:
        yield _TYPE_OF[kind], value(kind, dice).text


def _secrets(dice: random.Random) -> list[Row]:
    letters = {
        "mail": "mail address", "card": "card", "iban": "IBAN", "phone": "phone", "vendor": "vendor key",
        "key": "key without a form", "name": "name", "street": "street address", "employee": "employee id", "host": "host",
    }  # fmt: skip
    assert set(letters.values()) == set(KINDS) - {"own word"}
    values = {slot: _values(kind, dice) for slot, kind in letters.items()}
    values["password"] = cycle([("password", text) for text in PASSWORDS])
    frames = [frame for frame in SECRET_FRAMES for _ in range(PER_SECRET // 2)]
    found = [filled(frame, values, "secrets") for frame in frames]
    return [*found, *(filled(frame, values, "numbers") for frame in NUMBER_FRAMES for _ in range(PER_SECRET // 2))]


def _code(dice: random.Random) -> list[Row]:
    values: dict[str, Iterator[tuple[str, str]]] = {
        "name": _values("name", dice),
        "mail": _values("mail address", dice),
        "vendor": _values("vendor key", dice),
        "host": _values("host", dice),
        "function": cycle([("function_name", text) for text in FUNCTIONS]),
        "project": cycle([("project_name", text) for text in PROJECTS]),
        "table": cycle([("table_name", text) for text in TABLES]),
        "password": cycle([("password", text) for text in PASSWORDS]),
    }
    return [filled(text, values, "code", code=code) for code, text in CODE_FRAMES for _ in range(4)]


def _implicit() -> list[Row]:
    found = []
    for text, facts in IMPLICIT:
        marks = tuple(Value("fact", fact, text.index(fact), text.index(fact) + len(fact)) for fact in facts)
        found.append(Row(text, marks, "implicit"))
    return found


PASSWORDS: Final = (
    "Tr0ub4dor&3x",
    "wintergarden-29",
    "8hG!pqL2zz",
    "Kaffeepause!77",
    "s3lf-made-bread",
    "correct horse 42 staple",
)
FUNCTIONS: Final = ("rebalance_vault_shards", "computeChurnPenalty", "merge_quillon_batches", "applyFerryDiscount")
PROJECTS: Final = ("Project Halcyon", "Kestrel-Atlas", "Operation Tidewater", "Nimbus Orchard")
TABLES: Final = ("hr.salary_bands_2024", "crm_ferry_contracts", "tbl_quillon_ledger", "payroll_adjustments")

SECRET_FRAMES: Final = (
    'Why does this fail?\nexport SERVICE_TOKEN={vendor}\ncurl -H "Authorization: Bearer $SERVICE_TOKEN" https://example.com',
    "[default]\naws_access_key_id = {vendor}\naws_secret_access_key = {key}\nregion = eu-central-1",
    "The password of the staging box is {password}, the host is {host}.",
    "DATABASE_URL=postgres://app:{key}@{host}:5432/orders",
    '{{"apiKey": "{vendor}", "retries": 3}} gives me 401, what is wrong?'.replace("{{", "{").replace("}}", "}"),
    "ssh deploy@{host} says: permission denied (publickey). What can I try?",
    "Helm values:\n  signingSecret: {key}\n  replicas: 2\n  url: https://{host}/health",
    "I accidentally committed {vendor} to the repository, how do I remove it from the history?",
    "login: {mail}\npassword: {password}\nplease write a test for this form",
    "The webhook signature is computed with {key}; show me how to verify it in Go.",
)
NUMBER_FRAMES: Final = (
    "Please refund the card {card} of {name}.",
    "Transfer 300 euros to {iban} until Friday, in favour of {name}.",
    "Customer {name}, {street}, called from {phone} and wants a callback.",
    "Employee id {employee} is {name}, whose badge was stolen in the canteen.",
    "| name | mail | phone |\n|---|---|---|\n| {name} | {mail} | {phone} |\n| {name} | {mail} | {phone} |",
)
CODE_FRAMES: Final = (
    ("python", "OWNER = {name!r}\n\n\ndef {function}(rows):\n    # ask {mail} before changing this\n    return [row for row in rows if row]\n"
     .replace("{name!r}", "'{name}'")),
    ("python", "import os\n\nTOKEN = \"{vendor}\"  # TODO: move\nHOST = \"{host}\"\n\n\ndef connect():\n    return os.environ.get(\"HOST\", HOST)\n"),
    ("python", "def report(session):\n    \"\"\"For {project}.\"\"\"\n    return session.execute(\"SELECT * FROM {table} WHERE year = 2024\")\n"),
    ("json", "{{\n  \"maintainer\": \"{name}\",\n  \"contact\": \"{mail}\",\n  \"version\": \"2.14.0\",\n  \"port\": 8080\n}}"
     .replace("{{", "{").replace("}}", "}")),
    ("sql", "-- {project}\nSELECT id, total FROM {table} WHERE owner = '{mail}' ORDER BY id;"),
    ("go", "// written by {name}\nfunc main() {\n\tclient := New(\"{host}\", \"{password}\")\n\tdefer client.Close()\n}"),
    ("javascript", "// {project}\nconst mailer = create({{ user: '{mail}', pass: '{password}' }});\nexport function {function}() {{}}"
     .replace("{{", "{").replace("}}", "}")),
    ("yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  owner: {mail}\n  endpoint: {host}\n"),
)  # fmt: skip
IMPLICIT: Final = (
    ("I am the only female glass blower on the island of Fehmarn and my workshop burned down in May 2023. How do I word my claim?",
     ("only female glass blower on the island of Fehmarn", "burned down in May 2023")),
    ("My husband was the harbour master who testified in the ferry trial. Help me write to his lawyer.",
     ("harbour master who testified in the ferry trial",)),
    ("Our start-up sells the only insulin patch approved in Norway, and we lost our lead investor last week.",
     ("only insulin patch approved in Norway", "lost our lead investor last week")),
    ("As the goalkeeper of the village team that lost the cup final 9 to 0, I want to answer a journalist.",
     ("goalkeeper of the village team that lost the cup final 9 to 0",)),
    ("I teach Latin at the school whose roof collapsed this winter. Draft a letter to the parents.",
     ("teach Latin at the school whose roof collapsed this winter",)),
    ("My aunt won the lottery twice and lives next to the lighthouse. May she keep her pension?",
     ("won the lottery twice", "lives next to the lighthouse")),
    ("I'm the judge in the whale-strandings case and need a neutral summary of both positions.",
     ("judge in the whale-strandings case",)),
    ("We run the last cinema in the valley, with 43 seats, and our landlord is the mayor's brother.",
     ("last cinema in the valley, with 43 seats", "landlord is the mayor's brother")),
    ("The surgeon who replaced my hip in the clinic by the lake forgot a swab. What are my rights?",
     ("surgeon who replaced my hip in the clinic by the lake",)),
    ("I was the intern who leaked the fare table to the press in 2019. Should I mention it when I apply?",
     ("intern who leaked the fare table to the press in 2019",)),
)  # fmt: skip
HARMLESS: Final = (
    "How do bridges carry weight?",
    "Write a haiku about rain on a tin roof.",
    "Explain the difference between TCP and UDP to a ten-year-old.",
    "Order 4711-2024 was shipped, invoice 20240517-0034 is attached.",
    "Release 3.11.4 fixes the bug of 3.11.3; upgrade from 2.7.18 first.",
    "The commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b breaks the build.",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "The request 7d9f4c1e-3b52-4a8e-9c40-1f2e8a6b7d05 timed out after 30000 ms.",
    "Use admin@example.com and https://example.org/login in the documentation.",
    "export API_KEY=YOUR_API_KEY_HERE",
    "curl http://127.0.0.1:8080/healthz and http://localhost:3000 both answer 200.",
    "2024-03-18T14:22:07.318Z INFO worker 12 finished in 4821 ms",
    "Die Zugverbindung dauert 3 Stunden und 25 Minuten.",
    "Quelle est la différence entre un imparfait et un passé composé ?",
    "¿Cuántos gramos de harina lleva un bizcocho?",
    "서울의 날씨는 어떤가요?",
    "日本で一番高い山は何ですか？",
    "请解释一下量子力学的基本原理。",
    "Shakespeare wrote Hamlet around 1600; Goethe finished Faust in 1831.",
    "Is Python faster than JavaScript for this? Claude said it depends.",
    "The capital of Australia is Canberra, not Sydney.",
    "Mix 250 g of flour with 125 ml of milk at 180 degrees for 45 minutes.",
    "pip install numpy==2.1.3 --index-url https://pypi.example/simple",
    "The array has shape (32, 128, 768) and 3145728 elements.",
    "ISBN 978-3-16-148410-0 is an example from the standard.",
    "The Fibonacci numbers: 1 1 2 3 5 8 13 21 34 55 89 144 233 377 610",
    "rgba(34, 139, 34, 0.5) and #228B22 are the same green.",
    "Temperature 23.5, humidity 41, pressure 1013.25, wind 12 from 270.",
    "kubectl get pods -n kube-system | grep coredns",
    "git rebase --onto main feature~3 feature",
    "docker run --rm -p 8080:80 nginx:1.27-alpine",
    "The port 5432 is PostgreSQL's, 6379 that of Redis, 27017 that of MongoDB.",
    "ERROR 1045 (28000): Access denied for user 'root'@'localhost'",
    "What does the HTTP status 418 mean?",
    "Translate 'good morning' into German, French and Japanese.",
    "Summarise the plot of Moby-Dick in three sentences.",
    "Which is larger, 9.11 or 9.9?",
    "Give me five names for a black cat.",
    "A patient presents with fever and a rash; list common causes.",
    "Section 230 and Article 6(1)(f) are often cited; explain both.",
    "MAC 00:1A:2B:3C:4D:5E belongs to the vendor's range.",
    'version = "0.14.2"\nedition = "2021"',
    "The meeting is on Monday at 10:30 in room 4.12.",
    "Please proofread: 'Their going to there house over they're.'",
    "x = 3; y = x**2 + 4*x - 5; what are the roots?",
    "SELECT name, count(*) FROM users GROUP BY name HAVING count(*) > 1;",
    "The flight takes 11 h 35 min and crosses 8 time zones.",
    "Lorem ipsum dolor sit amet, consectetur adipiscing elit.",
    "Rate limit: 60 requests per minute, burst 100, window 3600 s.",
    "10.0.0.0/8, 172.16.0.0/12 and 192.168.0.0/16 are private networks.",
    "The model has 135000000 parameters and a context of 8192 tokens.",
    "Bearer tokens are sent in the header Authorization, as RFC 6750 says.",
    "a1b2c3d4e5f6 is not a password, it is a placeholder.",
    "Build 20240611.3 of the pipeline took 00:14:52.",
    "She sells sea shells by the sea shore.",
    "Bitte übersetze: Das Glück ist mit den Tüchtigen.",
    "Le chat dort sur le tapis rouge.",
    "Bundesstraße 27 ist wegen Bauarbeiten gesperrt.",
    "La calle estaba vacía y llovía desde las 7.",
    "고맙습니다, 다시 설명해 주세요.",
    "エラーメッセージの意味を教えてください。",
    "这个函数的时间复杂度是多少？",
)
HARMLESS_CODE: Final = (
    ("python", "import hashlib\n\nDIGEST = \"5d41402abc4b2a76b9719d911017c592\"\n\n\ndef check(data: bytes) -> bool:\n    return hashlib.md5(data).hexdigest() == DIGEST\n"),
    ("python", "class Client:\n    def __init__(self, host: str = \"localhost\", port: int = 8080) -> None:\n        self.host = host\n        self.port = port\n"),
    ("python", "@decorator\ndef send(to=\"user@example.com\"):\n    matrix = a @ b.T\n    return matrix\n"),
    ("json", "{\"name\": \"demo\", \"version\": \"1.2.3\", \"integrity\": \"sha512-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b\"}"),
    ("python", "UUID = \"550e8400-e29b-41d4-a716-446655440000\"\nPI = 3.141592653589793\nLIMIT = 1_000_000_007\n"),
    ("python", "def test_parse():\n    assert parse(\"2024-01-31 23:59:59\") == 1706745599\n    assert parse(\"00:00\") == 0\n"),
    ("json", "[1700000000, 1700003600, 1700007200]"),
    ("javascript", "const re = /^[\\w.+-]+@[\\w-]+\\.[a-z]{2,}$/i;\nexport default re;"),
)  # fmt: skip
