"""avante.nvim, whose settings are a program of the user's: the lines to put there."""

from __future__ import annotations

import shlex

from daemon.connecting.base import Client, Link, Machine, Plan


def _plan(machine: Machine, link: Link) -> Plan:
    return Plan(
        steps=(
            "Put this into your Neovim settings, into the call of avante's setup (or lazy.nvim's opts):",
            f"""
provider = "nearloop",
providers = {{
  nearloop = {{
    __inherited_from = "openai",
    endpoint = "{link.v1}",
    model = "{link.model}",
    api_key_name = [[cmd:{shlex.join(machine.printing(link.token_file))}]],
    context_window = {link.context_tokens},
    extra_request_body = {{ max_tokens = {link.output_tokens} }},
  }},
}},
""",
        )
    )


AVANTE = Client("avante", "avante.nvim", "file", _plan)
