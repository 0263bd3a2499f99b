"""Sentence vectors: one vector for a whole text, pooled and normalized as the teacher itself says.

A sentence model in the layout of sentence-transformers lists its modules in modules.json: the transformer, a pooling
(1_Pooling/config.json), sometimes a normalization. These three are followed to the letter. A teacher that names no
pooling, such as a plain BERT, gets the mean over its tokens; a decoder, the last one, which alone has read all others.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from wordstill.arrays import Array, unit_rows
from wordstill.errors import InputError
from wordstill.system.progress import log
from wordstill.teacher.encode import forward, rectangle
from wordstill.teacher.load import Teacher, find_file
from wordstill.teacher.pieces import spread

if TYPE_CHECKING:
    import torch

Mode: TypeAlias = Literal["cls", "max", "mean", "mean_sqrt_len_tokens", "weightedmean", "lasttoken"]

# How older files name the modes, in the order in which several are put side by side.
SWITCHES: dict[str, Mode] = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}


@dataclass(frozen=True)
class SentencePooling:
    """How the vectors of a text's tokens, special ones included, become one.

    modes      each gives a vector of the teacher's width; several stand side by side
    normalize  whether the result has length 1
    longest    the most pieces of a text, special ones included; what is beyond is cut off
    lowercase  whether the text is lowercased before it is cut into pieces
    """

    modes: tuple[Mode, ...] = ("mean",)
    normalize: bool = False
    longest: int | None = None
    lowercase: bool = False


def sentence_pooling(teacher: Teacher) -> SentencePooling:
    """Read how a teacher makes sentence vectors; the mean where it does not say, the last token of a decoder."""
    modules = _read(teacher, "modules.json")
    if modules is None:
        return SentencePooling(("lasttoken",) if teacher.decoder else ("mean",))
    limits = _read(teacher, "sentence_bert_config.json") or {}
    modes: tuple[Mode, ...] = ("mean",)
    normalize = False
    try:
        for module in modules:
            kind = str(module["type"]).rpartition(".")[2]
            if kind == "Pooling":
                modes = _modes(_read(teacher, f"{module['path']}/config.json") or {})
            elif kind == "Normalize":
                normalize = True
            elif kind != "Transformer":
                log.info("%s: sentence vectors are taken before its module %s", teacher.public_name, kind)
                break
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"modules.json of the teacher {teacher.name} is not a list of modules; restore it") from error
    return SentencePooling(modes, normalize, limits.get("max_seq_length"), bool(limits.get("do_lower_case")))


def sentence_vectors(
    teacher: Teacher,
    texts: Sequence[str],
    pooling: SentencePooling | None = None,
    *,
    tokens: int | None = None,
    layer: int = -1,
) -> Array:
    """Return one float32 row per text; a text without any piece has a row of zeros.

    pooling  as `sentence_pooling` reads it where it is not given
    tokens   padded tokens that the teacher reads at once
    layer    whose vectors are pooled
    """
    pooling = pooling or sentence_pooling(teacher)
    layer, tokens = teacher.layer(layer), tokens or teacher.usual_batch
    special = len(teacher.pieces.prefix) + len(teacher.pieces.suffix)
    limit = min(teacher.limit, pooling.longest - special if pooling.longest else teacher.limit)
    pieces, lengths = teacher.pieces.of_texts([text.lower() for text in texts] if pooling.lowercase else texts, limit)
    vectors = np.zeros((len(texts), len(pooling.modes) * teacher.width), dtype=np.float32)
    rest = np.argsort(lengths, kind="stable")
    rest = rest[lengths[rest] + special > 0]
    while len(rest):
        # As many as fit, with the longest of them, into so many tokens.
        fitting = np.arange(1, len(rest) + 1) * (lengths[rest] + special) <= tokens
        chosen, rest = np.split(rest, [max(1, int(fitting.sum()))])
        own, sizes = spread(pieces, lengths, chosen)
        grid = rectangle(teacher, own, sizes, np.zeros_like(sizes), sizes, sizes)
        states = forward(teacher, grid, [layer])[layer]
        vectors[chosen] = _pool(states, grid.mask, pooling.modes)[: len(chosen)]
    return unit_rows(vectors) if pooling.normalize else vectors


def _pool(states: torch.Tensor, mask: Array, modes: Sequence[Mode]) -> Array:
    import torch

    with torch.inference_mode():
        inside = torch.from_numpy(mask).to(states.device)[:, :, None]
        counts = inside.sum(dim=1)
        states = states.float().masked_fill(~inside, 0.0)
        parts = []
        for mode in modes:
            if mode == "cls":
                part = states[:, 0]
            elif mode == "lasttoken":
                part = states[torch.arange(len(states), device=states.device), counts[:, 0] - 1]
            elif mode == "max":
                part = states.masked_fill(~inside, -torch.inf).amax(dim=1)
            elif mode == "weightedmean":
                weights = inside * torch.arange(1, states.shape[1] + 1, device=states.device)[:, None]
                part = (states * weights).sum(dim=1) / weights.sum(dim=1)
            else:
                part = states.sum(dim=1) / (counts if mode == "mean" else counts.sqrt())
            parts.append(part)
        result: Array = torch.cat(parts, dim=1).cpu().numpy()
        return result


def _modes(config: dict[str, Any]) -> tuple[Mode, ...]:
    named = config.get("pooling_mode") or [mode for switch, mode in SWITCHES.items() if config.get(switch)] or "mean"
    modes = (named,) if isinstance(named, str) else tuple(named)
    for mode in modes:
        if mode not in get_args(Mode):
            raise InputError(f"the teacher pools sentences by {mode!r}; known are {', '.join(get_args(Mode))}")
    return modes


def _read(teacher: Teacher, file: str) -> Any:
    """A JSON file of the teacher's; None where it has no such file."""
    path = find_file(teacher, file)
    if path is None:
        return None
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{file} of the teacher {teacher.name} cannot be read: {error}") from error
