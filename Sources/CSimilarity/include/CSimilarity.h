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

/// The same for counters of 64 bits without bitmaps: hits have a counter of at least `least[64-target chunk]`; `count`
/// of a hit is not set.
uint32_t coterie_scan_wide(int path, const uint64_t *_Nonnull least, coterie_scan_job *_Nonnull job);

/// Asks for a cache line that will be read soon.
static inline void coterie_prefetch(const void *_Nonnull address) { __builtin_prefetch(address); }
