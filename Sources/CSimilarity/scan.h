// This file is included once for each path, with NAME(x), TARGET, VECTOR_BYTES, CARRY, ADD_WHERE and ADD_BOUND
// defined, and undefines these macros. The compiler's vector types let one source serve every processor. A group is
// GROUP_BYTES / VECTOR_BYTES vectors.

typedef uint64_t NAME(bits) __attribute__((vector_size(VECTOR_BYTES)));
#define BITS NAME(bits)
#define VECTORS (GROUP_BYTES / VECTOR_BYTES)

// The sum bit of a full adder, for as many targets as a vector has bits; CARRY is the carry bit.
#define SUM(a, b, c) ((a) ^ (b) ^ (c))

// Adds eight bitmaps to ones, twos and fours, and returns the carried eights (Harley and Seal's carry-save adder).
TARGET INLINE BITS
NAME(add8)(const uint8_t *const *maps, uint64_t offset, BITS *ones, BITS *twos, BITS *fours) {
#define MAP(k) (*(const BITS *)(maps[k] + offset))
    const BITS x0 = MAP(0), x1 = MAP(1), x2 = MAP(2), x3 = MAP(3), x4 = MAP(4), x5 = MAP(5), x6 = MAP(6), x7 = MAP(7);
#undef MAP
    BITS o = *ones, t = *twos, f = *fours;
    BITS ta = CARRY(o, x0, x1); o = SUM(o, x0, x1);
    BITS tb = CARRY(o, x2, x3); o = SUM(o, x2, x3);
    const BITS fa = CARRY(t, ta, tb); t = SUM(t, ta, tb);
    ta = CARRY(o, x4, x5); o = SUM(o, x4, x5);
    tb = CARRY(o, x6, x7); o = SUM(o, x6, x7);
    const BITS fb = CARRY(t, ta, tb); t = SUM(t, ta, tb);
    const BITS eights = CARRY(f, fa, fb);
    *ones = o, *twos = t, *fours = SUM(f, fa, fb);
    return eights;
}

// Adds bits of weight 16 to the planes from the fifth on.
TARGET INLINE void NAME(ripple)(BITS *plane, uint32_t planes, BITS carry) {
    for (uint32_t p = 4; p < planes; p++) {
        const BITS both = plane[p * VECTORS] & carry;
        plane[p * VECTORS] ^= carry;
        carry = both;
    }
}

// Adds up the bitmaps at one vector of targets; plane[p * VECTORS] gets the bits of weight 2^p.
TARGET INLINE void
NAME(add_up)(const uint8_t *const *maps, uint32_t count, uint64_t offset, uint32_t planes, BITS *plane) {
    BITS ones = {0}, twos = {0}, fours = {0}, eights = {0};
    for (uint32_t p = 4; p < planes; p++) plane[p * VECTORS] = ones;
    uint32_t k = 0;
    for (; k + 16 <= count; k += 16) {
        const BITS a = NAME(add8)(maps + k, offset, &ones, &twos, &fours);
        const BITS b = NAME(add8)(maps + k + 8, offset, &ones, &twos, &fours);
        const BITS carry = CARRY(eights, a, b);
        eights = SUM(eights, a, b);
        NAME(ripple)(plane, planes, carry);
    }
    if (k < count) {
        const BITS a = NAME(add8)(maps + k, offset, &ones, &twos, &fours);
        NAME(ripple)(plane, planes, eights & a);
        eights ^= a;
    }
    plane[0] = ones, plane[VECTORS] = twos, plane[2 * VECTORS] = fours;
    if (planes > 3) plane[3 * VECTORS] = eights;
}

