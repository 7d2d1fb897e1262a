"""Parameters left free: bounds as functions of them, and the values that meet a budget."""
