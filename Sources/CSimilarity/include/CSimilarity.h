/// The innermost loops, which are faster in C than in Swift.
///
/// The loops add bitmaps in bit slices, and compare many bounds at once. No function has state,
/// allocates memory or does I/O. All paths give the same result.
#pragma once

#include <stdint.h>

/// The instruction sets, slowest first; only some x86-64 processors have the later ones.
enum { COTERIE_PORTABLE = 0, COTERIE_AVX2 = 1, COTERIE_AVX512 = 2 };

/// Returns the fastest instruction set that this processor supports.
int coterie_best_path(void);

enum {
    /// The number of targets in a group, which are processed together with one bit each. A block consists of whole
    /// groups.
    COTERIE_GROUP = 512,
};

/// The targets of a column that has no bitmap in a block, in ascending order.
typedef struct {
    const uint16_t *_Nonnull targets;
    uint32_t count;
    uint32_t weight;
} coterie_list;

/// Bitmaps of nearly equal weight, which are counted together.
typedef struct {
    /// The first bitmap in `padded`, and the number with padding.
    uint32_t first, count;
    /// The number of bits of the largest count.
    uint32_t planes;
} coterie_class;

/// A target whose sum may be large enough, and the upper bound of that sum.
typedef struct {
    uint32_t target;
    uint32_t bound;
} coterie_hit;

/// The comparison of one source row with one block of targets.
///
/// A pair is useful if the sum of the weights of its common columns reaches what its source or its target needs.
/// Upper bounds of 16 bits come first. They are in units of 1/scale, and 2^16 - 1 stands for any greater bound, too.
typedef struct {
    /// The source's lists and bitmaps, the latter by ascending weight, with one bit for each target, aligned to 64
    /// bytes.
    coterie_list *_Nonnull lists;
    uint32_t list_count;
    uint32_t map_count;
    const uint8_t *_Nonnull *_Nonnull maps;
    uint32_t *_Nonnull map_weights;
    /// Room for classes, for twice as many bitmaps and 8 more, and for a number for each bitmap.
    coterie_class *_Nonnull classes;
    const uint8_t *_Nonnull *_Nonnull padded;
    float *_Nonnull plane_weights;
    uint16_t *_Nonnull plane_bounds;
    uint32_t class_count, plane_count;
    /// A bitmap without targets.
    const uint8_t *_Nonnull empty;
    /// The targets from this number on do not count.
    uint32_t target_count;
    /// Whether targets keep their pairs too, and not only the source.
    int32_t both;
    /// Whether bounds count the common columns instead of adding up their weights.
    int32_t counts;
    /// An upper bound for each target, aligned to 64 bytes; all are 0 between comparisons.
    uint16_t *_Nonnull bounds;
    /// The unit of the bounds of each group.
    float *_Nonnull scales;
    /// The source needs `own` times the inverse of a target. A target needs `other` times its threshold.
    float own, other;
    /// No useful sum is smaller; above 0.
    float minimum;
    /// The shift that brings the greatest bound near 2^16.
    uint32_t shift;
    /// The inverses and thresholds of the targets, and the smallest of each 64.
    const float *_Nonnull inverses, *_Nonnull least_inverses, *_Nonnull thresholds, *_Nonnull least_thresholds;
    /// For each 64 targets the factor, in units of 2^-16, that makes bounds of targets of any size comparable.
    const uint32_t *_Nonnull size_factors;
    /// Room for as many hits as targets, for 32 more sums, and for a number for each target that is 0.
    coterie_hit *_Nonnull hits;
    uint64_t *_Nonnull sums;
    uint16_t *_Nonnull slots;
} coterie_comparison;

/// Adds up the bounds. The processor must support the instructions of `path`, here and below.
void coterie_bound(int path, coterie_comparison *_Nonnull job);

/// Finds about `wanted` targets with the greatest bounds for their size, and resets these bounds.
///
/// Returns the number of hits, which are in ascending order of target.
uint32_t coterie_choose(int path, const coterie_comparison *_Nonnull job, uint32_t wanted);

/// Finds the targets whose bound reaches what the source or the target needs, and resets all bounds.
///
/// Returns the number of hits, which are in ascending order of target if there are bitmaps.
uint32_t coterie_scan(int path, const coterie_comparison *_Nonnull job);

/// Sets the sums of the first `count` hits; a common column adds `factor` times its weight, and `one`.
void coterie_sum(
    int path, const coterie_comparison *_Nonnull job, uint32_t count, uint64_t factor, uint64_t one);

/// Prefetches a cache line that will be read soon.
static inline void coterie_prefetch_line(const void *_Nonnull address) { __builtin_prefetch(address); }

/// Takes a lock, which is 0 while nobody has it.
static inline void coterie_lock(uint32_t *_Nonnull lock) {
    while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
        while (__atomic_load_n(lock, __ATOMIC_RELAXED)) {}
}

static inline void coterie_unlock(uint32_t *_Nonnull lock) { __atomic_store_n(lock, 0, __ATOMIC_RELEASE); }

/// Reads a threshold that another thread may raise.
static inline float coterie_threshold(const float *_Nonnull threshold) {
    float value;
    __atomic_load(threshold, &value, __ATOMIC_RELAXED);
    return value;
}

static inline void coterie_set_threshold(float *_Nonnull threshold, float value) {
    __atomic_store(threshold, &value, __ATOMIC_RELAXED);
}
