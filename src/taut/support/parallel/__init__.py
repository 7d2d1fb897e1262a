"""Parallel work on several cores or machines: pieces go to an executor, and lost pieces are repeated."""
