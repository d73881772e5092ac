"""Private values of every class that has a form of its own, and how spellings of them look."""

from __future__ import annotations

from typing import Final

VALUES: Final = (
    ("EMAIL_ADDRESS", "ada.byron@lovelace.dev"),
    ("EMAIL_ADDRESS", "ADA@LOVELACE.DEV"),
    ("PERSON", "Maria Keller"),
    ("PERSON", "maria keller"),
    ("PERSON", "Jean-Baptiste de la Fontaine-Moreau"),
    ("PERSON", "J. Q. Öztürk"),
    ("PERSON", "김민수"),
    ("PERSON", "王小明"),
    ("PERSON", "山田 太郎"),
    ("PERSON", "マリア"),
    ("PERSON", "Иван Петров"),
    ("ORGANIZATION", "Tannhauser Rocket GmbH"),
    ("PHONE_NUMBER", "+49 170 1234567"),
    ("PHONE_NUMBER", "(030) 555-0192 ext. 7"),
    ("CREDIT_CARD", "4111 1111 1111 1111"),
    ("CREDIT_CARD", "378282246310005"),
    ("IBAN_CODE", "DE89 3704 0044 0532 0130 00"),
    ("US_SSN", "123-45-6789"),
    ("BANK_ACCOUNT", "12345678"),
    ("IP_ADDRESS", "10.20.30.40"),
    ("IP_ADDRESS", "fe80::1ff:fe23:4567:890a"),
    ("DATE_OF_BIRTH", "12/03/1984"),
    ("DATE_OF_BIRTH", "31.12.1984"),
    ("DATE_OF_BIRTH", "March 12, 1984"),
    ("STREET_ADDRESS", "12 Hauptstrasse, 10115 Berlin"),
    ("OPENAI_KEY", "sk-proj-abcd1234efgh5678ijkl"),
    ("GITHUB_TOKEN", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"),
    ("PASSWORD", "hunter2"),
    ("PRIVATE_KEY", "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA PRIVATE KEY-----"),
    ("EMPLOYEE_ID", "EMP-004521"),
    ("PASSPORT_NUMBER", "C01X00T47"),
    ("TERM", "falcon_ledger"),
    ("TERM", "FalconLedgerService"),
    ("TERM", "db-prod-7.internal.tannhauser.io"),
)
