"""Code that several pages share: the problem and its results, caches, uploads, media, style."""
