r"""Tiles whose products and comparisons PyTorch computes on a device; only entries within limits,
bounds and counts come back.

Comparisons that the device can't decide are rechecked by reference distances on the processor, so
that results equal those of NumPy's tiles bit for bit. The error bound of `products` holds for them:
they add squared norms first, then inner products of at most PART terms, each in one addition. For d
up to PART `products` adds in another order; the order here errs by gamma_{(d+1)/2 + 11}, which is
at most gamma_{d+10} if d is 3 or more. With few features distances are direct and no device is
used.

**Full precision.** PyTorch may multiply in TF32 or bfloat16, as settings of the process, the thread
and the environment say, which other code can change at any time. Every product therefore has one
more row on both sides, the check row, with 1 + 2^-11 as its first feature. Any shorter format
computes its inner product wrongly, and that raises ValueError.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from prviz.arrays import Array, Counts, Floats, Ints
from prviz.neighbors.kernels import Entries, Ranked
from prviz.neighbors.point_sets import PointSet, Scratch, slices
from prviz.neighbors.products import PART
from prviz.neighbors.threads import available_threads
from prviz.neighbors.tiles import Ball, Tile, minima_of

with suppress(ModuleNotFoundError):  # Without PyTorch, `on_device` raises.
    import torch

# Bytes of a block's distances on a device: large, for long products and few steps per entry.
_BLOCK_BYTES = 1 << 25
# _TILE_BYTES: bytes on the device per byte of a tile, including all that is computed from it.
# _ROWS_SHARE: divisor; this part of a thread's memory is for the rows of one side of a product.
# _LEAST_ROWS: least number of these rows.
_TILE_BYTES = 16
_ROWS_SHARE = 8
_LEAST_ROWS = 16
_NO_ROWS: Ints = np.empty(0, dtype=np.intp)


class TorchDevice:
    """A device of PyTorch: "cpu", or a graphics processor, "cuda" or "cuda:1"."""

    def __init__(self, name: str) -> None:
        accepted = ["cpu", *(f"cuda:{place}" for place in range(torch.cuda.device_count()))]
        if name not in accepted and not (name == "cuda" and len(accepted) > 1):
            raise ValueError(
                f"device {name!r} is none that PyTorch {torch.__version__} has here; accepted:"
                f" {', '.join(accepted)}"
            )
        self.device = torch.device(name)

    def place(self, point_sets: Sequence[PointSet], memory_limit: int) -> None:
        """Place sets on the device; their rows are stored there if they fit into its memory.

        memory_limit : bytes that may be used on the device "cpu". On another device half of its
        free memory may be used.
        """
        room = memory_limit
        if self.device.type == "cuda":
            free, _ = torch.cuda.mem_get_info(self.device)
            kept = torch.cuda.memory_reserved(self.device)
            room = (free + kept - torch.cuda.memory_allocated(self.device)) // 2
        arithmetic = point_sets[0].arithmetic
        row_bytes = point_sets[0].rows.d * np.dtype(arithmetic.dtype).itemsize
        stored = sum(len(each) + 1 for each in point_sets) * row_bytes <= room // 2
        share = room // (2 * available_threads())
        for each in point_sets:
            each.placed = PlacedSet(
                each,
                self.device,
                at_once=max(share // (_ROWS_SHARE * row_bytes), _LEAST_ROWS),
                block_bytes=max(min(share // _TILE_BYTES, _BLOCK_BYTES), 1),
            )
            if stored:
                each.placed.store()


class PlacedSet:
    """A set of samples on a device, which makes tiles.

    at_once : most rows of either side of a product.
    block_bytes : bytes of a block's distances.
    """

    def __init__(
        self, point_set: PointSet, device: torch.device, *, at_once: int, block_bytes: int
    ) -> None:
        self.at_once = at_once
        self.block_bytes = block_bytes
        self._point_set = point_set
        self._device = device
        self._stored: Any = None
        dtype = np.dtype(point_set.arithmetic.dtype)
        # The check row shows whether the device multiplies at full precision. In float32 it is
        # 1 + 2^-11, then zeros: at full precision its squared norm has no rounding.
        self._check = np.zeros((1, point_set.rows.d), dtype)
        self._check[0, 0] = 1 + 2.0 ** -(np.finfo(dtype).nmant // 2)

    def store(self) -> None:
        """Keep all rows on the device, with the check row below them."""
        n = len(self._point_set)
        scratch = Scratch()
        stored = self._there(self._check).expand(n + 1, -1).contiguous()
        for part in slices(n, self.at_once):
            stored[part] = torch.from_numpy(self._point_set.rounded(part, scratch))
        self._stored = stored
        self.at_once = max(self.at_once, n)

    def tile(self, rows: slice, right: PlacedSet, columns: slice, scratch: Scratch) -> Tile:
        """The tile of some rows against columns of another set."""
        near = self._rows(rows, scratch)
        squares = self._squares(rows)
        parts = []
        for start in range(columns.start, columns.stop, right.at_once):
            part = slice(start, min(start + right.at_once, columns.stop))
            parts.append(self._distances(near, squares[:, None], right, part, scratch))
        return TorchTile(
            left=self._point_set,
            rows=rows,
            right=right._point_set,
            columns=columns,
            values=torch.cat(parts, dim=1),
            scratch=scratch,
        )

    def _distances(
        self, near: Any, squares: Any, right: PlacedSet, part: slice, scratch: Scratch
    ) -> Any:
        """(m, n) approximate squared distances from the rows ``near`` to part of another set."""
        far = right._rows(part, scratch)
        values = squares + right._squares(part)
        with torch.autocast(self._device.type, enabled=False):
            for first in range(0, far.shape[1], PART):
                features = slice(first, first + PART)
                values.add_(torch.matmul(near[:, features], far[:, features].T), alpha=-2)
        if float(values[-1, -1]) != -2 * float(self._check[0, 0]) ** 2:
            raise ValueError(
                f"PyTorch multiplies {self._check.dtype} in a shorter format on {self._device};"
                ' torch.set_float32_matmul_precision("highest") is needed, and no'
                " NVIDIA_TF32_OVERRIDE in the environment"
            )
        return values[:-1, :-1]

    def _rows(self, part: slice, scratch: Scratch) -> Any:
        """(m + 1, d) rows a' of `products`, and the check row."""
        if self._stored is None:
            rounded = self._point_set.rounded(part, scratch)
            return self._there(np.concatenate([rounded, self._check]))
        if part == slice(0, len(self._point_set)):
            return self._stored
        return torch.cat([self._stored[part], self._stored[-1:]])

    def _squares(self, part: slice) -> Any:
        """(m + 1,) squared norms; 0 for the check row."""
        return self._there(np.pad(self._point_set.squares[part], (0, 1)))

    def _there(self, values: Array) -> Any:
        return torch.tensor(values, device=self._device)


