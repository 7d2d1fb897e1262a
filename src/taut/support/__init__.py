"""Parts that know nothing of privacy: errors, limits, options, files, parallel work, numbers, pictures."""
