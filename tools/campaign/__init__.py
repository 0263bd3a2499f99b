"""The campaign against wordstill: kills, full disks, mutated inputs, hostile names. `make campaign MINUTES=30` runs it.

    mutations.py   how bytes are damaged
    samples.py     a small sound input for every reader
    readers.py     every reader, and what must hold of what it returns
    mutated.py     a reader and a damaged input
    runs.py        real runs of `wordstill distill` in processes of their own
    kills.py       runs that are killed and resumed
    states.py      the state of an unfinished run with a file of it damaged
    disks.py       runs on a disk that is too small
    names.py       names, words and notes that a terminal, LaTeX or a spreadsheet would obey
    __main__.py    the command

Every case follows from the seed and its name alone: `python -m campaign --seed S --case kill-17` repeats it.
"""
