"""Ways to ask: the command line, the page, reports, sweeps, comparisons and the paper's tables."""
