"""Parse a corpus with a spaCy pipeline, once, into a CoNLL-U file beside it: what `deps` and `syngcn` read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from wordstill.corpus.conllu import ParsedSentence, cut_sentence, is_parsed, write_sentence
from wordstill.corpus.read import Corpus
from wordstill.corpus.segment import SPACY_CHARACTERS, visible
from wordstill.corpus.spacy_pipelines import load_pipeline
from wordstill.errors import InputError
from wordstill.io.files import check_replaceable, only_marked, replacing
from wordstill.system.progress import Progress

MARK = "# parsed by wordstill"
LONGEST_SENTENCE = 1000
# Texts that the pipeline reads at once.
AT_ONCE = 64


def parse(
    corpus: str | Path | Sequence[str | Path],
    *,
    parser: str,
    out: str | Path | None = None,
    field: str = "text",
    words: int | None = None,
    overwrite: bool = False,
) -> Path:
    """Parse a corpus with the spaCy pipeline `parser`, and return the CoNLL-U file that was written.

    out        the file; without it, the corpus's own name with .conllu behind it
    field      where the text is in JSON lines, parquet and Hub data sets
    words      stop after the paragraph that reaches so many words
    overwrite  replace a file that was written here before
    """
    paths = [corpus] if isinstance(corpus, (str, Path)) else list(corpus)
    if out is None and len(paths) != 1:
        raise InputError("several files are parsed into one; name it with --out")
    target = Path(out) if out is not None else Path(f"{paths[0]}.conllu")
    if target.suffix != ".conllu":
        raise InputError(f"{target} shall be CoNLL-U; give it a name that ends in .conllu")
    if target.exists() and not overwrite:
        raise InputError(f"{target} is there already; read it with --corpus, or parse anew with --overwrite")
    ours = only_marked(MARK.encode())
    check_replaceable(target, ours)
    source, pipeline = Corpus(paths, field=field), load_parser(parser)
    with (
        replacing(target, ours=ours) as temporary,
        temporary.open("w", encoding="utf-8", errors="replace", newline="\n") as file,
        Progress("parsing", words) as progress,
    ):
        file.write(f"{MARK} with {visible(parser)}\n")
        for sentences in _parsed(source, pipeline):
            found = sum(len(sentence.words) for sentence in sentences)
            if not found:
                continue
            file.write("# newpar\n")
            for sentence in sentences:
                file.writelines(write_sentence(part) for part in cut_sentence(sentence, LONGEST_SENTENCE))
            progress.advance(found)
            if words is not None and progress.done >= words:
                break
        if not progress.done:
            raise InputError("the corpus has no words to parse; give other text")
    return target


def load_parser(name: str) -> Any:
    """Load a spaCy pipeline that parses."""
    pipeline = load_pipeline(name, without=["ner", "lemmatizer"])
    if "parser" not in pipeline.pipe_names:
        raise InputError(f"the spaCy pipeline {name!r} has no parser; choose another one")
    return pipeline


def _parsed(source: Corpus, pipeline: Any) -> Iterator[list[ParsedSentence]]:
    """Yield the sentences of each paragraph; a very long one comes in parts, which spaCy can take."""

    def texts() -> Iterator[str]:
        for _, paragraph in source.paragraphs():
            if is_parsed(paragraph):
                raise InputError("the corpus is parsed already; read it with --corpus as it is")
            text = visible(paragraph)
            for start in range(0, len(text), SPACY_CHARACTERS):
                yield text[start : start + SPACY_CHARACTERS]

    for document in pipeline.pipe(texts(), batch_size=AT_ONCE):
        yield [sentence for span in document.sents if (sentence := _sentence(span)).words]


def _sentence(span: Any) -> ParsedSentence:
    """Return a sentence of spaCy's without the tokens that are spaces; what hangs from one hangs from its head."""
    kept = [token for token in span if not token.is_space]
    places = {token.i: place for place, token in enumerate(kept)}
    words: list[str] = []
    heads: list[int] = []
    relations: list[str] = []
    for token in kept:
        head = token.head
        while head.i not in places and head.head.i != head.i:
            head = head.head
        words.append("_".join(token.text.split()))
        heads.append(-1 if head.i == token.i else places.get(head.i, -1))
        relations.append(token.dep_ or "dep")
    return ParsedSentence(words, heads, relations)
