"""Threads that measure for all visitors and never delay the server's exit. Nothing here knows Streamlit."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from queue import SimpleQueue
from typing import Any, ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")


class Workers(Executor):
    """An executor whose `count` threads start with the first call; calls run in the order of submission.

    A ThreadPoolExecutor would let the interpreter end only after all its calls; these threads end with the interpreter.
    """

    def __init__(self, count: int) -> None:
        self._max_workers = count
        self._lock = threading.Lock()
        self._waiting: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        self._begun = False

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        self._waiting.put((future, partial(fn, *args, **kwargs)))
        with self._lock:
            if not self._begun:
                self._begun = True
                for _ in range(self._max_workers):
                    threading.Thread(target=self._serve, name="prviz-task", daemon=True).start()
        return future

    def _serve(self) -> None:
        while True:
            future, call = self._waiting.get()
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(call())
                except BaseException as error:  # noqa: BLE001 - raised by `Future.result`
                    future.set_exception(error)
            del future, call  # frees their memory while the thread waits
