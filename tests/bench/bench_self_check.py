"""What a model's word on its own answer costs beside the answer: seconds of both, question by question, on one live context."""

from __future__ import annotations

import argparse
import json
import statistics
import time
from itertools import count
from pathlib import Path

from daemon.certifying.own_questions import own
from daemon.certifying.questions import ANSWER_TOKENS, mixed
from daemon.confidence.self_check import CHECKS
from edge_models.catalog import CATALOG, ModelRef
from edge_models.engines import openvino_raw
from edge_models.engines.base import Done, Sampling

_ids = count(1)


def main() -> None:
    """Print the shares as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache-dir", type=Path, required=True, help="where prepared models are kept")
    parser.add_argument("--count", type=int, default=60)
    options = parser.parse_args()
    model = ModelRef(CATALOG[0].name, "openvino-raw")
    engine = openvino_raw.load(model, options.cache_dir, lambda stage, fraction: None)
    shares, answers, checks = [], [], []
    for question in mixed(own(options.count))[: options.count]:
        limit = ANSWER_TOKENS[question.style]
        sampling = Sampling(max_tokens=limit, temperature=0.0, logprobs=True, top_logprobs=2, keep=True)
        began = time.perf_counter()
        engine.start(id := next(_ids), question.chat, sampling)
        while not any(isinstance(event, Done) for _, event in engine.step()):
            pass
        answered = time.perf_counter()
        engine.score(id, CHECKS)
        checked = time.perf_counter()
        engine.cancel(id)
        answers.append(answered - began)
        checks.append(checked - answered)
        shares.append(checks[-1] / answers[-1])
    engine.close()
    low, middle, high = statistics.quantiles(shares, n=4)
    print(
        json.dumps(
            {
                "model": model.name,
                "engine": model.engine,
                "n": len(shares),
                "share_median": round(statistics.median(shares), 4),
                "share_quartiles": [round(low, 4), round(middle, 4), round(high, 4)],
                "share_of_all_time": round(sum(checks) / sum(answers), 4),
                "answer_median_ms": round(statistics.median(answers) * 1000, 1),
                "check_median_ms": round(statistics.median(checks) * 1000, 1),
            }
        )
    )


if __name__ == "__main__":
    main()
