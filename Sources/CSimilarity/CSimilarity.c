#include "CSimilarity.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { GROUP_BYTES = COTERIE_GROUP / 8 };

#define INLINE static inline __attribute__((always_inline))

// The least count that a target at `place` needs, at most `most`: what counters of the width can hold. A hair low is
// allowed, whoever takes the hits decides.
INLINE uint32_t least_count(const coterie_scan_job *job, uint32_t place, uint32_t most) {
    const float exact = job->threshold * job->roots[place / 64];
    if (exact >= (float)most) return most;
    uint32_t least = (uint32_t)exact;
    least += (float)least < exact;
    return least < job->minimum ? job->minimum : least;
}

// The carry bit of a full adder.
#define MAJORITY(a, b, c) (((a) & (b)) | ((c) & ((a) ^ (b))))

#define NAME(x) x##_portable
#define CARRY MAJORITY
#define TARGET
#define VECTOR_BYTES 16
#include "scan.h"

#if defined(__x86_64__)
#define NAME(x) x##_avx2
#define CARRY MAJORITY
#define TARGET __attribute__((target("avx2")))
#define VECTOR_BYTES 32
#include "scan.h"

#define NAME(x) x##_avx512
// One instruction, which the compiler does not find by itself.
#define CARRY(a, b, c) ((BITS)_mm512_ternarylogic_epi64((__m512i)(a), (__m512i)(b), (__m512i)(c), 0xE8))
#define TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#define VECTOR_BYTES 64
#include "scan.h"
#endif

int coterie_best_path(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")
        && __builtin_cpu_supports("avx512vl"))
        return COTERIE_AVX512;
    if (__builtin_cpu_supports("avx2")) return COTERIE_AVX2;
#endif
    return COTERIE_PORTABLE;
}

#define BY_WIDTH(path)                                                                                                 \
    return width == 8 ? scan_uint8_t_##path(job) : width == 16 ? scan_uint16_t_##path(job) : scan_uint32_t_##path(job)

uint32_t coterie_scan(int path, int width, coterie_scan_job *job) {
#if defined(__x86_64__)
    if (path == COTERIE_AVX512) BY_WIDTH(avx512);
    if (path == COTERIE_AVX2) BY_WIDTH(avx2);
#endif
    BY_WIDTH(portable);
}

uint32_t coterie_scan_wide(int path, const uint64_t *least, coterie_scan_job *job) {
#if defined(__x86_64__)
    if (path == COTERIE_AVX512) return scan_wide_avx512(least, job);
    if (path == COTERIE_AVX2) return scan_wide_avx2(least, job);
#endif
    return scan_wide_portable(least, job);
}
