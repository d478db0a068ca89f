/// The innermost loops, which are faster in C than in Swift.
///
/// The loops add bitmaps in bit slices, compare many counters at once, and decompose a matrix. No function has state,
/// allocates memory or does I/O. All paths give the same result.
#pragma once

#include <stdint.h>

/// The instruction sets, slowest first; only some x86-64 processors have the later ones.
enum { COTERIE_PORTABLE = 0, COTERIE_AVX2 = 1, COTERIE_AVX512 = 2 };

/// Returns the fastest instruction set that this processor supports.
int coterie_best_path(void);

/// A target that reaches the least count.
typedef struct {
    /// The target's position in the block.
    uint32_t target;
    uint32_t count;
} coterie_hit;

enum {
    /// The number of targets in a group, which are processed together with one bit each. A block consists of whole
    /// groups.
    COTERIE_GROUP = 512,
    /// The number of hits after which a scan stops at the end of the current group.
    COTERIE_HITS_WANTED = 32,
    /// The most hits that a scan returns.
    COTERIE_HITS_MOST = COTERIE_HITS_WANTED + COTERIE_GROUP,
    /// The number of low bits of a weighted sum that hold the count.
    COTERIE_COUNT_BITS = 16,
};

/// The job of comparing one source row with one block of targets.
typedef struct {
    /// The bitmaps to add up, with one bit for each target, aligned to 64 bytes. Empty bitmaps pad their number to a
    /// multiple of 8.
    const uint8_t *_Nonnull const *_Nonnull maps;
    uint32_t map_count;
    /// The number of bits of the largest possible sum of bitmaps; a sum that needs more bits is wrong.
    uint32_t planes;
    /// A counter of 8, 16 or 32 bits for each target, which is added to the target's sum and then reset to 0. The
    /// counters are aligned to 64 bytes.
    void *_Nonnull counters;
    /// The smallest square root of a size for each 64 targets.
    const float *_Nonnull roots;
    /// A factor that gives the least useful count when multiplied by a root. Counts below `minimum` are never useful.
    float threshold;
    uint32_t minimum;
    /// The next group to scan, where the following scan continues; `group_end` is the first group that is not scanned.
    uint32_t group;
    uint32_t group_end;
    coterie_hit *_Nonnull hits;
} coterie_scan_job;

/// Scans until there are enough hits or the groups end.
///
/// Returns the number of hits, which are in ascending order of target. `width` is the number of bits of a counter: 8,
/// 16 or 32. The processor must support the instructions of `path`.
uint32_t coterie_scan(int path, int width, coterie_scan_job *_Nonnull job);

/// A target whose sum may be large enough.
typedef struct {
    /// The sum of the weights; the low `COTERIE_COUNT_BITS` bits hold the number of common entries.
    uint64_t sum;
    uint32_t target;
} coterie_weighted_hit;

/// The job of comparing one source row with weighted entries with one block of targets.
typedef struct {
    /// The bitmaps, with one bit for each target, aligned to 64 bytes.
    const uint8_t *_Nonnull const *_Nonnull maps;
    /// The number that a set bit of each bitmap adds: a weight in the high bits, and 1 in the bits of the count.
    const uint64_t *_Nonnull weights;
    uint32_t map_count;
    /// The sum so far for each target, aligned to 64 bytes. `coterie_scan_weighted` resets it to 0.
    uint64_t *_Nonnull counters;
    /// An upper bound of each bitmap's weight, in units of 1/`scale`.
    const uint16_t *_Nullable bounds;
    /// An upper bound of each target's sum so far, which `coterie_scan_bounded` resets to 0; aligned to 64 bytes.
    uint16_t *_Nullable bound_counters;
    /// The factor that turns a sum of weights into the unit of bounds.
    double scale;
    /// The smallest factor that turns a key into a sum of weights, for each 64 targets.
    const double *_Nonnull inverses;
    /// A factor that gives the least useful sum of weights when multiplied by an inverse.
    double threshold;
    /// The least useful count.
    uint32_t minimum;
    /// The next group to scan, where the following scan continues; `group_end` is the first group that is not scanned.
    uint32_t group;
    uint32_t group_end;
    coterie_weighted_hit *_Nonnull hits;
} coterie_weighted_job;

/// Scans like `coterie_scan`, for sums of weights. No sum of weights may reach 2^47, and no count 2^16.
uint32_t coterie_scan_weighted(int path, coterie_weighted_job *_Nonnull job);

/// Scans like `coterie_scan_weighted`, with the same hits, but compares upper bounds of 16 bits first.
///
/// Only targets whose bound reaches the least sum are added up exactly. Bounds are added with saturation: a target at
/// the largest bound always passes. The caller resets `counters`.
uint32_t coterie_scan_bounded(int path, coterie_weighted_job *_Nonnull job);

/// The number of columns of a matrix for `coterie_decompose` is padded to a multiple of this.
enum { COTERIE_DOUBLES_STEP = 8 };

/// Decomposes a symmetric matrix into U'U, replacing its upper triangle by U (Cholesky's decomposition).
///
/// Returns 1, or 0 if the matrix is not positive definite. `matrix` has `count` rows of `stride` numbers each and is
/// aligned to 64 bytes. `stride` is a multiple of `COTERIE_DOUBLES_STEP` and at least `count`. Numbers below the
/// diagonal have no meaning before and after, but must be finite. The columns from `count` to the next multiple of
/// `COTERIE_DOUBLES_STEP` must be finite too.
int coterie_decompose(int path, double *_Nonnull matrix, uint32_t count, uint32_t stride);

/// Prefetches a cache line that will be read soon.
static inline void coterie_prefetch_line(const void *_Nonnull address) { __builtin_prefetch(address); }
