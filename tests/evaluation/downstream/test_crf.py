"""The CRF against every path there is."""

from __future__ import annotations

import itertools

import pytest
import torch

from wordstill.evaluation.downstream.crf import Crf
from wordstill.evaluation.downstream.spans import may_follow

TAGS, WORDS = 4, 5


def made(seed: int, allowed: torch.Tensor | None = None) -> tuple[Crf, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    crf = Crf(TAGS, allowed).double()
    crf.transitions.data = torch.randn(TAGS + 1, TAGS + 1, generator=generator, dtype=torch.float64)
    return crf, 2 * torch.randn(3, WORDS, TAGS, generator=generator, dtype=torch.float64)


def literal_score(crf: Crf, emissions: torch.Tensor, path: tuple[int, ...]) -> float:
    """The score of one path, written as the paper writes it."""
    moves = (crf.transitions + crf.penalty).detach()
    total = moves[TAGS, path[0]] + moves[path[-1], TAGS]
    total = total + sum(emissions[place, tag] for place, tag in enumerate(path))
    return float(total + sum(moves[one, two] for one, two in itertools.pairwise(path)))


@pytest.mark.parametrize("lengths", [[5, 5, 5], [5, 3, 1]])
@pytest.mark.parametrize("constrained", [False, True])
def test_losses_and_best_paths_are_those_of_an_enumeration(lengths: list[int], constrained: bool) -> None:
    names = ["O", "B-x", "I-x", "B-y", None]
    allowed = torch.tensor([[may_follow(one, two, "bio") for two in names] for one in names])
    crf, emissions = made(0, allowed if constrained else None)
    sizes = torch.tensor(lengths)
    tags = torch.tensor([[1, 2, 0, 3, 0], [0, 1, 2, 0, 0], [3, 0, 0, 0, 0]])
    with torch.no_grad():
        loss, best = crf.loss(emissions, tags, sizes), crf.best(emissions, sizes)
    expected = 0.0
    for number, length in enumerate(lengths):
        paths = list(itertools.product(range(TAGS), repeat=length))
        each = [literal_score(crf, emissions[number], path) for path in paths]
        gold = tuple(tags[number, :length].tolist())
        expected += float(torch.logsumexp(torch.tensor(each), 0)) - literal_score(crf, emissions[number], gold)
        assert tuple(best[number]) == paths[each.index(max(each))]
    assert float(loss) == pytest.approx(expected, abs=1e-4)


def test_the_gradient_is_that_of_the_definition() -> None:
    crf, emissions = made(1)
    emissions.requires_grad_(True)
    sizes, tags = torch.tensor([5, 4, 1]), torch.randint(TAGS, (3, WORDS), generator=torch.Generator().manual_seed(2))

    def loss(given: torch.Tensor, moves: torch.Tensor) -> torch.Tensor:
        return torch.func.functional_call(crf, {"transitions": moves}, ("loss", given, tags, sizes))

    crf.forward = lambda name, *given: getattr(crf, name)(*given)  # type: ignore[method-assign]
    assert torch.autograd.gradcheck(loss, (emissions, crf.transitions.detach().clone().requires_grad_(True)))


def test_words_that_are_sure_of_their_tags_neither_overflow_nor_vanish() -> None:
    crf = Crf(TAGS)
    emissions = torch.zeros(1, WORDS, TAGS)
    emissions[0, :, 1] = 2000.0
    with torch.no_grad():
        right, wrong = (
            crf.loss(emissions, torch.full((1, WORDS), tag), torch.tensor([WORDS])).item() for tag in (1, 0)
        )
    assert (right, wrong) == (0.0, pytest.approx(2000.0 * WORDS))


def test_forbidden_moves_are_never_taken_even_where_words_ask_for_them() -> None:
    names = ["O", "B-x", "I-x", "E-x", None]
    allowed = torch.tensor([[may_follow(one, two, "bioes") for two in names] for one in names])
    crf = Crf(TAGS, allowed)
    emissions = torch.zeros(1, WORDS, TAGS)
    emissions[0, :, 2] = 50.0  # every word alone would be I-x
    (path,) = crf.best(emissions, torch.tensor([WORDS]))
    assert [names[tag] for tag in path] == ["B-x", "I-x", "I-x", "I-x", "E-x"]
    assert torch.isfinite(crf.loss(emissions, torch.tensor([path]), torch.tensor([WORDS])))
