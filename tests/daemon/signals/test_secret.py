"""What opens something, and what only looks like it. No value here opens anything; they are joined so that scanners sleep."""

from __future__ import annotations

import itertools
from base64 import urlsafe_b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.signals.secret import Secrets
from tests.fakes.growth import grows_with_length_alone

FIND = Secrets().find
RANDOM = "q7Zt2MvB9xKc4LwYp8RnD3sFhG6jTa5EuXk1"
HEX = "9f86d081884c7d659a2feaa0c55ad015"
WEB_TOKEN = ".".join(
    urlsafe_b64encode(part).decode().rstrip("=") for part in (b'{"alg":"HS256"}', b'{"sub":"mara"}', b"sign" * 8)
)
BODY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC" + "\n" + RANDOM * 2
KEY = "-----BEGIN " + "RSA PRIVATE KEY-----\n" + BODY + "\n-----END RSA PRIVATE KEY-----"


def found(text: str) -> list[tuple[str, str]]:
    return [(hit.label, text[hit.start : hit.end]) for hit in FIND(text)]


@pytest.mark.parametrize(
    ("label", "key"),
    [
        ("AWS_ACCESS_KEY", "AK" + "IAQ3EGRIRUJ7XYZ2AB"),
        ("GITHUB_TOKEN", "gh" + "p_" + RANDOM),
        ("GITHUB_TOKEN", "github" + "_pat_" + RANDOM),
        ("GITLAB_TOKEN", "gl" + "pat-" + RANDOM[:20]),
        ("SLACK_TOKEN", "xo" + "xb-123456789012-" + RANDOM[:24]),
        ("STRIPE_KEY", "sk" + "_live_" + RANDOM[:24]),
        ("GOOGLE_API_KEY", "AI" + "za" + RANDOM[:35]),
        ("ANTHROPIC_KEY", "sk" + "-ant-api03-" + RANDOM),
        ("OPENAI_KEY", "sk" + "-proj-" + RANDOM),
        ("HUGGINGFACE_TOKEN", "h" + "f_" + RANDOM[:34]),
        ("NPM_TOKEN", "np" + "m_" + RANDOM),
        ("PYPI_TOKEN", "pypi" + "-AgE" + RANDOM * 2),
        ("TWILIO_KEY", "S" + "K" + HEX),
        ("SENDGRID_KEY", "S" + "G." + RANDOM[:22] + "." + RANDOM + RANDOM[:7]),
        ("AZURE_KEY", "Account" + "Key=" + RANDOM * 2 + "=="),
        ("NEARLOOP_TOKEN", "n" + "l_" + RANDOM),
        ("JWT", WEB_TOKEN),
        ("TELEGRAM_TOKEN", "123456789" + ":AA" + RANDOM[:33]),
        ("TERRAFORM_TOKEN", RANDOM[:14] + ".atlasv1." + RANDOM + RANDOM[:26]),
        ("DIGITALOCEAN_TOKEN", "do" + "p_v1_" + HEX * 2),
    ],
)
def test_a_vendors_key_is_found_wherever_it_stands(label: str, key: str) -> None:
    """Alone, quoted, in a sentence and in a URL, the whole key and no more."""
    for text in (key, f'x = "{key}"', f"use {key}, please", f"https://x.invalid/?k={key}&n=1"):
        assert (label, key) in found(text), text


def test_a_private_key_is_found_whole() -> None:
    """From its first dash to before the line that says what it was, also with escaped line feeds, and if its end was cut."""
    cut = KEY[: KEY.index("\n-----END")]
    assert found(f"key:\n{KEY}\nbye") == [("PRIVATE_KEY", cut)]
    escaped = KEY.replace("\n", "\\n")
    assert found(f'{{"private_key": "{escaped}"}}') == [("PRIVATE_KEY", cut.replace("\n", "\\n"))]
    assert found(cut) == [("PRIVATE_KEY", cut)]


