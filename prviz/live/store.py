"""Stores, of bounded size, of what the app has read, drawn and measured."""

from __future__ import annotations

from dataclasses import InitVar, dataclass, field

from prviz.recent import LeastRecentlyUsed
from prviz.server.limits import limits

# Largest sizes of each visitor's stores, in entries and bytes; on a shared server, a part of these
# bytes. Samples and profiles have their own stores, because a large one would displace everything
# else. Uploads are never put into shared stores, so that nobody sees another visitor's data.
CAPACITY = 48
RESULTS_BYTES = 200_000_000
SAMPLES_CAPACITY = 24
SAMPLES_BYTES = 400_000_000
PROFILES_CAPACITY = 4
PROFILES_BYTES = 200_000_000
# For snapshots of films and pinned states: more than one question can need, because otherwise it
# would measure some of them again and again.
SNAPSHOTS_CAPACITY = 120
SNAPSHOTS_BYTES = 60_000_000


@dataclass(kw_only=True, eq=False)
class Stores:
    """The stores of one visitor, or shared ones (`PUBLIC`).

    beyond : shared stores. They get a copy of everything, and are searched for what is missing
    here.
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
        """Protect the present entries: later ones do not displace them."""
        for store in self._all:
            store.keep()

    def clear(self) -> None:
        """Remove all entries."""
        for store in self._all:
            store.clear()


# Shared stores for toys and bundled sets, which are the same for everybody: a result measured for
# one visitor is there for the next one. Each visitor's own stores come first, so that other
# visitors can't displace what is in use.
PUBLIC = Stores()
