"""What is asked: a mechanism and its arguments as they are typed, and the questions about it."""
