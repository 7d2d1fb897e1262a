"""Work in pieces, on more than one core or machine: pieces go to an executor, and lost ones are done again."""
