"""Bounded stores of what the app has read, drawn and measured."""

from __future__ import annotations

from dataclasses import InitVar, dataclass, field

from prviz.recent import LeastRecentlyUsed
from prviz.server.limits import limits

# Limits of each store, in entries and bytes; on a shared server a part of them. Uploads go into
# stores of the visitor alone, so that nobody sees another visitor's data. Samples and profiles have
# their own stores, as a large one would otherwise displace everything else.
CAPACITY = 48
RESULTS_BYTES = 200_000_000
SAMPLES_CAPACITY = 24
SAMPLES_BYTES = 400_000_000
PROFILES_CAPACITY = 4
PROFILES_BYTES = 200_000_000
# Snapshots of films and pinned states: room for more than one question can need, as it would
# otherwise measure some again and again.
SNAPSHOTS_CAPACITY = 120
SNAPSHOTS_BYTES = 60_000_000


@dataclass(kw_only=True, eq=False)
class Stores:
    """The stores of one visitor.

    beyond : shared stores that also get everything, and are searched for what is missing here.
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
        """Keep the present entries, whatever is added later."""
        for store in self._all:
            store.keep()

    def clear(self) -> None:
        """Remove all entries."""
        for store in self._all:
            store.clear()


# Shared store for toys and bundled sets, which are the same for everybody: what one visitor has
# waited for, the next one finds. Each visitor has own stores in front of it, so that other visitors
# can't displace what is in use.
PUBLIC = Stores()
