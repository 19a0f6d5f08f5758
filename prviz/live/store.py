"""What has been read, drawn and measured for the app, in bounded stores."""

from __future__ import annotations

from dataclasses import dataclass, field

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
    """What one visitor has read, drawn and measured."""

    results: LeastRecentlyUsed = field(
        default_factory=lambda: LeastRecentlyUsed(CAPACITY, limits.part(RESULTS_BYTES))
    )
    samples: LeastRecentlyUsed = field(
        default_factory=lambda: LeastRecentlyUsed(SAMPLES_CAPACITY, limits.part(SAMPLES_BYTES))
    )
    profiles: LeastRecentlyUsed = field(
        default_factory=lambda: LeastRecentlyUsed(PROFILES_CAPACITY, limits.part(PROFILES_BYTES))
    )
    snapshots: LeastRecentlyUsed = field(
        default_factory=lambda: LeastRecentlyUsed(
            SNAPSHOTS_CAPACITY, limits.part(SNAPSHOTS_BYTES), stay=40
        )
    )

    def clear(self) -> None:
        """Forget all of it."""
        for store in (self.results, self.samples, self.profiles, self.snapshots):
            store.clear()


# Of toys and bundled sets, which are the same for every visitor: what one has waited for, the next
# one finds.
PUBLIC = Stores()


def public_stores() -> Stores:
    """One visitor's stores of toys and bundled sets: what is in use stays, whatever others do."""
    return Stores(
        results=LeastRecentlyUsed(CAPACITY, limits.part(RESULTS_BYTES), beyond=PUBLIC.results),
        samples=LeastRecentlyUsed(
            SAMPLES_CAPACITY, limits.part(SAMPLES_BYTES), beyond=PUBLIC.samples
        ),
        profiles=LeastRecentlyUsed(
            PROFILES_CAPACITY, limits.part(PROFILES_BYTES), beyond=PUBLIC.profiles
        ),
        snapshots=LeastRecentlyUsed(
            SNAPSHOTS_CAPACITY, limits.part(SNAPSHOTS_BYTES), stay=40, beyond=PUBLIC.snapshots
        ),
    )
