"""Programs as expressions of Booleans, bounded integers and tosses: all that other tools have in common."""
