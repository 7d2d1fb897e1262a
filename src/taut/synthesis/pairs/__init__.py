"""The worst pair of neighbours, for measures that add up outputs."""
