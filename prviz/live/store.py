"""What has been read, drawn and measured for the app, in bounded stores."""

from __future__ import annotations

from dataclasses import InitVar, dataclass, field

from prviz.recent import LeastRecentlyUsed
from prviz.server.limits import limits

# Limits of each store, in entries and bytes; a shared server gives a part of them. Every visitor
# has own stores for uploads, so that none sees another's data. Samples and profiles have stores of
# their own: a large one must not push out everything else.
CAPACITY = 48
RESULTS_BYTES = 200_000_000
SAMPLES_CAPACITY = 24
SAMPLES_BYTES = 400_000_000
PROFILES_CAPACITY = 4
PROFILES_BYTES = 200_000_000
# Frames of films and pinned states: more than one question can need, which would be measured again
# and again.
SNAPSHOTS_CAPACITY = 120
SNAPSHOTS_BYTES = 60_000_000


@dataclass(kw_only=True, eq=False)
class Stores:
    """What one visitor has read, drawn and measured.

    beyond : stores of several, which get all of it too, and are asked for what is missing here.
    """

    results: LeastRecentlyUsed = field(init=False)
    samples: LeastRecentlyUsed = field(init=False)
    profiles: LeastRecentlyUsed = field(init=False)
    snapshots: LeastRecentlyUsed = field(init=False)
    beyond: InitVar[Stores | None] = None

    def __post_init__(self, beyond: Stores | None) -> None:
        def store(name: str, entries: int, size: int, stay: int = 2) -> LeastRecentlyUsed:
            of_several: LeastRecentlyUsed | None = getattr(beyond, name, None)
            return LeastRecentlyUsed(entries, limits.part(size), stay=stay, beyond=of_several)

        self.results = store("results", CAPACITY, RESULTS_BYTES)
        self.samples = store("samples", SAMPLES_CAPACITY, SAMPLES_BYTES)
        self.profiles = store("profiles", PROFILES_CAPACITY, PROFILES_BYTES)
        self.snapshots = store("snapshots", SNAPSHOTS_CAPACITY, SNAPSHOTS_BYTES, stay=40)

    @property
    def _all(self) -> tuple[LeastRecentlyUsed, ...]:
        return self.results, self.samples, self.profiles, self.snapshots

    def keep(self) -> None:
        """Hold what is there now, whatever comes later."""
        for store in self._all:
            store.keep()

    def clear(self) -> None:
        """Forget all of it."""
        for store in self._all:
            store.clear()


# Of toys and bundled sets, which are the same for every visitor: what one has waited for, the next
# one finds. A visitor has own stores before them: what is in use stays, whatever others do.
PUBLIC = Stores()
