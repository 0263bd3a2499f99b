"""What the papers' main tables hold: their rows, the student of each, and their columns.

A row's name is that of `published.tsv`. A new row is one line here; one whose student is not registered says so in its
cells, and begins to work when the student is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from wordstill.errors import InputError
from wordstill.evaluation.datasets import FIVE
from wordstill.students.registry import choose_students

# The sets of Wang et al.; Zheng et al. have RG-65 instead of MSR.
OF_WANG = ("ws353", "ws353s", "ws353r", "simlex999", "rw2034", "men3k", "msr", "google", "semeval2012")
OF_ZHENG = ("ws353", "ws353s", "ws353r", "simlex999", "rw2034", "men3k", "rg65", "google", "semeval2012")
OF_CATEGORIES = ("ap", "battig", "esslli-nouns", "esslli-verbs")
WORDS = ("light", "while")


@dataclass(frozen=True)
class RowKind:
    """One row of a table: a student, and what becomes of its vectors.

    student  the student by its name in the registry
    reads    what it learns from: a teacher that reads sentences or paragraphs, or the words alone
    layer    how the layer is chosen where the student has all: `last`, or the best on the other half of each set
             (`per set`) or of all sets (`overall`)
    refined  whether graph-retrofit with the lexicon follows
    """

    name: str
    student: str
    reads: Literal["sentence", "paragraph", "words"] = "words"
    layer: Literal["last", "per set", "overall"] = "last"
    refined: bool = False


@dataclass(frozen=True)
class PaperTable:
    """One of the papers' tables.

    columns   the data sets, or the words whose neighbours are listed
    average   whether a mean over the data sets is the last column
    fraction  whether the paper prints scores as fractions; we show all of them times 100
    """

    name: str
    title: str
    rows: tuple[RowKind, ...]
    columns: tuple[str, ...]
    average: bool = False
    fraction: bool = False
    notes: tuple[str, ...] = ()


FASTTEXT = RowKind("fastText", "fasttext")
GLOVE = RowKind("GloVe", "glove")
SKIPGRAM = RowKind("skip-gram", "skipgram")
CONTEXTS = RowKind("skip-gram, context vectors", "skipgram-context")
CBOW = RowKind("CBOW", "cbow")
SENT2VEC = RowKind("sent2vec", "sent2vec")
DEPS = RowKind("Deps", "deps")
CONTEXT_LSTM = RowKind("ContextLSTM", "contextlstm")
SYNGCN = RowKind("SynGCN", "syngcn")
INPUT = RowKind("input embeddings", "table", "sentence")
ALONE = RowKind("words alone", "alone", "sentence")
AVERAGE = RowKind("average", "aggregate", "sentence")
ASE_SET = RowKind("ASE, best layer per task", "aggregate", "sentence", layer="per set")
ASE = RowKind("ASE, best overall layer", "aggregate", "sentence", layer="overall")
OF_SENTENCES = RowKind("X2Static, sentence", "x2static", "sentence")
OF_PARAGRAPHS = RowKind("X2Static, paragraph", "x2static", "paragraph")
DYNAMIC = RowKind("BERT + skip-gram", "dynamic-skipgram", "sentence")
CONTEXT_TO_VEC = RowKind("Context-to-Vec", "context-to-vec", "sentence")
REFINED = RowKind("Context-to-Vec, refined", "context-to-vec", "sentence", refined=True)

OF_GUPTA = (FASTTEXT, GLOVE, SKIPGRAM, CBOW, SENT2VEC, ASE_SET, ASE, OF_SENTENCES, OF_PARAGRAPHS)
_LAYERS = (
    "ASE: the papers choose the layer on the pairs that they report. Ours is chosen on one half of the pairs and scored"
    " on the other, both ways round; the score is the mean of the two."
)

PAPER_TABLES: tuple[PaperTable, ...] = (
    PaperTable(
        "x2static-table3",
        "Table 3 of Gupta and Jaggi 2021: word similarity",
        OF_GUPTA,
        FIVE,
        average=True,
        fraction=True,
        notes=(_LAYERS,),
    ),
    PaperTable(
        "x2static-table6",
        "Table 6 of Gupta and Jaggi 2021: the same, with teachers of 24 layers",
        OF_GUPTA,
        FIVE,
        average=True,
        fraction=True,
        notes=(
            _LAYERS,
            "The paper's text is damaged here: its row of GPT2-24, paragraph, is lost, and figures that could not be"
            " read with certainty are left out (-).",
        ),
    ),
    PaperTable(
        "dynamic-skipgram-table2",
        "Table 2 of Wang et al. 2021: similarity and analogy",
        (SKIPGRAM, CBOW, GLOVE, FASTTEXT, DEPS, INPUT, AVERAGE, SYNGCN, DYNAMIC),
        OF_WANG,
    ),
    PaperTable(
        "context-to-vec-table1",
        "Table 1 of Zheng et al. 2022: similarity and analogy",
        (
            *(SKIPGRAM, CONTEXTS, CBOW, GLOVE, FASTTEXT, DEPS, INPUT, ALONE, AVERAGE),
            *(CONTEXT_LSTM, SYNGCN, DYNAMIC, CONTEXT_TO_VEC, REFINED),
        ),
        OF_ZHENG,
    ),
    PaperTable(
        "context-to-vec-table2",
        "Table 2 of Zheng et al. 2022: categories",
        (SKIPGRAM, CONTEXTS, CBOW, GLOVE, FASTTEXT, DEPS, AVERAGE, SYNGCN, DYNAMIC, CONTEXT_TO_VEC, REFINED),
        OF_CATEGORIES,
        average=True,
    ),
    PaperTable(
        "context-to-vec-table5",
        "Table 5 of Zheng et al. 2022: the words nearest to two words",
        (SKIPGRAM, CBOW, GLOVE, FASTTEXT, SYNGCN, DYNAMIC, CONTEXT_TO_VEC),
        WORDS,
        notes=("Table 4 of Wang et al. 2021 is the second column, for four of these rows.",),
    ),
)


def further_rows(students: Sequence[str]) -> tuple[RowKind, ...]:
    """Return a row for each student that the papers do not have."""
    there = {kind.student for table in PAPER_TABLES for kind in table.rows}
    for name in students:
        if name in there:
            raise InputError(f"{name} is a row of the papers' tables already; leave it out of --also")
    chosen = choose_students(students, {})
    return tuple(RowKind(name, name, "sentence" if one.needs().teacher else "words") for name, one in chosen.items())