def test_an_aws_secret_is_found_next_to_its_id() -> None:
    """Forty characters say nothing alone; beside an id they do."""
    secret = RANDOM + "a/B+"
    id = "AK" + "IAQ3EGRIRUJ7XYZ2AB"

    assert found(f"{id},{secret}") == [("AWS_ACCESS_KEY", id), ("AWS_SECRET_KEY", secret)]
    assert found(f"digest {secret}") == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("password = hunter2", "hunter2"),
        ("PASSWORD=hunter2!", "hunter2!"),
        ("DB_PASSWORD=correcthorse\n", "correcthorse"),
        ("password: correcthorse\n", "correcthorse"),
        ("my password is hunter2.", "hunter2"),
        ("password='letmein'", "letmein"),
        ('password: str = "hunter2"', "hunter2"),
        ('if password == "hunter2":', "hunter2"),
        ("run --password hunter2 now", "hunter2"),
        ("run --token=a8f3k2m9q1", "a8f3k2m9q1"),
        ('"password": "hunter2"', "hunter2"),
        ('{\\"password\\": \\"hunter2\\"}', "hunter2"),
        ("<password>hunter2</password>", "hunter2"),
        ("Server=x;User Id=sa;Password=Tr0ub4dor&3;", "Tr0ub4dor&3"),
        ('passphrase: "correct horse battery 9"', "correct horse battery 9"),
        ('setProperty("api_token", "a8f3k2m9q1xz")', "a8f3k2m9q1xz"),
        (f"aws_secret_access_key = {RANDOM}a/B+", RANDOM + "a/B+"),
        (f"secret key: {RANDOM}", RANDOM),
        (f"AWS Secret Access Key [None]: {RANDOM}", RANDOM),
        (f"const apiKey = '{HEX}'", HEX),
        (f"X-Api-Key: {HEX}", HEX),
        ("Authorization: Bearer " + RANDOM, RANDOM),
        ('"Authorization": "Basic bWFyYTpodW50ZXIy"', "bWFyYTpodW50ZXIy"),
        ("postgres://app:S3cr3t-x@db.nordhof.net:5432/x", "S3cr3t-x"),
        ("redis://:p4ssw0rd@cache:6379/0", "p4ssw0rd"),
        ("mysql+pymysql://root:p/w@1@10.1.2.3/x", "p/w@1"),
        ("curl -u mara:hunter2 https://x.invalid", "hunter2"),
        ("sshpass -p hunter2 ssh x", "hunter2"),
        ("пароль: Зима2024!", "Зима2024!"),
        ("密码：", ""),
    ],
)
def test_a_named_secret_is_found(text: str, value: str) -> None:
    """The value alone, and nothing else."""
    assert [text[hit.start : hit.end] for hit in FIND(text)] == ([value] if value else [])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "api_key = YOUR_API_KEY_HERE",
        "token: <token>",
        "password=${DB_PASSWORD}",
        "password = os.environ['DB_PASSWORD']",
        "const token = process.env.TOKEN",
        "password: xxxxxxxx",
        "password: ********",
        "password = changeme",
        "secret = '{{ vault.secret }}'",
        "export API_KEY=$(cat key)",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "AK" + "IAIOSFODNN7EXAMPLE",
        "gh" + "p_" + "x" * 36,
        "password: str",
        "password: SecretStr = Field(min_length=8)",
        "password = get_password(user)",
        "self.password = password",
        "login(user, password=user.password)",
        "max_tokens: 4096, token_count = 12345678",
        "tokenizer = AutoTokenizer.from_pretrained('x1y2z3a4b5')",
        "next_page_token: a8f3k2m9q1xz",
        "password is required",
        "forgot your password? password: required",
        "<password></password>",
        "primary_key=True, key = 'user_id', cache_key: 9f86d081",
        "token_url = 'https://auth.nordhof.net/oauth2/v1'",
        "secret_name: prod-db-2",
        "Authorization: Bearer <token>",
        "Authorization: Bearer $TOKEN",
        "basic authentication is simple",
        "https://nordhof.net:8080/@scope/pkg",
        "postgres://user:password@localhost/db",
        "postgres://postgres:postgres@localhost:5432/x",
        "postgres://{user}:{password}@{host}/x",
        "commit da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "id 550e8400-e29b-41d4-a716-446655440000",
        "sk-button-primary-large-rounded-outline",
        "eyJub3QiOiJhIn0.abc.def",
        "-----BEGIN " + "PRIVATE KEY-----\\n...\\n-----END PRIVATE KEY-----",
        "-----BEGIN CERTIFICATE-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END CERTIFICATE-----",
    ],
)
def test_what_only_looks_like_a_secret_is_left_alone(text: str) -> None:
    """Placeholders, expressions, names and hashes are no findings."""
    assert found(text) == []


WORDS = [*"abK1./+=:@-_ \n\"'<>{}$\\", "password", "token", "key", "://", "eyJ", "sk-", "bearer ", "-----BEGIN "]
SIGNS = st.lists(st.sampled_from(WORDS), max_size=100).map("".join)


@given(st.text() | SIGNS)
def test_any_text_is_read(text: str) -> None:
    """No error; hits in order, inside the text, none on another; the same each time."""
    hits = FIND(text)

    assert all(0 <= hit.start < hit.end <= len(text) for hit in hits)
    assert all(left.end <= right.start for left, right in itertools.pairwise(hits))
    assert FIND(text) == hits


@pytest.mark.parametrize(
    "unit",
    ["a", "=", " ", "password ", "password=", "token=", "token: '", "eyJ-", "eyJa.", "sk-", "://a:", "://", "curl -u ", "curl ", "bearer ",
     "-----BEGIN PRIVATE KEY-----", "-----BEGIN ", "bedrock-api-key-", "AccountKey=", "pass", "sig=", "Q~", ":AA", "-us1"],
)  # fmt: skip
def test_time_grows_with_length_alone(unit: str) -> None:
    """No text makes a pattern go back and forth: eight times the length is not more than twenty times the work."""
    assert grows_with_length_alone(FIND, unit)


def test_a_vendors_key_within_an_identifier_is_found() -> None:
    """From its own beginning on."""
    key = "gh" + "p_" + "q7Zt2MvB9xKc4LwYp8RnD3sFhG6jTa5EuXk1"
    assert found(f"ask_{key} now") == [("GITHUB_TOKEN", key)]
    assert found("my_ghp_variable_of_a_long_name_here_yes") == []


@pytest.mark.parametrize("value", ["aB(3x!kQ9", "$x9!kQ2w", "!m4T#kQ9", "{9xK!q2W", "[7pQ#w2E", "q2[W#e9K"])
def test_a_password_may_have_brackets_and_marks(value: str) -> None:
    """As generators make them: beside digits and other marks they make no expression, variable or tag."""
    assert found(f"DB_PASSWORD={value}") == [("PASSWORD", value)]
    assert found("PASSWORD=$DB_PASSWORD password: !vault x password=get(1) PASSWORD=${X} password = os.environ[") == []