class TorchTile(Tile):
    """A tile whose values stay on its device."""

    def count(self, balls: Sequence[Ball], *, columns: bool = False) -> list[tuple[Counts, Counts]]:
        """`Tile.count`, but always by masks: on a device they cost less than copying picked entries
        to the processor.
        """
        return [self.count_by_masks(ball, columns) for ball in balls]

    def to_numpy(self) -> Array:
        """All values, (m, n)."""
        return _here(self.values)

    def ranked(self, limits: Floats, errors: Floats) -> Ranked:
        """`Tile.ranked`, by binary searches on the device."""
        m = len(self.values)
        q = limits.shape[-1]
        table = self._there(limits)

        def below(off: Any, *, right: bool = False) -> Any:
            wide = self.values + off
            if limits.ndim == 1:
                return torch.searchsorted(table, wide.contiguous(), right=right)
            return torch.searchsorted(table, wide.T.contiguous(), right=right).T

        off = self._there(errors[:, None] if limits.ndim == 1 else errors)
        places = below(0 * off) + (q + 1) * torch.arange(m, device=off.device)[:, None]
        rows = columns = _NO_ROWS
        if not self.arithmetic.exact:
            unclear = below(-off) != below(off, right=True)
            places.masked_fill_(unclear, m * (q + 1))
            rows, columns = _places(unclear)
        counts = _here(torch.bincount(places.ravel(), minlength=m * (q + 1) + 1))
        return Ranked(counts[:-1].reshape(m, q + 1), rows, columns)

    def _smallest_bound(self, k: int) -> Array:
        groups, width = minima_of(self.values.shape[1], k)
        minima = self.values[:, : groups * width].unflatten(1, (groups, width)).amin(1)
        return _here(minima.topk(k, largest=False).values.amax(1, keepdim=True))

    def _entries_within(self, by_row: Array | None, by_column: Array | None) -> Entries:
        inside = torch.zeros_like(self.values, dtype=torch.bool)
        if by_row is not None:
            inside |= self.values <= self._there(by_row)[:, None]
        if by_column is not None:
            inside |= self.values <= self._there(by_column)
        rows, columns = _places(inside)
        starts = np.searchsorted(rows, np.arange(len(self.values) + 1))
        return Entries(rows, columns, _here(self.values[inside]), starts)

    def _masked(
        self,
        ball: Ball,
        weights: Floats | None,
        columns: bool,  # noqa: ARG002
    ) -> tuple[Counts, Counts, Ints, Ints]:
        sure = self.values <= self._there(ball.spread(ball.sure))
        by_row = sure.sum(1)
        if weights is not None:
            by_row = (sure.double() @ self._there(weights)).long()
        counts = _here(by_row), _here(sure.sum(0))
        if self.arithmetic.exact:
            return *counts, _NO_ROWS, _NO_ROWS
        return *counts, *_places((self.values <= self._there(ball.reach)) ^ sure)

    def _there(self, values: Array) -> Any:
        return torch.tensor(np.ascontiguousarray(values), device=self.values.device)


def _places(mask: Any) -> tuple[Ints, Ints]:
    """Rows and columns of the True entries, row by row."""
    rows, columns = mask.nonzero().T.contiguous()
    return _here(rows), _here(columns)


def _here(values: Any) -> Array:
    array: Array = values.cpu().numpy()
    return array
