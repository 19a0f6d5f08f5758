"""Pictures below one folder of this computer; nothing outside it can be opened."""

from __future__ import annotations

import os
from pathlib import Path

from prviz.readers.errors import quoted
from prviz.readers.limits import human_size
from prviz.readers.media.errors import MediaError, MissingPictureError
from prviz.readers.media.limits import PictureLimits
from prviz.readers.media.names import plain_path
from prviz.readers.safe_folder import Below, BelowError, LinkOutError, OutsideError

__all__ = ["FolderPictures"]


class FolderPictures:
    """Pictures below a folder, by their paths in it, opened through `prviz.readers.safe_folder.Below`.

    Parameters
    ----------
    folder : path of the folder.
    title : name of the folder in messages; by default its own name.

    Raises
    ------
    MediaError : it is no folder, or can't be read.
    """

    def __init__(self, folder: str | os.PathLike[str], *, title: str = "", limits: PictureLimits | None = None) -> None:
        try:
            self._below = Below(folder)
        except NotADirectoryError as error:
            raise MediaError(f"{quoted(str(folder))}: not a folder.") from error
        except (OSError, RuntimeError, ValueError) as error:
            raise MediaError(f"{quoted(str(folder))}: no such folder, or one that can't be read.") from error
        self.title = title or self._below.root.name
        self._limits = limits or PictureLimits()

    def locate(self, name: str) -> str:
        """Path below the folder of the existing picture called `name`.

        Raises
        ------
        MissingPictureError : there is none.
        MediaError : an absolute path, one with "..", a link out of the folder, or something that is no regular file.
        """
        self._found(name)
        return plain_path(name)

    def _found(self, name: str) -> Path:
        try:
            return self._below.find(name)
        except LinkOutError:
            raise MediaError(f"{quoted(name)}: leads out of {self.title}. Put the pictures themselves there.") from None
        except OutsideError as error:
            only = f"only paths below {self.title} are opened, without '..' or a root"
            raise MediaError(f"{quoted(name)}: {only}.") from error
        except BelowError as error:
            raise MediaError(f"{quoted(name)}: no regular file.") from error
        except OSError as error:
            raise MissingPictureError(f"{quoted(name)}: not in {self.title}") from error

    def get(self, name: str) -> bytes:
        """The contents of the picture called `name`.

        Raises
        ------
        MediaError : as `locate`; or the file can't be opened or is too large.
        """
        found, most = self._found(name), self._limits.file_bytes
        try:
            with self._below.open(found) as stream:
                data = stream.read(most + 1)
        except BelowError as error:
            raise MediaError(f"{quoted(name)}: no regular file.") from error
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise MediaError(f"{quoted(name)}: can't be opened: {reason}.") from error
        if len(data) > most:
            raise MediaError(f"{quoted(name)}: more than {human_size(most)}.")
        return data
