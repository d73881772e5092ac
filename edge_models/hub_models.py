"""The models that `nearloop models pull` knows by name: where their files are, and what they are.

Nobody here has fetched these files. Repository, revision, size and SHA-256 of a `confirmed` entry were found alike in at
least two unrelated public repositories that pin them; of the others only the address is known, so `revision` is a branch,
`sha256` is None and `size_bytes` is about right. A wrong digest can't do harm: the file is then refused. Layers, key-value
heads and widths are those of the models' config.json; once a file is here, its own header is asked instead.
"""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

from edge_models.engines.registry import installed
from edge_models.memory import GGUF_CONTEXT_TOKENS, MOST_CONTEXT_TOKENS, Shape

Kind = Literal["chat", "embedding", "vision", "decision", "reranking"]


class HubFile(Struct, frozen=True):
    """One file of a repository. sha256: None where nobody is known to have pinned it."""

    name: str
    size_bytes: int
    sha256: str | None = None


class HubModel(Struct, frozen=True):
    """A model that a hub serves.

    engine: the one that it is meant for, which need not be here yet. files: the first one is the model; others belong to it.
    revision: a commit, or a branch. context_tokens: the window that it was trained for. layers, kv_heads, head_width: of the
    key-value cache; 0 layers: it keeps none. confirmed: see the top of this module.
    """

    name: str
    kind: Kind
    engine: str
    repository: str
    revision: str
    files: tuple[HubFile, ...]
    licence: str
    context_tokens: int
    layers: int
    kv_heads: int
    head_width: int
    confirmed: bool = True

    @property
    def size_bytes(self) -> int:
        """Of all its files."""
        return sum(file.size_bytes for file in self.files)

    @property
    def why_not(self) -> str | None:
        """Why nothing here can answer with it, in words; None if something can."""
        if self.kind not in _ANSWERING:
            return f"nothing here uses {self.kind} models yet"
        return None if installed(self.engine) else f"its engine, {self.engine}, is not installed"

    @property
    def shape(self) -> Shape:
        """What its memory depends on, before its own header can be asked."""
        limit = GGUF_CONTEXT_TOKENS if self.engine == "openvino-genai" else MOST_CONTEXT_TOKENS
        width = self.head_width
        return Shape(self.size_bytes, self.context_tokens, self.layers, self.kv_heads, width, width, limit)


_ANSWERING: Final = frozenset({"chat", "decision"})
"""Kinds that answer in words."""

