"""Access to the samples of measured checkpoints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from prviz.measure.workload import cut
from prviz.neighbors import MEMORY_LIMIT
from prviz.samples import SamplePair, Samples
from prviz.triage.inputs import Checkpoint
from prviz.triage.measure import FAILURES, samples_at
from prviz.triage.measured import MeasuredCheckpoint, TriageSettings
from prviz.triage.result_cache import ResultCache


@dataclass(frozen=True, eq=False, kw_only=True)
class SampleAccess:
    """How samples of measured checkpoints are read, and what is found in them kept.

    settings : of the measurements. load : reads the samples of a checkpoint; None: its file.
    store : keeps what is found; None: nothing is kept. memory_limit : bytes beyond the samples.
    """

    settings: TriageSettings
    load: Callable[[Checkpoint], Samples] | None = None
    store: ResultCache | None = None
    memory_limit: int = MEMORY_LIMIT

    def pair(self, reference: Samples, measured: MeasuredCheckpoint) -> SamplePair | None:
        """The reference and the samples as they were measured; None if their file has changed or is unreadable."""
        checkpoint = measured.checkpoint
        try:
            if self.load:
                generated = self.load(checkpoint)
            else:
                generated = samples_at(checkpoint.path, self.settings, checkpoint.below)
            # its features in the order of the reference
            generated = SamplePair(reference, generated).generated
        except FAILURES:
            return None
        generated = cut(generated, measured.n_generated, self.settings.seed)
        if generated.digest == measured.digests.generated:
            return SamplePair(reference, generated)
        return None
