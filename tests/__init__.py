"""Tests of prviz; a package, so that ``tests.browser`` can't be taken for somebody else's."""
