"""A toy problem with the roles of its two distributions swapped: the curve is mirrored, lam becomes
1 / lam.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from prviz.arrays import Array, Flags, Floats, Rng
from prviz.curves import PRCurve
from prviz.samples import SamplePair, Samples
from prviz.toys.base import SupportMasses, ToyProblem

_SAME = (
    "title",
    "source",
    "summary",
    "specs",
    "presets",
    "paper_n",
    "preset_n",
    "dtype",
    "area_error",
)


@dataclass(frozen=True)
class Swapped(ToyProblem):
    """A toy with swapped roles: the generated distribution of the toy `of` is the real one here,
    and vice versa.

    of : the toy problem to swap; this object has its parameters.
    """

    of: ToyProblem = field(kw_only=True)

    def __post_init__(self) -> None:
        for name in _SAME:
            object.__setattr__(self, name, getattr(self.of, name))
        object.__setattr__(self, "name", f"{self.of.name}, roles swapped")
        object.__setattr__(self, "settings", self.of.settings)

    @property
    def d(self) -> int:
        """Number of features of every sample."""
        return self.of.d

    @property
    def default_n(self) -> int:
        """Number of samples per distribution in the paper's setting."""
        return self.of.default_n

    def sample(self, n: int, seed: int = 0) -> SamplePair:
        """The samples of the toy `of`, with swapped roles."""
        real, generated = self.of.sample(n, seed)
        return SamplePair(Samples(generated.values, "real"), Samples(real.values, "generated"))

    @property
    def support_masses(self) -> SupportMasses:
        """Closed-form masses of the supports and the co-support, mirrored."""
        q_of_p, q_of_both, p_of_q, p_of_both = self.of.support_masses
        return SupportMasses(p_of_q, p_of_both, q_of_p, q_of_both)

    def limit(self, method: str, k: int) -> PRCurve:
        """The limit of the toy `of`, mirrored. That is correct because every family treats the two
        roles alike.
        """
        return self.of.limit(method, k).mirrored()

    def _draw_real(self, n: int, rng: Rng) -> Array:
        return self.of._draw_generated(n, rng)

    def _draw_generated(self, n: int, rng: Rng) -> Array:
        return self.of._draw_real(n, rng)

    def _log_ratio(self, z: Array) -> Floats:
        return -self.of._log_ratio(z)

    def _in_supports(self, z: Array) -> tuple[Flags, Flags]:
        real, generated = self.of._in_supports(z)
        return generated, real

    def _truth(self) -> PRCurve:
        return self.of.truth().mirrored()
