"""Do shards in this process, one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import Protocol

from wordstill.distillation.opening import OpenRun
from wordstill.distillation.reading import Prepared, ShardText, prepare_shards, shard_texts
from wordstill.distillation.shard_work import Pulse, ShardFolder, ShardWork
from wordstill.distillation.shards import Shard
from wordstill.distillation.teaching import Teaching
from wordstill.system.progress import Progress

# The part of a clock in which shards are done; each has a clock of its own.
SHARDS = "shards"


class Done(Protocol):
    """Called with each shard that is finished, and what is still in memory of it."""

    def __call__(self, shard: Shard, work: ShardWork | None = None) -> None:
        """Take note of it."""


def do_shards(run: OpenRun, shards: Sequence[Shard], pulse: Pulse, done: Done, *, shared: bool = False) -> None:
    """Do these shards, given in their order.

    A shard that another process is at, such as a worker that a killed run left behind, is waited for; with `shared`,
    where other processes are expected, it is left to them.
    """
    waiting = None if shared else pulse
    teaching = Teaching(run.order, run.teacher, pulse, run.fast)
    texts = [shard for shard in shards if shard.kind == "text"]
    total = sum(shard.size for shard in run.shards if shard.kind == "text")
    if texts:
        before = total - sum(shard.size for shard in texts)
        label = "distilling" if teaching.preparing else "reading"
        with Progress(label, total, before) as progress:
            for text, paragraphs in _prepared(run, teaching, texts):
                with _folder(run, text.shard).claimed(waiting) as mine, run.clock.part(SHARDS):
                    if mine:
                        work = teaching.read_text(text, paragraphs, _folder(run, text.shard), progress.advance)
                if mine:
                    done(text.shard, work)
    words = [shard for shard in shards if shard.kind == "vocabulary"]
    if words:
        size = len(run.order.vocabulary)
        with Progress("encoding words alone", size, size - sum(shard.size for shard in words)) as progress:
            for shard in words:
                with _folder(run, shard).claimed(waiting) as mine, run.clock.part(SHARDS):
                    if mine:
                        work = teaching.encode_words(shard, _folder(run, shard), progress.advance)
                if mine:
                    done(shard, work)


def _prepared(
    run: OpenRun, teaching: Teaching, shards: Sequence[Shard]
) -> Iterator[tuple[ShardText, Iterable[Prepared] | None]]:
    """Yield shards with their words, and as the teacher reads them where it does."""
    assert run.source is not None
    in_order = run.reading()
    texts = shard_texts(run.source, run.counted.text, run.order.vocabulary.phrases, shards, in_order)
    prepare = teaching.preparing
    if prepare is None:
        made: Iterator[tuple[ShardText, Iterable[Prepared] | None]] = zip(texts, repeat(None))
    else:
        made = iter(prepare_shards(texts, prepare, in_order, run.order.settings.buffer_tokens))
    while True:
        with run.clock.part("read"):
            found = next(made, None)
        if found is None:
            return
        yield found


def _folder(run: OpenRun, shard: Shard) -> ShardFolder:
    return ShardFolder(run.state.shards / shard.name)
