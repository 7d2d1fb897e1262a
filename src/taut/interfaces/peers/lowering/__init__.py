"""Programs as expressions of Booleans, bounded integers and tosses, the common language of other tools."""