// A scan with counters of one type. LANES of them fit 64 bytes, and MASK has a bit for each.
#define SCAN(TYPE, LANES, MASK)                                                                                        \
    TARGET static uint32_t NAME(scan_##TYPE)(coterie_scan_job *job) {                                                  \
        typedef TYPE counters __attribute__((vector_size(64)));                                                        \
        typedef _Bool flags __attribute__((ext_vector_type(LANES)));                                                   \
        BITS plane[32 * VECTORS];                                                                                      \
        uint32_t found = 0, group = job->group;                                                                        \
        const uint32_t planes = job->map_count ? job->planes : 0;                                                      \
        for (; group < job->group_end && found < COTERIE_HITS_WANTED; group++) {                                       \
            if (planes)                                                                                                \
                for (uint32_t v = 0; v < VECTORS; v++)                                                                 \
                    NAME(add_up)                                                                                       \
                    (job->maps, job->map_count, group * GROUP_BYTES + v * VECTOR_BYTES, planes, plane + v);            \
            for (uint32_t target = group * COTERIE_GROUP, q = 0; q < COTERIE_GROUP / LANES; q++, target += LANES) {    \
                counters *at = (counters *)((TYPE *)job->counters + target), sum = *at;                                \
                counters weight = (counters){0} + 1;                                                                   \
                for (uint32_t p = 0; p < planes; p++, weight += weight) {                                              \
                    const flags set = __builtin_bit_cast(flags, ((const MASK *)(plane + p * VECTORS))[q]);             \
                    sum += -__builtin_convertvector(set, counters) & weight;                                           \
                }                                                                                                      \
                *at = (counters){0};                                                                                   \
                const TYPE least = (TYPE)least_count(job, target, (TYPE)~0u);                                          \
                MASK hits = __builtin_bit_cast(MASK, __builtin_convertvector(sum >= least, flags));                    \
                for (; hits; hits &= hits - 1) {                                                                       \
                    const uint32_t lane = (uint32_t)__builtin_ctzll(hits);                                             \
                    job->hits[found++] = (coterie_hit){target + lane, sum[lane]};                                      \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
        job->group = group;                                                                                            \
        return found;                                                                                                  \
    }
SCAN(uint8_t, 64, uint64_t)
SCAN(uint16_t, 32, uint32_t)
SCAN(uint32_t, 16, uint16_t)
#undef SCAN

// Appends those of eight targets whose sums are large enough to the hits.
TARGET INLINE uint32_t
NAME(append_hits)(const coterie_weighted_job *job, const lanes *sums, uint32_t target, uint32_t found) {
    const lanes sum = *sums, reached = sum >= (lanes){0} + (int64_t)least_sum(job, target);
    if (!__builtin_reduce_or(reached)) return found;
    for (uint32_t lane = 0; lane < 8; lane++)
        if (reached[lane] && (uint16_t)sum[lane] >= job->minimum)
            job->hits[found++] = (coterie_weighted_hit){(uint64_t)sum[lane], target + lane};
    return found;
}

// Scans sums of 64 bits: adds the weight of each map to the targets whose bit is set, then compares. A slab is as many
// vectors of sums as fit the registers while all maps are added.
TARGET static uint32_t NAME(scan_weighted)(coterie_weighted_job *job) {
    enum { LANES = 8, SLAB = VECTOR_BYTES == 64 ? 16 : 4, MAPS_AHEAD = 8 };
    uint32_t found = 0, group = job->group;
    for (; group < job->group_end && found < COTERIE_HITS_WANTED; group++)
        for (uint32_t s = 0; s < COTERIE_GROUP / LANES; s += SLAB) {
            const uint32_t target = group * COTERIE_GROUP + s * LANES;
            lanes *at = (lanes *)(job->counters + target), sum[SLAB];
            for (uint32_t v = 0; v < SLAB; v++) sum[v] = at[v], at[v] = (lanes){0};
            for (uint32_t k = 0; k < job->map_count; k++) {
                const uint8_t *map = job->maps[k] + target / 8;
                if (k + MAPS_AHEAD < job->map_count) __builtin_prefetch(job->maps[k + MAPS_AHEAD] + target / 8);
                const lanes weight = (lanes){0} + (int64_t)job->weights[k];
                for (uint32_t v = 0; v < SLAB; v++) sum[v] = ADD_WHERE(map[v], sum[v], weight);
            }
            for (uint32_t v = 0; v < SLAB; v++) found = NAME(append_hits)(job, &sum[v], target + v * LANES, found);
        }
    job->group = group;
    return found;
}

// Adds up the exact sums of eight targets, and appends those that are large enough to the hits.
TARGET static uint32_t NAME(add_exactly)(const coterie_weighted_job *job, uint32_t target, uint32_t found) {
    lanes sum = *(const lanes *)(job->counters + target);
    for (uint32_t k = 0; k < job->map_count; k++)
        sum = ADD_WHERE(job->maps[k][target / 8], sum, (lanes){0} + (int64_t)job->weights[k]);
    return NAME(append_hits)(job, &sum, target, found);
}

// Scans bounds of 16 bits, and adds up the exact sums of the targets whose bound is large enough.
TARGET static uint32_t NAME(scan_bounded)(coterie_weighted_job *job) {
    enum { LANES = 32, SLAB = VECTOR_BYTES == 64 ? 16 : 4, MAPS_AHEAD = 8 };
    uint32_t found = 0, group = job->group;
    for (; group < job->group_end && found < COTERIE_HITS_WANTED; group++)
        for (uint32_t s = 0; s < COTERIE_GROUP / LANES; s += SLAB) {
            const uint32_t first = group * COTERIE_GROUP + s * LANES;
            bounds *at = (bounds *)(job->bound_counters + first), sum[SLAB];
            for (uint32_t v = 0; v < SLAB; v++) sum[v] = at[v], at[v] = (bounds){0};
            for (uint32_t k = 0; k < job->map_count; k++) {
                const uint32_t *map = (const uint32_t *)(job->maps[k] + first / 8);
                if (k + MAPS_AHEAD < job->map_count) __builtin_prefetch(job->maps[k + MAPS_AHEAD] + first / 8);
                const bounds bound = (bounds){0} + job->bounds[k];
                for (uint32_t v = 0; v < SLAB; v++) sum[v] = ADD_BOUND(map[v], sum[v], bound);
            }
            for (uint32_t v = 0; v < SLAB; v++) {
                const bounds least = (bounds){0} + least_bound(job, first + v * LANES);
                uint32_t reached = __builtin_bit_cast(uint32_t, __builtin_convertvector(sum[v] >= least, bound_flags));
                while (reached) {
                    const uint32_t eight = (uint32_t)__builtin_ctz(reached) / 8;
                    found = NAME(add_exactly)(job, first + v * LANES + eight * 8, found);
                    reached &= ~(0xFFu << eight * 8);
                }
            }
        }
    job->group = group;
    return found;
}

#undef BITS
#undef SUM
#undef VECTORS
#undef NAME
#undef TARGET
#undef VECTOR_BYTES
#undef CARRY
#undef ADD_WHERE
#undef ADD_BOUND
