"""Tell two teachers apart: a hash of what a teacher computes with, its weights, tokenizer and configuration."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from wordstill.teacher.load import Teacher

# Larger tensors are hashed in this many stretches of a MiB, evenly spread: weights that were trained differ everywhere.
STRETCHES = 64
MIB = 1 << 20
# What a configuration tells of where a model was found and which program saved it.
NOT_COMPUTED_WITH = {"_name_or_path", "transformers_version", "architectures", "torch_dtype", "dtype"}


def fingerprint_of_teacher(teacher: Teacher) -> str:
    """Return a hash of a teacher's weights, tokenizer, configuration and limits. It must not be quantized yet."""
    config: Any = teacher.model.config
    told = {name: value for name, value in config.to_dict().items() if name not in NOT_COMPUTED_WITH}
    shape = [teacher.layers, teacher.width, teacher.limit, teacher.padding_piece]
    digest = hashlib.sha256(json.dumps([told, shape], sort_keys=True, default=str).encode())
    digest.update(teacher.pieces.definition().encode())
    for name, tensor in teacher.model.state_dict().items():
        digest.update(json.dumps([name, list(tensor.shape), str(tensor.dtype)]).encode())
        content = memoryview(tensor.detach().cpu().contiguous().view(-1).numpy()).cast("B")
        if len(content) <= STRETCHES * MIB:
            digest.update(content)
            continue
        step = (len(content) - MIB) // (STRETCHES - 1)
        for place in range(STRETCHES):
            digest.update(content[place * step : place * step + MIB])
    return digest.hexdigest()
