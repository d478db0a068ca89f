// This file is included once for each path, with NAME(x), TARGET, VECTOR_BYTES, CARRY and ADD_BOUND defined, and
// undefines these macros. The compiler's vector types let one source serve every processor. A group is
// GROUP_BYTES / VECTOR_BYTES vectors.

typedef uint64_t NAME(bits) __attribute__((vector_size(VECTOR_BYTES)));
#define BITS NAME(bits)
#define VECTORS (GROUP_BYTES / VECTOR_BYTES)

// The sum bit of a full adder, for as many targets as a vector has bits; CARRY is the carry bit.
#define SUM(a, b, c) ((a) ^ (b) ^ (c))
#define MAP(k) (*(const BITS *)(maps[k] + offset))

// Adds eight bitmaps to ones, twos and fours, and returns the carried eights (Harley and Seal's carry-save adder).
TARGET INLINE BITS
NAME(add8)(const uint8_t *const *maps, uint64_t offset, BITS *ones, BITS *twos, BITS *fours) {
    const BITS x0 = MAP(0), x1 = MAP(1), x2 = MAP(2), x3 = MAP(3), x4 = MAP(4), x5 = MAP(5), x6 = MAP(6), x7 = MAP(7);
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

// Adds up the bitmaps at one vector of targets; plane[p * VECTORS] gets the bits of weight 2^p. `count` is 1, 3, 7, or a
// multiple of 8.
TARGET INLINE void
NAME(add_up)(const uint8_t *const *maps, uint32_t count, uint64_t offset, uint32_t planes, BITS *plane) {
    if (count == 1) {
        plane[0] = MAP(0);
        return;
    }
    if (count < 8) {
        const BITS a = MAP(0), b = MAP(1), c = MAP(2), one = SUM(a, b, c), two = CARRY(a, b, c);
        if (count == 3) {
            plane[0] = one, plane[VECTORS] = two;
            return;
        }
        const BITS d = MAP(3), e = MAP(4), f = MAP(5), g = MAP(6), other = SUM(d, e, f), twos = CARRY(d, e, f);
        const BITS carry = CARRY(one, other, g);
        plane[0] = SUM(one, other, g), plane[VECTORS] = SUM(two, twos, carry);
        plane[2 * VECTORS] = CARRY(two, twos, carry);
        return;
    }
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
    plane[0] = ones, plane[VECTORS] = twos, plane[2 * VECTORS] = fours, plane[3 * VECTORS] = eights;
}

// Adds planes to the bounds of a group of targets. A slab is as many vectors of bounds as fit the registers.
TARGET INLINE void NAME(flush)(uint16_t *sums, const BITS *plane, const uint16_t *weights, uint32_t planes) {
    enum { SLAB = VECTOR_BYTES == 64 ? 16 : VECTOR_BYTES == 32 ? 4 : 2 };
    for (uint32_t s = 0; s < COTERIE_GROUP / 32; s += SLAB) {
        bounds *at = (bounds *)(sums + s * 32), sum[SLAB];
        for (uint32_t v = 0; v < SLAB; v++) sum[v] = at[v];
        for (uint32_t p = 0; p < planes; p++) {
            const uint16_t *set = (const uint16_t *)(plane + p * VECTORS) + s * 2;
            const bounds weight = (bounds){0} + weights[p];
            for (uint32_t v = 0; v < SLAB; v++) sum[v] = ADD_BOUND(set + v * 2, sum[v], weight);
        }
        for (uint32_t v = 0; v < SLAB; v++) at[v] = sum[v];
    }
}

TARGET static void NAME(add_maps)(const coterie_comparison *job) {
    enum { MOST = 96 };
    BITS plane[MOST * VECTORS];
    for (uint32_t group = 0; group < groups_of(job); group++) {
        if (group == 0 || job->scales[group] != job->scales[group - 1])
            for (uint32_t p = 0; p < job->plane_count; p++)
                job->plane_bounds[p] = bound_of(job->plane_weights[p], job->scales[group]);
        const uint16_t *weights = job->plane_bounds;
        uint16_t *sums = job->bounds + group * COTERIE_GROUP;
        uint32_t planes = 0;
        for (uint32_t c = 0; c < job->class_count; c++) {
            const coterie_class class = job->classes[c];
            if (planes + class.planes > MOST) {
                NAME(flush)(sums, plane, weights, planes);
                weights += planes, planes = 0;
            }
            for (uint32_t v = 0; v < VECTORS; v++)
                NAME(add_up)
                (job->padded + class.first, class.count, group * GROUP_BYTES + v * VECTOR_BYTES, class.planes,
                 plane + planes * VECTORS + v);
            planes += class.planes;
        }
        NAME(flush)(sums, plane, weights, planes);
    }
}

// Returns the targets whose bound reaches what they need, and resets all bounds.
TARGET static uint32_t NAME(scan)(const coterie_comparison *job) {
    uint32_t found = 0;
    for (uint32_t first = 0; first < groups_of(job) * COTERIE_GROUP; first += 64) {
        bounds *at = (bounds *)(job->bounds + first);
        const float scale = job->scales[first / COTERIE_GROUP] * (1 - 0x1p-17f);
        const float need = least_need(job, job->least_inverses[first / 64], job->least_thresholds[first / 64]) * scale;
        const uint16_t least = bound_of(need, 1);
        for (uint32_t v = 0; v < 2; v++) {
            const bounds sum = at[v];
            at[v] = (bounds){0};
            uint32_t reached = REACHED(sum, least);
            for (; reached; reached &= reached - 1) {
                const uint32_t lane = (uint32_t)__builtin_ctz(reached), target = first + v * 32 + lane;
                if (target >= job->target_count) break;
                const uint16_t bound = sum[lane];
                if (reaches(job, target, bound)) job->hits[found++] = (coterie_hit){target, bound};
            }
        }
    }
    return found;
}

// Sets bounds that are comparable for targets of any size, or 0 where a bound is too small for a useful pair.
TARGET INLINE void NAME(compare)(const coterie_comparison *job, uint32_t vector, bounds *value) {
    typedef uint32_t wide __attribute__((vector_size(128)));
    const bounds bound = ((const bounds *)job->bounds)[vector];
    const uint16_t least = bound_of(job->minimum * (1 - 0x1p-17f), job->scales[vector / (COTERIE_GROUP / 32)]);
    const wide product = __builtin_convertvector(bound, wide) * (job->size_factors[vector / 2] << job->shift);
    *value = __builtin_convertvector(product >> 16, bounds) & (bounds)(bound >= least);
}

// Finds about `wanted` targets with great bounds for their size. A bin is every 2^n-th vector's lane; a cut that enough
// bins reach is reached by at least as many targets.
TARGET static uint32_t NAME(choose)(const coterie_comparison *job, uint32_t wanted) {
    enum { BINS = 64 };
    bounds bin[BINS] = {0};
    uint32_t bins = 1;
    while (bins < BINS && bins * 16 < wanted) bins *= 2;
    const uint32_t vectors = groups_of(job) * (COTERIE_GROUP / 32);
    bounds value;
    for (uint32_t v = 0; v < vectors; v++) {
        NAME(compare)(job, v, &value);
        bin[v % bins] = __builtin_elementwise_max(bin[v % bins], value);
    }
    uint32_t low = 1, high = UINT16_MAX + 1;
    while (high - low > 1 + low / 64) {
        const uint32_t middle = (low + high) / 2;
        uint32_t count = 0;
        for (uint32_t b = 0; b < bins; b++)
            count += (uint32_t)__builtin_popcount(REACHED(bin[b], middle));
        if (count >= wanted) low = middle;
        else high = middle;
    }
    uint32_t found = 0;
    for (uint32_t v = 0; v < vectors; v++) {
        NAME(compare)(job, v, &value);
        uint32_t reached = REACHED(value, low);
        for (; reached; reached &= reached - 1) {
            const uint32_t target = v * 32 + (uint32_t)__builtin_ctz(reached);
            if (target >= job->target_count) break;
            job->hits[found++] = (coterie_hit){target, job->bounds[target]};
            job->bounds[target] = 0;
        }
    }
    return found;
}

// Adds the maps' part to the sums of the hits, which are in ascending order of target. A vector of a bitmap serves
// several hits.
TARGET static void
NAME(sum_maps)(const coterie_comparison *job, uint32_t count, uint64_t factor, uint64_t one) {
    for (uint32_t h = 0, end; h < count; h = end) {
        const uint32_t vector = job->hits[h].target / (VECTOR_BYTES * 8), most = h + VECTOR_BYTES / 2;
        for (end = h + 1; end < count && end < most && job->hits[end].target / (VECTOR_BYTES * 8) == vector;) end++;
        SUM_LINE(job, h, end - h, vector * VECTOR_BYTES, factor, one);
    }
}

#undef SUM_LINE
#undef MAP
#undef BITS
#undef SUM
#undef VECTORS
#undef NAME
#undef TARGET
#undef VECTOR_BYTES
#undef CARRY
#undef ADD_BOUND
