"""codecompanion.nvim, whose settings are a program of the user's: the lines to put there."""

from __future__ import annotations

import shlex

from daemon.connecting.base import NAME, Client, Link, Machine, Plan


def _plan(machine: Machine, link: Link) -> Plan:
    return Plan(
        steps=(
            "Put this into your Neovim settings, into the call of codecompanion's setup (or lazy.nvim's opts):",
            f"""
adapters = {{
  http = {{
    nearloop = function()
      return require("codecompanion.adapters").extend("openai_compatible", {{
        formatted_name = "{NAME}",
        env = {{
          url = "{link.root}",
          api_key = [[cmd:{shlex.join(machine.printing(link.token_file))}]],
          chat_url = "/v1/chat/completions",
        }},
        schema = {{ model = {{ default = "{link.model}" }} }},
      }})
    end,
  }},
}},
interactions = {{ chat = {{ adapter = "nearloop" }}, inline = {{ adapter = "nearloop" }} }},
""",
        )
    )


CODECOMPANION = Client("codecompanion", "codecompanion.nvim", "file", _plan)
