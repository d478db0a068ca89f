/// The innermost loops, which are faster in C than in Swift: bit-sliced addition of bitmaps, comparing many counters at
/// once, and the decomposition of a matrix. No I/O, no allocation, no state. All paths give the same result.
#pragma once

#include <stdint.h>

/// Instruction sets, slowest first; only some x86-64 processors have the later ones.
enum { COTERIE_PORTABLE = 0, COTERIE_AVX2 = 1, COTERIE_AVX512 = 2 };

/// The last of the above that this processor has.
int coterie_best_path(void);

/// A target that reaches the least count.
typedef struct {
    /// Its position in the block.
    uint32_t target;
    uint32_t count;
} coterie_hit;

enum {
    /// A group: the targets that are processed together, one bit each. A block consists of whole groups.
    COTERIE_GROUP = 512,
    /// A scan stops at the end of the group in which it reaches this many hits.
    COTERIE_HITS_WANTED = 32,
    /// The most hits that a scan returns.
    COTERIE_HITS_MOST = COTERIE_HITS_WANTED + COTERIE_GROUP,
    /// The low bits of a weighted sum that hold the count.
    COTERIE_COUNT_BITS = 16,
};

/// One source row against one block of targets.
typedef struct {
    /// Bitmaps to add up, one bit for each target, aligned to 64 bytes; their number is padded with empty ones to a
    /// multiple of 8.
    const uint8_t *_Nonnull const *_Nonnull maps;
    uint32_t map_count;
    /// The bits of the largest possible sum of bitmaps; a sum that needs more is wrong.
    uint32_t planes;
    /// A counter of 8, 16 or 32 bits for each target, which is added to its sum; the scan resets it to 0. Aligned to 64
    /// bytes.
    void *_Nonnull counters;
    /// For each 64 targets, the least square root of a size.
    const float *_Nonnull roots;
    /// Times a root, this is the least useful count; counts below `minimum` are never useful.
    float threshold;
    uint32_t minimum;
    /// The groups to scan; the scan moves `group` to where the next one continues.
    uint32_t group;
    uint32_t group_end;
    coterie_hit *_Nonnull hits;
} coterie_scan_job;

/// Scans until there are enough hits or the groups end; returns the number of hits, which are in ascending
/// order of target.
///
/// `width` is 8, 16 or 32, the bits of a counter; the processor must have the instructions of `path`.
uint32_t coterie_scan(int path, int width, coterie_scan_job *_Nonnull job);

/// A target whose sum may be large enough.
typedef struct {
    /// The sum of the weights; the lowest `COTERIE_COUNT_BITS` bits hold their number.
    uint64_t sum;
    uint32_t target;
} coterie_weighted_hit;

/// One source row, whose entries have weights, against one block of targets.
typedef struct {
    /// Bitmaps, a bit for each target, aligned to 64 bytes.
    const uint8_t *_Nonnull const *_Nonnull maps;
    /// For each bitmap what a set bit adds: a weight above the bits of a count, which is 1.
    const uint64_t *_Nonnull weights;
    uint32_t map_count;
    /// For each target the sum so far; the scan resets it to 0. Aligned to 64 bytes.
    uint64_t *_Nonnull counters;
    /// For each 64 targets, the least factor that turns a key into a sum of weights.
    const double *_Nonnull inverses;
    /// Times an inverse, this is the least useful sum of weights.
    double threshold;
    /// The least useful count.
    uint32_t minimum;
    /// The groups to scan; the scan moves `group` to where the next one continues.
    uint32_t group;
    uint32_t group_end;
    coterie_weighted_hit *_Nonnull hits;
} coterie_weighted_job;

/// As `coterie_scan`, for sums of weights; no sum of weights may reach 2^47, no count 2^16.
uint32_t coterie_scan_weighted(int path, coterie_weighted_job *_Nonnull job);

/// The numbers of a row of a matrix that `coterie_decompose` turns are a multiple of this.
enum { COTERIE_DOUBLES_STEP = 8 };

/// Turns the upper triangle of a symmetric matrix into the upper triangle U with U'U = matrix (Cholesky's
/// decomposition); returns 0 if the matrix is not positive definite.
///
/// `matrix` has `count` rows of `stride` numbers each and is aligned to 64 bytes; `stride` is a multiple of
/// `COTERIE_DOUBLES_STEP`, at least `count`. What is below the diagonal has no meaning before and after; it must be
/// finite, as must be the columns from `count` to the next multiple of `COTERIE_DOUBLES_STEP`.
int coterie_decompose(int path, double *_Nonnull matrix, uint32_t count, uint32_t stride);

/// Asks for a cache line that will be read soon.
static inline void coterie_prefetch_line(const void *_Nonnull address) { __builtin_prefetch(address); }
