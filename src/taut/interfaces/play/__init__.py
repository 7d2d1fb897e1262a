"""``taut play``: a page on this machine where mechanisms are written, asked about and looked at."""
