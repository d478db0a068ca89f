/// The one step of the search that Swift cannot say as fast: adding bitmaps bit-sliced, and comparing many counters at
/// once. No I/O, no allocation, no state. All paths give the same answer.
#pragma once

#include <stdint.h>

/// Sets of instructions, least first; later ones are there only on some x86-64 processors.
enum { COTERIE_PORTABLE = 0, COTERIE_AVX2 = 1, COTERIE_AVX512 = 2 };

/// The last of the above that this processor has.
int coterie_best_path(void);

/// A target that reaches the least count.
typedef struct {
    uint32_t place;
    uint32_t count;
} coterie_hit;

enum {
    /// Targets that are looked at together, a bit each: a group. Blocks are whole groups.
    COTERIE_GROUP = 512,
    /// A scan stops at the end of the group in which it has found this many.
    COTERIE_HITS_WANTED = 32,
    /// The room that the hits need.
    COTERIE_HITS_MOST = COTERIE_HITS_WANTED + COTERIE_GROUP,
    /// Weighted sums keep a count in so many low bits.
    COTERIE_COUNT_BITS = 16,
};

/// One source row against one block of targets.
typedef struct {
    /// Bitmaps to add up, a bit for each target, aligned to 64 bytes; padded with an empty one to a multiple of 8.
    const uint8_t *_Nonnull const *_Nonnull maps;
    uint32_t map_count;
    /// How many bits any target's sum of bitmaps can have; sums of more bits are wrong.
    uint32_t planes;
    /// A counter for each target, of 8, 16 or 32 bits, to add to the sums; 0 when the scan has passed. Aligned.
    void *_Nonnull counters;
    /// For each 64 targets the least root of a size.
    const float *_Nonnull roots;
    /// Times a root: the least count that is of use; but never below `minimum`.
    float threshold;
    uint32_t minimum;
    /// The groups to scan; `group` is moved to where to go on.
    uint32_t group;
    uint32_t group_end;
    coterie_hit *_Nonnull hits;
} coterie_scan_job;

/// Scans until there are enough hits or the groups end; returns the number of hits, in ascending order of place.
///
/// `width` is the counters' bits, 8, 16 or 32; `path` one of the paths that the processor has.
uint32_t coterie_scan(int path, int width, coterie_scan_job *_Nonnull job);

/// A target whose sum may be of use.
typedef struct {
    /// The sum of the weights, and in the lowest `COTERIE_COUNT_BITS` how many there were.
    uint64_t sum;
    uint32_t place;
} coterie_weighted_hit;

/// One source row, whose entries have weights, against one block of targets.
typedef struct {
    /// Bitmaps, a bit for each target, aligned to 64 bytes.
    const uint8_t *_Nonnull const *_Nonnull maps;
    /// For each bitmap what a set bit adds: a weight above a count of 1.
    const uint64_t *_Nonnull weights;
    uint32_t map_count;
    /// For each target what lists have added already; 0 when the scan has passed. Aligned to 64 bytes.
    uint64_t *_Nonnull counters;
    /// For each 64 targets the least of what a key has to be multiplied by to have a sum of weights.
    const double *_Nonnull inverses;
    /// Times an inverse: the least sum of weights that is of use.
    double threshold;
    /// The least count that is.
    uint32_t minimum;
    /// The groups to scan; `group` is moved to where to go on.
    uint32_t group;
    uint32_t group_end;
    coterie_weighted_hit *_Nonnull hits;
} coterie_weighted_job;

/// As `coterie_scan`, for sums of weights; no sum of weights may reach 2^47, no count 2^16.
uint32_t coterie_scan_weighted(int path, coterie_weighted_job *_Nonnull job);

/// Asks for a cache line that will be read soon.
static inline void coterie_prefetch(const void *_Nonnull address) { __builtin_prefetch(address); }
