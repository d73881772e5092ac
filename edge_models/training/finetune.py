"""Fine-tuning: trunk and heads together, on the CPU, within a budget, and from where it was interrupted.

Batches hold windows of like length, and about as many tokens each. Numbers are bfloat16 where torch deems it safe, which is
2.3 times as fast as float32 on processors with the instructions for it. The learning rate falls to nothing at the end
of the budget, which is epochs, or minutes if these are over first. Word embeddings stay as they are.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from msgspec import Struct

from edge_models.pooling import Floats, Ids
from edge_models.training.heads import Head
from edge_models.training.instances import UNKNOWN, Instance
from edge_models.training.trunk import Trunk

_BATCH_TOKENS: Final = 2048
_MOST_ROWS: Final = 48
_RATE: Final = 1e-4
_HEAD_RATE: Final = 1e-3
_WARM_STEPS: Final = 50
_SMOOTHING: Final = 0.03
_OUTSIDE_WEIGHT: Final = 0.5
SAVED_EVERY_S = 120.0
_MOST_FACTOR: Final = 8.0


class Budget(Struct, frozen=True):
    """How long to train. minutes: None: until the epochs are over."""

    epochs: float = 1.5
    minutes: float | None = None


class Course(Struct, frozen=True):
    """How a training went. loss: a moving average."""

    steps: int
    epochs: float
    seconds: float
    loss: float


def finetune(
    trunk: Trunk,
    windows: Sequence[Instance],
    heads: Sequence[Head],
    budget: Budget,
    seed: int,
    checkpoint: Path,
    progress: Callable[[float, str], None],
) -> Course:
    """Train in place. checkpoint: a file that is written every two minutes and begun from if it is there.

    progress: told the share of the budget that is spent, and a line about it.
    """
    torch.manual_seed(seed)
    trunk.freeze_words()
    trunk.train()
    optimizer = _optimizer(trunk)
    losses = Losses(windows, heads)
    step, epoch, place, spent, loss = 0, 0, 0, 0.0, 0.0
    if checkpoint.is_file():
        state = torch.load(checkpoint, weights_only=True)
        trunk.load_state_dict(state["trunk"])
        optimizer.load_state_dict(state["optimizer"])
        torch.set_rng_state(state["chance"])
        step, epoch, place, spent, loss = (state[name] for name in ("step", "epoch", "place", "spent", "loss"))
    began = saved = time.monotonic()
    before = spent
    batches = _batches(windows, seed, epoch)
    while True:
        if place == len(batches):
            epoch, place = epoch + 1, 0
            batches = _batches(windows, seed, epoch)
        spent = before + time.monotonic() - began
        share = max(
            (epoch + place / len(batches)) / budget.epochs, spent / (60 * budget.minutes) if budget.minutes else 0.0
        )
        if share >= 1:
            break
        for group in optimizer.param_groups:
            group["lr"] = group["full"] * min(1.0, (step + 1) / _WARM_STEPS) * (1 - share)
        value = _step(trunk, optimizer, losses, [windows[number] for number in batches[place]])
        step, place = step + 1, place + 1
        loss = value if step == 1 else 0.98 * loss + 0.02 * value
        progress(share, f"epoch {epoch + place / len(batches):.2f}, loss {loss:.3f}")
        if time.monotonic() - saved > SAVED_EVERY_S:
            saved = time.monotonic()
            _save(checkpoint, trunk, optimizer, step=step, epoch=epoch, place=place, spent=spent, loss=loss)
    trunk.eval()
    checkpoint.unlink(missing_ok=True)
    return Course(step, epoch + place / len(batches), spent, loss)


def _step(trunk: Trunk, optimizer: Any, losses: Losses, batch: list[Instance]) -> float:
    ids, mask = padded(batch)
    wanted = sorted({name for instance in batch for name in instance.targets})
    if losses.token and any(instance.tokens is not None for instance in batch):
        wanted.append(losses.token)
    with torch.autocast("cpu", torch.bfloat16):
        answers = trunk(ids, mask, wanted)
    total = losses.of({name: logits.float() for name, logits in answers.items()}, batch)
    optimizer.zero_grad(set_to_none=True)
    total.backward()
    torch.nn.utils.clip_grad_norm_(trunk.parameters(), 1.0)
    optimizer.step()
    return float(total.detach())


class Losses:
    """The sum of the heads' losses. Rare labels weigh more, by the root of how rare; so do heads that few windows teach."""

    def __init__(self, windows: Sequence[Instance], heads: Sequence[Head]) -> None:
        self.token = next((head.name for head in heads if head.task == "token"), None)
        self._factors: dict[str, float] = {}
        self._weights: dict[str, Any] = {}
        for head in heads:
            if head.task == "token":
                count = sum(instance.tokens is not None for instance in windows)
                weights = np.array([_OUTSIDE_WEIGHT] + [1.0] * (len(head.labels) - 1), np.float32)
            else:
                found = [instance.targets[head.name] for instance in windows if head.name in instance.targets]
                count = len(found)
                shares = np.sum(found, axis=0) / max(count, 1) if found else np.ones(len(head.labels))
                weights = np.sqrt(1 / (len(head.labels) * np.maximum(shares, 1e-3))).astype(np.float32)
                weights /= float((weights * shares).sum()) or 1.0
            self._factors[head.name] = head.weight * min(len(windows) / max(count, 1), _MOST_FACTOR)
            self._weights[head.name] = torch.from_numpy(weights)

    def of(self, answers: dict[str, Any], batch: list[Instance]) -> Any:
        total: Any = 0.0
        for name, logits in answers.items():
            chances = torch.log_softmax(logits, dim=-1)
            weights = self._weights[name]
            if name == self.token:
                marks = torch.full(logits.shape[:2], UNKNOWN)
                for row, instance in enumerate(batch):
                    if instance.tokens is not None:
                        marks[row, : len(instance.tokens)] = torch.from_numpy(instance.tokens)
                known = marks != UNKNOWN
                part = torch.nn.functional.nll_loss(chances[known], marks[known], weights)
                share = sum(instance.tokens is not None for instance in batch) / len(batch)
                total = total + self._factors[name] * share * part
                continue
            rows = [row for row, instance in enumerate(batch) if name in instance.targets]
            target = torch.from_numpy(np.stack([batch[row].targets[name] for row in rows]))
            smooth = (1 - _SMOOTHING) * target + _SMOOTHING / target.shape[1]
            part = -(smooth * weights * chances[rows]).sum() / len(batch)
            total = total + self._factors[name] * part
        return total


