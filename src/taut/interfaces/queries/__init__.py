"""Mechanisms, arguments and questions as they are typed."""
