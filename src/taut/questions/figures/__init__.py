"""Pictures of answers, drawn when they are asked for."""
