"""The engine's inner loops in C, and the script that compiles them."""
