"""ONNX: a folder that onnxruntime and transformers.js run, in any language that they know and in a browser.

onnx/model.onnx        input_ids and attention_mask in; last_hidden_state (a vector per word) and sentence_embedding
                       (their mean) out. The numbers of `embeddings` may be float16 or int8; what comes out is float32
tokenizer.json         finds the words (see `portable_tokenizer`)
tokenizer_config.json  for transformers.js
config.json            for transformers.js, and the card under the key `wordstill`
vocabulary.tsv         word and count, one word per line: by it wordstill reads the folder back

The layout is the one that transformers.js looks for. The package onnx writes and reads the graph.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.formats import pieces_file, vocabulary_file
from wordstill.formats.card import card_of
from wordstill.formats.format import Format
from wordstill.formats.storage import as_type, from_int8, to_int8
from wordstill.formats.tokenizer import tokenizer_of
from wordstill.io.files import replacing, write_json
from wordstill.io.reading import open_regular, read_by_library, read_json
from wordstill.vectors import WordVectors
from wordstill.vectors.pieces import GOES_ON, LONGEST_WORD, Pieces
from wordstill.vectors.text_words import is_lowercase, is_split_at_blanks, seen_in_texts, written_words

GRAPH = "onnx/model.onnx"
MEMBERS = (GRAPH, "config.json", "tokenizer.json", "tokenizer_config.json", "vocabulary.tsv", pieces_file.FILE)
# ReduceSum takes its axes as an input since 13; older programs run that too.
OPSET, IR_VERSION = 13, 8
# protobuf, in which ONNX is written, ends there; some room is left for the rest of the graph.
LARGEST = (1 << 31) - (1 << 16)
# What goes on beside a phrase, so that it is no word of its own.
_WORD = r"[\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\u200c\u200d]".replace(r"\u200c\u200d", "\u200c\u200d")


def write(vectors: WordVectors, folder: Path, dtype: str = "float32") -> None:
    """Write a folder; it appears, or replaces an older one of wordstill's, when it is whole."""
    onnx = _onnx(folder)
    pieces = vectors.pieces
    matrix = vectors.matrix if pieces is None else np.concatenate([vectors.matrix, pieces.matrix])
    graph = _graph(onnx, matrix, dtype, folder)
    tokenizer = portable_tokenizer(vectors)
    unknown = tokenizer["model"]["unk_token"]
    vocabulary = vocabulary_file.lines_of(vectors, folder)
    config = {
        "model_type": "model2vec",
        "architectures": ["StaticModel"],
        "hidden_size": vectors.vector_size,
        # Else transformers.js would look for a second, quantized graph in a browser.
        "transformers.js_config": {"dtype": "fp32"},
        "wordstill": vectors.card,
    }
    with replacing(folder, ours=FORMAT.first_foreign) as temporary:
        (temporary / "onnx").mkdir(parents=True)
        (temporary / GRAPH).write_bytes(graph.SerializeToString(deterministic=True))
        text = json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":"))
        (temporary / "tokenizer.json").write_text(text, encoding="utf-8")
        write_json(temporary / "tokenizer_config.json", _tokenizer_config(unknown))
        write_json(temporary / "config.json", config)
        (temporary / "vocabulary.tsv").write_bytes(vocabulary)
        pieces_file.write(temporary, [] if pieces is None else pieces.names)


def read(folder: Path) -> WordVectors:
    """Read the table out of the graph; int8 becomes float32."""
    tensors = _tensors(folder)
    words, counts = vocabulary_file.read(folder / "vocabulary.tsv")
    pieces = pieces_file.read(folder)
    matrix = tensors["embeddings"]
    if matrix.ndim != 2 or len(matrix) != len(words) + len(pieces) + 1:
        raise InputError(
            f"{folder} has {len(words) + len(pieces)} words and pieces in its files, and a tensor 'embeddings' of shape"
            f" {matrix.shape} where one row more is needed; its files do not belong together: copy or save it again"
        )
    if matrix.dtype == np.int8:
        scales = tensors.get("scales")
        if scales is None or scales.shape != (len(matrix), 1):
            raise InputError(
                f"{folder} has int8 vectors without a tensor 'scales' of one number per row; save it again"
            )
        matrix = from_int8(matrix, scales[:, 0])
    vectors = WordVectors(words, matrix[: len(words)], counts, card_of(folder / "config.json"))
    if pieces:
        vectors.pieces = Pieces(pieces, matrix[len(words) : -1])
    return vectors


