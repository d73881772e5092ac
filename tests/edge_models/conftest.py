"""The packaged model in llama.cpp, once for all tests here."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from edge_models.catalog import CATALOG, ModelRef


@pytest.fixture(scope="session")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    """An engine that nobody else steps. Skips where the extra is not installed."""
    pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed: .ci/run builds it")
    from edge_models.engines.llama_cpp import load

    engine = load(ModelRef(CATALOG[0].name, "llama-cpp"), tmp_path_factory.mktemp("none"), lambda stage, fraction: None)
    yield engine
    engine.close()
