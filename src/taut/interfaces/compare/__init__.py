"""The same question to several tools: measured one by one, kept, judged against the exact answer, shown."""
