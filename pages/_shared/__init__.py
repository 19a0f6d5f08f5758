"""Code that several pages share: results, caches, uploads, pictures, widgets, style."""