HUB_MODELS: Final[tuple[HubModel, ...]] = (
    HubModel(
        name="smollm2-360m-instruct",
        kind="chat",
        engine="openvino-genai",
        repository="HuggingFaceTB/SmolLM2-360M-Instruct-GGUF",
        revision="593b5a2e04c8f3e4ee880263f93e0bd2901ad47f",
        files=(
            HubFile(
                "smollm2-360m-instruct-q8_0.gguf",
                386_404_992,
                "48ab3034d0dd401fbc721eb1df3217902fee7dab9078992d66431f09b7750201",
            ),
        ),
        licence="Apache-2.0",
        context_tokens=8192,
        layers=32,
        kv_heads=5,
        head_width=64,
    ),
    HubModel(
        name="qwen2.5-0.5b-instruct",
        kind="chat",
        engine="openvino-genai",
        repository="Qwen/Qwen2.5-0.5B-Instruct-GGUF",
        revision="9217f5db79a29953eb74d5343926648285ec7e67",
        files=(
            HubFile(
                "qwen2.5-0.5b-instruct-q8_0.gguf",
                675_710_816,
                "ca59ca7f13d0e15a8cfa77bd17e65d24f6844b554a7b6c12e07a5f89ff76844e",
            ),
        ),
        licence="Apache-2.0",
        context_tokens=32_768,
        layers=24,
        kv_heads=2,
        head_width=64,
    ),
    HubModel(
        name="qwen2.5-1.5b-instruct",
        kind="chat",
        engine="openvino-genai",
        repository="Qwen/Qwen2.5-1.5B-Instruct-GGUF",
        revision="91cad51170dc346986eccefdc2dd33a9da36ead9",
        files=(
            HubFile(
                "qwen2.5-1.5b-instruct-q8_0.gguf",
                1_894_532_128,
                "d7efb072e7724d25048a4fda0a3e10b04bdef5d06b1403a1c93bd9f1240a63c8",
            ),
        ),
        licence="Apache-2.0",
        context_tokens=32_768,
        layers=28,
        kv_heads=2,
        head_width=128,
    ),
    HubModel(
        name="qwen3-0.6b",
        kind="chat",
        engine="openvino-genai",
        repository="Qwen/Qwen3-0.6B-GGUF",
        revision="23749fefcc72300e3a2ad315e1317431b06b590a",
        files=(
            HubFile(
                "Qwen3-0.6B-Q8_0.gguf",
                639_446_688,
                "9465e63a22add5354d9bb4b99e90117043c7124007664907259bd16d043bb031",
            ),
        ),
        licence="Apache-2.0",
        context_tokens=40_960,
        layers=28,
        kv_heads=8,
        head_width=128,
    ),
    HubModel(
        name="qwen3-1.7b",
        kind="chat",
        engine="openvino-genai",
        repository="Qwen/Qwen3-1.7B-GGUF",
        revision="90862c4b9d2787eaed51d12237eafdfe7c5f6077",
        files=(
            HubFile(
                "Qwen3-1.7B-Q8_0.gguf",
                1_834_426_016,
                "061b54daade076b5d3362dac252678d17da8c68f07560be70818cace6590cb1a",
            ),
        ),
        licence="Apache-2.0",
        context_tokens=40_960,
        layers=28,
        kv_heads=8,
        head_width=128,
    ),
    HubModel(
        name="qwen3-4b",
        kind="chat",
        engine="openvino-genai",
        repository="Qwen/Qwen3-4B-GGUF",
        revision="bc640142c66e1fdd12af0bd68f40445458f3869b",
        files=(
            HubFile(
                "Qwen3-4B-Q8_0.gguf",
                4_280_404_704,
                "8c2f07f26af9747e41988551106f149b03eb9b5cb6df636027b6bf6278473300",
            ),
        ),
        licence="Apache-2.0",
        context_tokens=40_960,
        layers=36,
        kv_heads=8,
        head_width=128,
    ),
    HubModel(
        name="llama-3.2-1b-instruct",
        kind="chat",
        engine="openvino-genai",
        repository="bartowski/Llama-3.2-1B-Instruct-GGUF",
        revision="067b946cf014b7c697f3654f621d577a3e3afd1c",
        files=(
            HubFile(
                "Llama-3.2-1B-Instruct-Q8_0.gguf",
                1_321_083_008,
                "432f310a77f4650a88d0fd59ecdd7cebed8d684bafea53cbff0473542964f0c3",
            ),
        ),
        licence="Llama 3.2 Community License",
        context_tokens=131_072,
        layers=16,
        kv_heads=8,
        head_width=64,
    ),
    HubModel(
        name="qwen2.5-coder-1.5b-instruct",
        kind="chat",
        engine="llama-cpp",
        repository="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
        revision="f86cb2c1fa58255f8052cc32aeede1b7482d4361",
        files=(
            HubFile(
                "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
                1_117_320_768,
                "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            ),
        ),
        licence="Apache-2.0",
        context_tokens=32_768,
        layers=28,
        kv_heads=2,
        head_width=128,
    ),
    HubModel(
        name="gemma-3-1b-it",
        kind="chat",
        engine="llama-cpp",
        repository="ggml-org/gemma-3-1b-it-GGUF",
        revision="f9c28bcd85737ffc5aef028638d3341d49869c27",
        files=(
            HubFile(
                "gemma-3-1b-it-Q4_K_M.gguf",
                806_058_240,
                "8ccc5cd1f1b3602548715ae25a66ed73fd5dc68a210412eea643eb20eb75a135",
            ),
        ),
        licence="Gemma Terms of Use",
        context_tokens=32_768,
        layers=26,
        kv_heads=1,
        head_width=256,
    ),
    HubModel(
        name="phi-4-mini-instruct",
        kind="chat",
        engine="llama-cpp",
        repository="unsloth/Phi-4-mini-instruct-GGUF",
        revision="78eb92a46fc37e6b524df991ed9aca9bc6aa7b80",
        files=(
            HubFile(
                "Phi-4-mini-instruct-Q4_K_M.gguf",
                2_491_874_272,
                "88c00229914083cd112853aab84ed51b87bdf6b9ce42f532d8c85c7c63b1730a",
            ),
        ),
        licence="MIT",
        context_tokens=131_072,
        layers=32,
        kv_heads=8,
        head_width=128,
    ),
    HubModel(
        name="nomic-embed-text-v1.5",
        kind="embedding",
        engine="llama-cpp",
        repository="nomic-ai/nomic-embed-text-v1.5-GGUF",
        revision="0188c9bf409793f810680a5a431e7b899c46104c",
        files=(
            HubFile(
                "nomic-embed-text-v1.5.Q8_0.gguf",
                146_146_432,
                "3e24342164b3d94991ba9692fdc0dd08e3fd7362e0aacc396a9a5c54a544c3b7",
            ),
        ),
        licence="Apache-2.0",
        context_tokens=2048,
        layers=0,
        kv_heads=0,
        head_width=0,
    ),
    HubModel(
        name="qwen3-embedding-0.6b",
        kind="embedding",
        engine="llama-cpp",
        repository="Qwen/Qwen3-Embedding-0.6B-GGUF",
        revision="370f27d7550e0def9b39c1f16d3fbaa13aa67728",
        files=(
            HubFile(
                "Qwen3-Embedding-0.6B-Q8_0.gguf",
                639_150_592,
                "06507c7b42688469c4e7298b0a1e16deff06caf291cf0a5b278c308249c3e439",
            ),
        ),
        licence="Apache-2.0",
        context_tokens=32_768,
        layers=28,
        kv_heads=8,
        head_width=128,
    ),
    HubModel(
        name="smolvlm-500m-instruct",
        kind="vision",
        engine="llama-cpp",
        repository="ggml-org/SmolVLM-500M-Instruct-GGUF",
        revision="72e986006ef53e37cdd3f6d4241c90b0f01df376",
        files=(
            HubFile(
                "SmolVLM-500M-Instruct-Q8_0.gguf",
                436_806_912,
                "9d4612de6a42214499e301494a3ecc2be0abdd9de44e663bda63f1152fad1bf4",
            ),
            HubFile(
                "mmproj-SmolVLM-500M-Instruct-Q8_0.gguf",
                108_783_360,
                "d1eb8b6b23979205fdf63703ed10f788131a3f812c7b1f72e0119d5d81295150",
            ),
        ),
        licence="Apache-2.0",
        context_tokens=8192,
        layers=32,
        kv_heads=5,
        head_width=64,
    ),
    HubModel(
        name="qwen3-reranker-0.6b",
        kind="reranking",
        engine="llama-cpp",
        repository="ggml-org/Qwen3-Reranker-0.6B-Q8_0-GGUF",
        revision="a02f48bb4f057028298c21fa033da2b30d7742d5",
        files=(
            HubFile(
                "qwen3-reranker-0.6b-q8_0.gguf",
                639_153_184,
                "22c9979ce4fbcdc5acdc310c6641c32797eff1aa980b8f7a2db8a8ea23429a48",
            ),
        ),
        licence="Apache-2.0",
        context_tokens=32_768,
        layers=28,
        kv_heads=8,
        head_width=128,
    ),
    HubModel(
        name="qwen3guard-gen-0.6b",
        kind="decision",
        engine="openvino-genai",
        repository="QuantFactory/Qwen3Guard-Gen-0.6B-GGUF",
        revision="main",
        files=(HubFile("Qwen3Guard-Gen-0.6B.Q8_0.gguf", 805_000_000),),
        licence="Apache-2.0",
        context_tokens=32_768,
        layers=28,
        kv_heads=8,
        head_width=128,
        confirmed=False,
    ),
)


def hub_model(name: str) -> HubModel | None:
    """The entry of that name."""
    return next((model for model in HUB_MODELS if model.name == name), None)
