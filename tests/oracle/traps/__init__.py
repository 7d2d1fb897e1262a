"""Small mechanisms, each with one piece of Python that is easily misread; CPython says what they mean."""
