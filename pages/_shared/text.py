"""Foreign text on a page: names of files, keys and columns come from users and are never markup."""


def plain(text: object) -> str:
    """The text as Markdown shows it literally, on one line."""
    line = " ".join(str(text).split())
    return "".join(f"\\{c}" if c in r"\`*_{}[]()<>#+-.!|~$:@&^=" else c for c in line)