def portable_tokenizer(vectors: WordVectors) -> dict[str, Any]:
    """Return a tokenizer.json that tokenizers and transformers.js read alike.

    transformers.js finds added tokens inside of words too, so that phrases are found by a regular expression instead;
    and it knows no WordLevel, so that words are WordPieces, which never go on where the vectors have no pieces.
    """
    lowercase, whitespace = is_lowercase(vectors), is_split_at_blanks(vectors)
    pieces = [] if vectors.pieces is None else vectors.pieces.names
    content = tokenizer_of(vectors.words, lowercase, whitespace, pieces)
    tokens: dict[str, int] = content["model"]["vocab"]
    seen = seen_in_texts(lowercase, whitespace)
    phrases: dict[str, int] = {}
    for phrase in written_words(vectors.words, whitespace)[1]:
        phrases.setdefault(seen(phrase), tokens.pop(phrase))
    tokens = phrases | tokens
    continued = GOES_ON
    while not pieces and any(token.startswith(continued) for token in tokens):
        continued += "#"
    content["added_tokens"] = []
    if phrases:
        # Python and JavaScript try alternatives in their order, as Oniguruma does: the longest comes first.
        listed = "|".join(_literal(phrase) for phrase in sorted(phrases, key=lambda phrase: (-len(phrase), phrase)))
        whole = rf"(?<![\s\S])(?:{listed})(?![\s\S])"
        rest = content["pre_tokenizer"]
        words = r"\S+" if whitespace else rest["pattern"]["Regex"]
        content["pre_tokenizer"] = {
            "type": "Sequence",
            "pretokenizers": [
                _split(rf"(?<!{_WORD})(?:{listed})(?!{_WORD})", "Isolated", False),
                _split(f"{whole}|{words}", "Removed", True),
            ],
        }
    content["model"] = {
        "type": "WordPiece",
        "unk_token": content["model"]["unk_token"],
        "continuing_subword_prefix": continued,
        "max_input_chars_per_word": LONGEST_WORD if pieces else max(map(len, tokens)),
        "vocab": tokens,
    }
    return content


def _split(pattern: str, behavior: str, invert: bool) -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": invert}


def _literal(phrase: str) -> str:
    """Write a phrase as a regular expression that Oniguruma and JavaScript take alike."""
    return re.sub(r"([\\^$.*+?()\[\]{}|/])", r"\\\1", phrase)


def _tokenizer_config(unknown: str) -> dict[str, Any]:
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": 1_000_000,
        "clean_up_tokenization_spaces": False,
        "unk_token": unknown,
        # Its row is zeros, and it is masked.
        "pad_token": unknown,
    }


