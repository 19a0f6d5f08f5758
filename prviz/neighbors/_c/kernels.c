/* The loops over tiles of distances that NumPy needs several passes for. prviz/neighbors/native.py calls them and says
 * what they do; each has a twin in NumPy, with the same results, bit for bit.
 *
 * Arrays are C-contiguous. No index is checked: the caller does. What finds more than there is room for says how much.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the first byte of a word has to be its lowest"
#endif

/* One copy for each kind of processor, chosen when the library is loaded. */
#if defined(__x86_64__) && defined(__linux__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define EACH_PROCESSOR __attribute__((target_clones("arch=skylake-avx512", "arch=haswell", "default")))
#else
#define EACH_PROCESSOR
#endif

/* Entries whose comparisons are looked at together. */
#define BLOCK 64
/* NumPy adds up to so many values in eight lanes, and halves what is longer. */
#define LEAF 128
/* Cells of equal width by which a value finds its place among limits. */
#define CELLS 2048

/* So many entries before it is needed, memory is asked for. */
#define AHEAD 16
#define PAIRS_AHEAD 4
/* Bytes that come together. */
#define LINE 64

#ifndef SOURCE
#define SOURCE "unknown"
#endif

/* What this library was made from. */
const char *source(void) { return SOURCE; }

typedef double lanes __attribute__((vector_size(4 * sizeof(double))));

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
