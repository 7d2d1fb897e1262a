"""How long things take, how much memory they need, how both grow, and what other tools need for the same."""
