"""What vectors are judged by. A new task is one file here, with a `TASK`, and one line in TASKS.

A task's module is imported when it is first asked for; packages such as scikit-learn wait until it judges.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wordstill.evaluation.tasks.task import Task

# The module of each task, in the order in which tables and reports show them.
TASKS: dict[str, str] = {
    "similarity": "wordstill.evaluation.tasks.similarity",
    "analogy": "wordstill.evaluation.tasks.analogy",
    "relations": "wordstill.evaluation.tasks.relations",
    "categorization": "wordstill.evaluation.tasks.categorization",
    "sentences": "wordstill.evaluation.tasks.sentences",
    "classification": "wordstill.evaluation.tasks.classification",
    "probe": "wordstill.evaluation.tasks.probe",
    "tagging": "wordstill.evaluation.tasks.tagging",
}


def find_task(name: str) -> Task | None:
    """Return the task of that name; None where there is none (a mean over several tasks has one too)."""
    if name not in TASKS:
        return None
    found: Task = import_module(TASKS[name]).TASK
    return found


def all_tasks() -> list[Task]:
    """Return every task, in order."""
    return [found for name in TASKS if (found := find_task(name)) is not None]
