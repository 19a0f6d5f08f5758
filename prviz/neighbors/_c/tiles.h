/* Included by kernels.c once per precision: REAL is the type of the values, NAMED(name) adds it to a function's name. */

typedef REAL NAMED(four) __attribute__((vector_size(4 * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));

static inline __attribute__((always_inline)) void NAMED(add_squares)(const REAL *x, const REAL *y, lanes *sums)
{
    lanes apart = __builtin_convertvector(*(const NAMED(four) *)x, lanes);
    apart -= __builtin_convertvector(*(const NAMED(four) *)y, lanes);
    *sums += apart * apart;
}

static inline __attribute__((always_inline)) double NAMED(leaf_sum)(const REAL *x, const REAL *y, int64_t n)
{
    lanes low = {0}, high = {0};
    int64_t whole = n - n % 8;
    for (int64_t i = 0; i < whole; i += 8) {
        NAMED(add_squares)(x + i, y + i, &low);
        NAMED(add_squares)(x + i + 4, y + i + 4, &high);
    }
    double sum = ((low[0] + low[1]) + (low[2] + low[3])) + ((high[0] + high[1]) + (high[2] + high[3]));
    for (int64_t i = whole; i < n; i++) {
        double apart = (double)x[i] - (double)y[i];
        sum += apart * apart;
    }
    return sum;
}

EACH_PROCESSOR int64_t NAMED(pair_distances)(
    const REAL *a, const int64_t *rows, const REAL *b, const int64_t *columns, int64_t count, int64_t d, double *out)
{
    int64_t *lengths = malloc((size_t)(d / (LEAF / 2) + 2) * sizeof *lengths);
    double *sums = malloc((size_t)(d / (LEAF / 2) + 2) * sizeof *sums);
    int64_t leaves = lengths && sums ? lay_leaves(d, lengths) : 0;
    for (int64_t i = 0; i < count && leaves; i++) {
        const REAL *x = a + rows[i] * d, *y = b + columns[i] * d;
        if (i + PAIRS_AHEAD < count) {
            const char *next = (const char *)(b + columns[i + PAIRS_AHEAD] * d);
            for (int64_t byte = 0; byte < (int64_t)sizeof *b * d && byte < 8 * LINE; byte += LINE)
                __builtin_prefetch(next + byte);
        }
        const double *left = sums;
        for (int64_t leaf = 0; leaf < leaves; leaf++) {
            sums[leaf] = NAMED(leaf_sum)(x, y, lengths[leaf]);
            x += lengths[leaf], y += lengths[leaf];
        }
        out[i] = add_leaves(d, &left);
    }
    free(lengths), free(sums);
    return leaves != 0;
}

/* The entries that are at most ``limit`` or, where limits are given, at most limits[i], as the bits of a word; for up to
 * BLOCK entries. */
WITHOUT_AVX512 static uint64_t NAMED(within)(const REAL *values, int64_t n, REAL limit, const REAL *limits)
{
    uint8_t inside[BLOCK];
    uint64_t bytes[BLOCK / 8], bits = 0;
    if (n < BLOCK)
        memset(inside, 0, BLOCK);
    else
        n = BLOCK;
    if (limits)
        for (int64_t i = 0; i < n; i++)
            inside[i] = (values[i] <= limit) | (values[i] <= limits[i]);
    else
        for (int64_t i = 0; i < n; i++)
            inside[i] = values[i] <= limit;
    memcpy(bytes, inside, BLOCK);
    for (int i = 0; i < BLOCK / 8; i++)
        bits |= (bytes[i] * GATHER >> 56) << 8 * i;
    return bits;
}

EACH_PROCESSOR int64_t NAMED(entries_within)(
    const REAL *tile, int64_t m, int64_t n, const REAL *by_row, const REAL *by_column, int64_t room,
    int64_t *rows, int64_t *columns, REAL *values, int64_t *starts)
{
    int64_t found = 0;
    for (int64_t row = 0; row < m; row++, tile += n) {
        starts[row] = found;
        for (int64_t first = 0; first < n; first += BLOCK) {
            uint64_t inside = NAMED(within)(
                tile + first, n - first, by_row ? by_row[row] : (REAL)-INFINITY, by_column ? by_column + first : NULL);
            for (; inside; inside &= inside - 1, found++)
                if (found < room) {
                    int64_t column = first + __builtin_ctzll(inside);
                    rows[found] = row, columns[found] = column, values[found] = tile[column];
                }
        }
    }
    starts[m] = found;
    return found;
}

int64_t NAMED(append)(
    const int64_t *owners, const int64_t *samples, const REAL *values, int64_t count, const REAL *limits,
    int64_t *filled, int64_t length, REAL *list_values, int32_t *list_samples, int64_t *left)
{
    int64_t too_many = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t owner = owners[i];
        if (i + AHEAD < count) {
            int64_t next = owners[i + AHEAD] * length + filled[owners[i + AHEAD]];
            __builtin_prefetch(list_values + next, 1), __builtin_prefetch(list_samples + next, 1);
        }
        int64_t inside = values[i] <= limits[owner], place = owner * length + filled[owner];
        if (filled[owner] == length) {
            left[too_many] = i;
            too_many += inside;
            continue;
        }
        /* No branch: every entry is written, and one beyond the limit is overwritten by the next. */
        list_values[place] = values[i], list_samples[place] = (int32_t)samples[i];
        filled[owner] += inside;
    }
    return too_many;
}

