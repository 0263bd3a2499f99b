"""Property tests that write files take as long as the disk takes: no deadline."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("files", deadline=None)
settings.load_profile("files")
