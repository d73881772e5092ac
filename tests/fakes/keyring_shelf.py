"""A keyring in a file, as a module that a user names in PYTHON_KEYRING_BACKEND."""

from __future__ import annotations

from typing import Final

SHELF: Final = '''
"""A keyring in a file, which a user named."""
import json, os, pathlib
from keyring.backend import KeyringBackend
class Shelf(KeyringBackend):
    priority = 1
    path = pathlib.Path(os.environ["SHELF"])
    def _kept(self):
        return json.loads(self.path.read_text()) if self.path.exists() else {}
    def get_password(self, service, username):
        return self._kept().get(f"{service}/{username}")
    def set_password(self, service, username, password):
        self.path.write_text(json.dumps({**self._kept(), f"{service}/{username}": password}))
    def delete_password(self, service, username):
        kept = self._kept()
        del kept[f"{service}/{username}"]
        self.path.write_text(json.dumps(kept))
'''