int64_t NAMED(tally)(
    const int64_t *first, const int64_t *second, const REAL *values, int64_t count, double low, double high,
    int64_t *first_counts, int64_t *second_counts, int32_t *first_kept, int32_t *second_kept, REAL *values_kept)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t sure = values[i] <= low, possible = values[i] <= high;
        first_counts[first[i]] += sure, second_counts[second[i]] += sure;
        first_kept[kept] = (int32_t)first[i], second_kept[kept] = (int32_t)second[i], values_kept[kept] = values[i];
        kept += possible & ~sure;
    }
    return kept;
}

/* The cell (see CELLS) that a value lies in. Rounding keeps the order: a larger value is never in a lower cell. */
static inline __attribute__((always_inline)) int32_t NAMED(cell)(REAL value, REAL lowest, REAL scale)
{
    REAL place = (value - lowest) * scale;
    return place > 0 ? (place < CELLS - 1 ? (int32_t)place : CELLS - 1) : 0;
}

/* The value rounded to REAL: down if ``towards`` is negative, up if it is positive. */
static REAL NAMED(rounded)(double value, double towards)
{
    REAL nearest = (REAL)value;
    return (towards > 0 ? nearest < value : nearest > value) ? NEXT(nearest, (REAL)towards) : nearest;
}

EACH_PROCESSOR int64_t NAMED(rank_rows)(
    const REAL *tile, int64_t m, int64_t n, const double *limits, int64_t q, const double *error, double largest_error,
    int64_t exact, int64_t *counts, int64_t room, int64_t *rows, int64_t *columns)
{
    int64_t unclear = 0;
    int32_t below[CELLS], held[CELLS], cells[BLOCK];
    uint8_t close[BLOCK];
    REAL lowest = NAMED(rounded)(limits[0] - largest_error, -INFINITY);
    REAL scale = (CELLS - 2) / (REAL)fmax(limits[q - 1] + largest_error - lowest, 1e-30);
    for (int32_t cell = 0, limit = 0; cell < CELLS; cell++) {
        while (limit < q && NAMED(cell)(NAMED(rounded)(limits[limit], INFINITY), lowest, scale) < cell)
            limit++;
        below[cell] = limit;
    }
    for (int64_t limit = 0; limit < q; limit++) {
        int32_t last = NAMED(cell)(NAMED(rounded)(limits[limit] + largest_error, INFINITY), lowest, scale);
        for (int32_t cell = NAMED(cell)(NAMED(rounded)(limits[limit] - largest_error, -INFINITY), lowest, scale);
             cell <= last; cell++)
            below[cell] = below[cell] < 0 ? below[cell] : ~below[cell];
    }
    for (int64_t row = 0; row < m; row++, tile += n, counts += q + 1) {
        memset(held, 0, sizeof held);
        for (int64_t first = 0; first < n; first += BLOCK) {
            int64_t size = n - first < BLOCK ? n - first : BLOCK;
            for (int64_t i = 0; i < size; i++)
                cells[i] = NAMED(cell)(tile[first + i], lowest, scale);
            int64_t near = 0;
            for (int64_t i = 0; i < size; i++) {
                held[cells[i]]++;
                close[near] = (uint8_t)i;
                near += below[cells[i]] < 0;
            }
            for (int64_t each = 0; each < near; each++) {
                int64_t i = close[each], place = ~below[cells[i]];
                double value = tile[first + i];
                while (place < q && limits[place] < value)
                    place++;
                double under = place ? limits[place - 1] : -INFINITY, over = place < q ? limits[place] : INFINITY;
                if (exact || is_clear(value, error[row], under, over))
                    counts[place]++;
                else if (unclear++ < room)
                    rows[unclear - 1] = row, columns[unclear - 1] = first + i;
            }
        }
        for (int64_t cell = 0; cell < CELLS;) {
            int64_t place = below[cell], sum = 0;
            for (; cell < CELLS && below[cell] == place; cell++)
                sum += held[cell];
            if (place >= 0)
                counts[place] += sum;
        }
    }
    return unclear;
}

EACH_PROCESSOR int64_t NAMED(rank_columns)(
    const REAL *tile, int64_t m, int64_t n, const REAL *limits, int64_t q, const REAL *reach, const double *error,
    int64_t exact, int64_t *counts, int64_t room, int64_t *rows, int64_t *columns)
{
    int64_t unclear = 0;
    /* BLOCK columns are compared with all rows before the next ones, so that their limits stay in the cache. */
    for (int64_t first = 0; first < n; first += BLOCK) {
        const char *limits_end = (const char *)(limits + (n - first < BLOCK ? n : first + BLOCK) * q);
        for (const char *line = (const char *)(limits + first * q); line < limits_end; line += LINE)
            __builtin_prefetch(line);
        for (int64_t row = 0; row < m; row++) {
            uint64_t inside = NAMED(within)(tile + row * n + first, n - first, (REAL)-INFINITY, reach + first);
            for (; inside; inside &= inside - 1) {
                int64_t column = first + __builtin_ctzll(inside);
                const REAL *own = limits + column * q, *start = own;
                REAL value = tile[row * n + column];
                /* A binary search without branches, because a processor could not predict them. */
                for (int64_t left = q; left > 1; left -= left / 2)
                    start += left / 2 & -(int64_t)(start[left / 2 - 1] < value);
                int64_t place = start - own + (*start < value);
                double under = place ? own[place - 1] : -INFINITY, over = place < q ? own[place] : INFINITY;
                if (exact || is_clear(value, error[column], under, over))
                    counts[row * (q + 1) + place]++;
                else if (unclear++ < room)
                    rows[unclear - 1] = row, columns[unclear - 1] = column;
            }
        }
    }
    return unclear;
}