def _graph(onnx: Any, matrix: Array, dtype: str, folder: Path) -> Any:
    helper, numbers = onnx.helper, onnx.TensorProto
    width = matrix.shape[1]
    size = (len(matrix) + 1) * width * np.dtype(dtype).itemsize
    if size > LARGEST:
        raise InputError(
            f"{folder} would hold {size >> 20} MiB, and ONNX at most 2 GiB; use --dtype int8, --top or --dim"
        )
    if dtype == "int8":
        rows, scales = to_int8(matrix)
        tensors = {"embeddings": rows, "scales": np.append(scales, np.float32(1))[:, None].astype(np.float32)}
    else:
        tensors = {"embeddings": as_type(matrix, dtype)}
    tensors["embeddings"] = np.concatenate([tensors["embeddings"], np.zeros((1, width), dtype)])
    constants = {"last_axis": [2], "words_axis": [1], "one": np.ones(1, np.float32)}
    made = [onnx.numpy_helper.from_array(np.ascontiguousarray(value), name) for name, value in tensors.items()]
    made += [onnx.numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()]
    node = helper.make_node
    steps = {
        "float32": [node("Gather", ["embeddings", "input_ids"], ["last_hidden_state"])],
        "float16": [
            node("Gather", ["embeddings", "input_ids"], ["stored"]),
            node("Cast", ["stored"], ["last_hidden_state"], to=numbers.FLOAT),
        ],
        "int8": [
            node("Gather", ["embeddings", "input_ids"], ["stored"]),
            node("Cast", ["stored"], ["whole"], to=numbers.FLOAT),
            node("Gather", ["scales", "input_ids"], ["steps"]),
            node("Mul", ["whole", "steps"], ["last_hidden_state"]),
        ],
    }[dtype]
    steps += [
        node("Cast", ["attention_mask"], ["mask"], to=numbers.FLOAT),
        node("Unsqueeze", ["mask", "last_axis"], ["mask_of_rows"]),
        node("Mul", ["last_hidden_state", "mask_of_rows"], ["masked"]),
        node("ReduceSum", ["masked", "words_axis"], ["sum"], keepdims=0),
        node("ReduceSum", ["mask", "words_axis"], ["words"], keepdims=1),
        node("Max", ["words", "one"], ["divisor"]),
        node("Div", ["sum", "divisor"], ["sentence_embedding"]),
    ]
    graph = helper.make_graph(
        steps,
        "wordstill",
        [
            helper.make_tensor_value_info(name, numbers.INT64, ["batch", "sequence"])
            for name in ("input_ids", "attention_mask")
        ],
        [
            helper.make_tensor_value_info("last_hidden_state", numbers.FLOAT, ["batch", "sequence", width]),
            helper.make_tensor_value_info("sentence_embedding", numbers.FLOAT, ["batch", width]),
        ],
        made,
    )
    return helper.make_model(
        graph, producer_name="wordstill", ir_version=IR_VERSION, opset_imports=[helper.make_opsetid("", OPSET)]
    )


def _tensors(folder: Path) -> dict[str, Array]:
    """Read the tensors of a graph; what lies in other files is never opened."""
    path = folder / GRAPH
    onnx = _onnx(folder)
    open_regular(path).close()
    with read_by_library(path, "a graph of ONNX"):
        graph = onnx.load(str(path), load_external_data=False).graph
        held = [tensor for tensor in graph.initializer if tensor.data_location == onnx.TensorProto.DEFAULT]
        tensors = {tensor.name: np.asarray(onnx.numpy_helper.to_array(tensor)) for tensor in held}
    if "embeddings" not in tensors:
        raise InputError(f"{path} has no tensor 'embeddings'; only what wordstill wrote is read back")
    return tensors


def _stored_type(folder: Path) -> str:
    return _tensors(folder)["embeddings"].dtype.name


def _onnx(path: Path) -> Any:
    try:
        import onnx
        import onnx.helper
        import onnx.numpy_helper
    except ImportError as error:
        raise InputError(f"{path} is ONNX, which needs the package onnx: pip install 'wordstill[onnx]'") from error
    return onnx


def _owns(path: Path, head: bytes) -> bool:
    """Return whether a folder has wordstill's card beside a graph; another exporter writes none."""
    try:
        return (path / GRAPH).is_file() and "wordstill" in read_json(path / "config.json")
    except (InputError, TypeError):
        return False


FORMAT = Format(
    "onnx",
    "a folder that onnxruntime and transformers.js run (needs onnx)",
    recognises=lambda path, head: (path / GRAPH).is_file() and (path / "vocabulary.tsv").is_file(),
    read=read,
    write=write,
    endings=(".onnx",),
    keeps_counts=True,
    keeps_card=True,
    types=("float32", "float16", "int8"),
    stored_type=_stored_type,
    owns=_owns,
    members=MEMBERS,
)
