/* Loops over tiles of distances for which NumPy needs several passes. prviz/neighbors/native.py calls them,
 * and its docstrings name the NumPy function that each equals, bit for bit.
 *
 * Arrays are C-contiguous. No index is checked here: the caller has done so. A function that finds more
 * entries than its output arrays have room for (``room`` slots) fills these and returns how many slots it needs.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the first byte of a word has to be its lowest"
#endif

/* Functions are compiled once per kind of processor; which copy is used is chosen when the library is loaded. */
#if defined(__x86_64__) && defined(__linux__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define EACH_PROCESSOR __attribute__((target_clones("arch=skylake-avx512", "arch=haswell", "default")))
/* For products of 64-bit words, which AVX-512 multiplies slowly. */
#define WITHOUT_AVX512 __attribute__((target_clones("arch=haswell", "default")))
#else
#define EACH_PROCESSOR
#define WITHOUT_AVX512
#endif

/* Entries are compared in blocks of this size, without a branch: one for each bit of a word. */
#define BLOCK 64
/* The product of eight bytes of 0 or 1, the lowest first, with this number has them as the bits of its highest byte. */
#define GATHER 0x0102040810204080u
/* NumPy's pairwise summation: up to this many values are added in eight lanes, a longer sum is split in halves. */
#define LEAF 128
/* Number of cells of equal width into which the range of the limits is divided: the cell of a value gives its rank
 * among the limits, or nearly. */
#define CELLS 2048

/* Memory is prefetched this many entries (of pair_distances: pairs) before it is needed. */
#define AHEAD 16
#define PAIRS_AHEAD 4
/* Bytes of a cache line. */
#define LINE 64

#ifndef SOURCE
#define SOURCE "unknown"
#endif

/* The digest of the sources that this library was compiled from. */
const char *source(void) { return SOURCE; }

typedef double lanes __attribute__((vector_size(4 * sizeof(double))));

/* True if a value that is known up to an error lies between two limits for certain. */
static inline __attribute__((always_inline)) int is_clear(double value, double error, double below, double above)
{
    return below < value - error && above > value + error;
}

static int64_t half_of(int64_t n) { return n / 2 - (n / 2) % 8; }

static int64_t lay_leaves(int64_t n, int64_t *lengths)
{
    if (n <= LEAF) {
        *lengths = n;
        return 1;
    }
    int64_t first = lay_leaves(half_of(n), lengths);
    return first + lay_leaves(n - half_of(n), lengths + first);
}

static double add_leaves(int64_t n, const double **sums)
{
    if (n <= LEAF)
        return *(*sums)++;
    double first = add_leaves(half_of(n), sums);
    return first + add_leaves(n - half_of(n), sums);
}

#define REAL float
#define NEXT nextafterf
#define NAMED(name) name##_float32
#include "tiles.h"
#undef REAL
#undef NEXT
#undef NAMED

#define REAL double
#define NEXT nextafter
#define NAMED(name) name##_float64
#include "tiles.h"
