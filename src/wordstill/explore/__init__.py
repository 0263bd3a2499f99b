"""Looking at vectors: charts, plots, reports."""
