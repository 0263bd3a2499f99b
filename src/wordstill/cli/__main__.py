"""`python -m wordstill.cli`, the same as the console command."""

import sys

from wordstill.cli import main

sys.exit(main())
