"""How OpenVINO's engines take a prompt and its sampling, and give tokens back: GenAI's tokenizer and configuration."""

from __future__ import annotations

import secrets
from typing import Any, Final

from edge_models import openvino_gate
from edge_models.catalog import KnownModel
from edge_models.devices import CPU
from edge_models.engines.base import BadPrompt, Chat, ContextTooLong, Prompt, Raw, Sampling, Unavailable
from edge_models.grammars.schema_grammar import grammar
from edge_models.messages import messages, refuse_the_hopeless, tools
from edge_models.pieces import piece_table
from edge_models.tool_calls.registry import VISIBLE

REFUSALS: Final = (RuntimeError, IndexError, ValueError, TypeError, MemoryError)
"""What pybind11 makes of C++ exceptions."""
_NO_LIMIT: Final = 2**31 - 1


def prompt_ids(tokenizer: Any, prompt: Prompt, most_tokens: int, longest_token_bytes: int) -> Any:
    """A prompt as a tensor of token ids, (1, tokens). Raises BadPrompt; ContextTooLong from `most_tokens` on."""
    refuse_the_hopeless(prompt, longest_token_bytes, most_tokens)
    try:  # from None: the library's messages can quote the prompt
        text = prompt.text if isinstance(prompt, Raw) else _rendered(tokenizer, prompt)
        ids = encoded(tokenizer, text)
    except REFUSALS:
        raise BadPrompt("the model's chat template can't express this conversation") from None
    if int(ids.shape[1]) >= most_tokens:
        raise ContextTooLong(_counted(tokenizer, text), most_tokens)
    return ids


def cant_start() -> BadPrompt:
    """The refusal of what the library refuses, without its words."""
    return BadPrompt(
        "the model can't start on this: the prompt may be empty, or a sampling value out of range (max_tokens"
        " at least 1, temperature 0 or more, top_p 0 to 1, penalties -2 to 2)"
    )


def cant_open(device: str) -> Unavailable:
    """The refusal of a model that OpenVINO does not open."""
    if device != CPU:
        return Unavailable(
            f"OpenVINO can't open this model on {device}: it may need more memory than there is, or hold weights in a form"
            f' that {device} does not compute with (an NPU wants int4, symmetric); try device = "CPU" for this model'
        )
    return Unavailable(
        "OpenVINO can't read this model; of a GGUF model, take the Q8_0 or Q4_0 edition of an architecture that it"
        " knows (llama, qwen2, qwen3)"
    )


def window(tokenizer: Any, context_tokens: int) -> int:
    """How long a prompt may be: the model's window, or less where the tokenizer keeps no more."""
    return min(context_tokens, int(encoded(tokenizer, "a, " * context_tokens).shape[1]))


def configured(config: Any, sampling: Sampling, entry: KnownModel | None, room: int) -> Any:
    """GenAI's form of `sampling`. config: a copy of what the model's files say. room: tokens that the window still holds.

    Raises BadSchema.
    """
    wanted = sampling.max_tokens
    if wanted is None and entry:
        wanted = entry.answer_tokens
    config.max_new_tokens = room if wanted is None else min(wanted, room)
    temperature, top_p = sampling.temperature, sampling.top_p
    if entry:
        temperature = entry.temperature if temperature is None else temperature
        top_p = entry.top_p if top_p is None else top_p
    if temperature is not None:
        config.do_sample = temperature != 0 and top_p != 0
        config.temperature = temperature if config.do_sample else 1.0
    if top_p is not None and config.do_sample:
        config.top_p = top_p
    config.rng_seed = secrets.randbits(63) if sampling.seed is None else sampling.seed % 2**63
    config.presence_penalty = sampling.presence_penalty
    config.frequency_penalty = sampling.frequency_penalty
    config.logprobs = int(sampling.logprobs)
    if sampling.schema is not None:
        config.structured_output_config = openvino_gate.genai().StructuredOutputConfig(grammar=grammar(sampling.schema))
    return config


def encoded(tokenizer: Any, text: str) -> Any:
    """The ids of a text as they are, control tokens included."""
    return tokenizer.encode(text, add_special_tokens=False, max_length=_NO_LIMIT).input_ids


def pieces(tokenizer: Any) -> tuple[bytes, ...]:
    """The bytes of each token, by id."""
    vocabulary: dict[bytes, int] = tokenizer.get_vocab()
    ids = list(range(1 + max(vocabulary.values())))
    shown = tokenizer.decode([[id] for id in ids], skip_special_tokens=True)
    mute = [id for id, text in zip(ids, shown, strict=True) if not text]  # control tokens, and parts of characters
    written = tokenizer.decode([[id] for id in mute], skip_special_tokens=False) if mute else []
    control = [id for id, text in zip(mute, written, strict=True) if text and text.encode() not in VISIBLE]
    return piece_table(vocabulary, control)


def _rendered(tokenizer: Any, chat: Chat) -> str:
    if not tokenizer.chat_template:
        raise BadPrompt("the model's files hold no chat template: ask it for a completion instead of a chat")
    listed = {"tools": tools(chat)} if chat.tools else {}
    return str(tokenizer.apply_chat_template(messages(chat), add_generation_prompt=True, **listed))


def _counted(tokenizer: Any, text: str) -> int:
    """The length in tokens of a text that the tokenizer may cut: exact but for a token at each 1,000th character."""
    slices = (text[start : start + 1000] for start in range(0, len(text), 1000))
    return sum(int(encoded(tokenizer, part).shape[1]) for part in slices)
