"""Executors on other machines by Dask, which the extra ``prviz[dask]`` installs."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any

from prviz.neighbors.threads import available_threads

__all__ = ["dask_executor"]

# Seconds that a scheduler may take to answer.
CONNECT_SECONDS = 10


@contextmanager
def dask_executor(scheduler: str | None = None) -> Iterator[Executor]:
    """An executor on the workers of a scheduler, or of a local cluster with a process per core.

    scheduler : its address, such as "tcp://host:8786"; None: a local cluster, closed at the end.

    Tasks of a worker that dies go to another one. Raises ValueError if Dask is not installed or no scheduler answers.
    """
    try:
        import distributed
    except ImportError:
        raise ValueError('Dask is not installed; `pip install "prviz[dask]"` brings it') from None
    dask: Any = distributed  # ships no types
    cluster = (
        None
        if scheduler
        else dask.LocalCluster(n_workers=available_threads(), threads_per_worker=1, dashboard_address=None)
    )
    try:
        client = dask.Client(scheduler or cluster, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        raise ValueError(
            f"no scheduler answers at {scheduler} ({error}); an address like tcp://host:8786 is needed"
        ) from None
    try:
        with client.get_executor(retries=2) as executor:
            yield executor
    finally:
        client.close()
        if cluster is not None:
            cluster.close()
