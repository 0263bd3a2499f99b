"""The mean over a sentence's pieces, against transformers one text at a time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from small_models import make_model
from texts import write_corpus
from wordstill import distill
from wordstill.distillation.settings import DistillSettings
from wordstill.errors import InputError
from wordstill.teacher.encode import Pooling, forward, lay_out, to_batch
from wordstill.teacher.load import load_teacher
from wordstill.teacher.piece_means import check_pooling, piece_means, pool_sentences
from wordstill.teacher.sentences import Mode, SentencePooling, sentence_vectors
from wordstill.teacher.texts import Context, Dropped, make_texts

SENTENCES = [
    ["The", "river", "Danube", "flows"],
    ["Unbelievable", "internationalisation", "of", "Çatalhöyük"],
    ["Yes"],
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model("bert", tmp_path_factory.mktemp("bert"))


@pytest.mark.parametrize("pooling", ["mean", "first"])
@pytest.mark.parametrize("context", ["sentence", "paragraph"])
def test_pieces_count_one_each_and_special_tokens_where_a_sentence_stands_alone(
    folder: Path, context: Context, pooling: Pooling
) -> None:
    teacher = load_teacher(folder)
    pieces, lengths = teacher.pieces([word for sentence in SENTENCES for word in sentence])
    assert lengths.max() > 2
    sizes = [len(sentence) for sentence in SENTENCES]
    texts = list(make_texts(np.zeros(len(lengths), np.int32), pieces, lengths, sizes, context, 60, Dropped()))
    grid = lay_out(teacher, texts)
    hidden = forward(teacher, grid, [1, 3])
    batch = to_batch(texts, grid, hidden, pooling)
    found = piece_means(teacher, texts, grid, hidden, batch, context)

    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    tokenizer.backend_tokenizer.no_truncation()
    tokenizer.backend_tokenizer.no_padding()
    read = [[sentence] for sentence in SENTENCES] if context == "sentence" else [SENTENCES]
    expected: dict[int, list[torch.Tensor]] = {1: [], 3: []}
    for sentences in read:
        words = [word for sentence in sentences for word in sentence]
        encoded = tokenizer(words, is_split_into_words=True, return_tensors="pt")
        with torch.no_grad():
            states = model(**encoded, output_hidden_states=True).hidden_states
        owners = np.repeat(np.arange(len(sentences)), [len(sentence) for sentence in sentences])
        for number in range(len(sentences)):
            own = [
                place
                for place, word in enumerate(encoded.word_ids())
                if (context == "sentence" if word is None else owners[word] == number)
            ]
            for layer, means in expected.items():
                means.append(states[layer][0, own].mean(dim=0))
    for layer, means in expected.items():
        np.testing.assert_allclose(found[layer], torch.stack(means).numpy(), atol=2e-6)


def test_a_sentence_in_several_rows_has_each_of_its_pieces_once(folder: Path) -> None:
    teacher = load_teacher(folder)
    pieces, lengths = teacher.pieces(["river", "internationalisation", "sea"] * 6)
    limit = 2 * len(pieces) // 3
    texts = list(make_texts(np.zeros(18, np.int32), pieces, lengths, [18], "sentence", limit, Dropped()))
    rows = len(texts[0].rows)
    assert rows > 1
    grid = lay_out(teacher, texts)
    ones = torch.ones((*grid.pieces.shape, 1))
    ones[:, 0] = 0.0  # [CLS] counts as a piece, once a row
    batch = to_batch(texts, grid, {1: ones})
    found = piece_means(teacher, texts, grid, {1: ones}, batch, "sentence")
    assert found[1].item() == pytest.approx(1 - rows / (len(pieces) + 2 * rows))


def test_x2static_learns_from_pieces_where_asked_to(folder: Path, tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "texts.txt", 40)
    settings = DistillSettings(
        teacher=str(folder),
        students=("x2static", "released=x2static"),
        student_options={"released": {"variant": "pieces"}},
        context="sentence",
    )
    run = distill(corpus, out=tmp_path / "run", settings=settings)
    words, pieces = run.vectors("x2static"), run.vectors("released")
    assert words.words == pieces.words
    assert not np.allclose(words.matrix, pieces.matrix)
    assert pieces.card["method"]["student_settings"]["variant"] == "pieces"


MODES: list[Mode] = ["mean", "cls", "max", "mean_sqrt_len_tokens", "weightedmean", "lasttoken"]


@pytest.mark.parametrize("mode", MODES)
def test_a_sentence_read_alone_is_pooled_to_the_teachers_own_sentence_vector(folder: Path, mode: Mode) -> None:
    teacher, pooling = load_teacher(folder), SentencePooling((mode,), normalize=True)
    pieces, lengths = teacher.pieces([word for sentence in SENTENCES for word in sentence])
    sizes = [len(sentence) for sentence in SENTENCES]
    texts = list(make_texts(np.zeros(len(lengths), np.int32), pieces, lengths, sizes, "sentence", 60, Dropped()))
    grid = lay_out(teacher, texts)
    hidden = forward(teacher, grid, [3])
    found = pool_sentences(teacher, texts, grid, hidden, to_batch(texts, grid, hidden), "sentence", pooling)
    expected = sentence_vectors(teacher, [" ".join(sentence) for sentence in SENTENCES], pooling, layer=3)
    np.testing.assert_allclose(found[3], expected, atol=2e-6)


def test_a_pooling_that_a_sentence_cannot_have_is_refused() -> None:
    check_pooling(SentencePooling(("cls",)), "sentence")
    with pytest.raises(InputError, match="--context sentence"):
        check_pooling(SentencePooling(("cls",)), "paragraph")
    with pytest.raises(InputError, match="2 poolings side by side"):
        check_pooling(SentencePooling(("cls", "mean")), "sentence")