def padded(batch: Sequence[Instance]) -> tuple[Any, Any]:
    """Token ids and mask, (rows, longest)."""
    longest = max(len(instance.ids) for instance in batch)
    ids = np.zeros((len(batch), longest), np.int64)
    mask = np.zeros_like(ids)
    for row, instance in enumerate(batch):
        ids[row, : len(instance.ids)] = instance.ids
        mask[row, : len(instance.ids)] = 1
    return torch.from_numpy(ids), torch.from_numpy(mask)


def read_padded(trunk: Trunk, windows: Sequence[Ids]) -> list[Floats]:
    """What torch makes of windows in one padded batch: for each its logits in a row, heads in the graph's order."""
    ids, mask = padded([Instance(window, {}, None) for window in windows])
    trunk.eval()
    with torch.inference_mode():
        answers = trunk(ids, mask)
    names = sorted(answers, key=lambda name: f"{'head' if trunk.tasks[name] == 'sequence' else 'tokens'}.{name}")
    rows = []
    for row, window in enumerate(windows):
        parts = [
            answers[name][row] if trunk.tasks[name] == "sequence" else answers[name][row, : len(window)]
            for name in names
        ]
        rows.append(np.concatenate([part.numpy().ravel() for part in parts]))
    return rows


def _batches(windows: Sequence[Instance], seed: int, epoch: int) -> list[list[int]]:
    """Numbers of windows, in another order each epoch."""
    chance = random.Random(f"{seed} {epoch}")
    order = sorted(range(len(windows)), key=lambda number: (len(windows[number].ids) // 4, chance.random()))
    batches: list[list[int]] = []
    batch: list[int] = []
    for number in order:  # ascending, so the new one is the longest
        if batch and (len(batch) == _MOST_ROWS or (len(batch) + 1) * len(windows[number].ids) > _BATCH_TOKENS):
            batches.append(batch)
            batch = []
        batch.append(number)
    batches.append(batch)
    chance.shuffle(batches)
    return batches


def _optimizer(trunk: Trunk) -> Any:
    encoder = [parameter for parameter in trunk.bert.parameters() if parameter.requires_grad]
    heads = [*trunk.inner.parameters(), *trunk.outer.parameters()]
    return torch.optim.AdamW(
        [{"params": encoder, "full": _RATE}, {"params": heads, "full": _HEAD_RATE}], lr=_RATE, weight_decay=0.01
    )


def _save(checkpoint: Path, trunk: Trunk, optimizer: Any, **state: float) -> None:
    partial = checkpoint.with_suffix(".partial")
    parts = {"trunk": trunk.state_dict(), "optimizer": optimizer.state_dict(), "chance": torch.get_rng_state()}
    torch.save({**parts, **state}, partial)
    partial.replace(checkpoint)
