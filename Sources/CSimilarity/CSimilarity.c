#include "CSimilarity.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { GROUP_BYTES = COTERIE_GROUP / 8 };

#define INLINE static inline __attribute__((always_inline))

// Returns the least count that a target needs, but at most `most`, the largest value of a counter. The result may be
// slightly too low: the caller decides exactly.
INLINE uint32_t least_count(const coterie_scan_job *job, uint32_t target, uint32_t most) {
    const float exact = job->threshold * job->roots[target / 64];
    if (exact >= (float)most) return most;
    uint32_t least = (uint32_t)exact;
    least += (float)least < exact;
    return least < job->minimum ? job->minimum : least;
}

// Returns the least sum that a target needs; it may be slightly too low. No sum reaches 2^63.
INLINE uint64_t least_sum(const coterie_weighted_job *job, uint32_t target) {
    const double exact = job->threshold * job->inverses[target / 64];
    if (exact >= 0x1p47) return INT64_MAX;
    // At least one common entry is needed. If the product is NaN (0 times infinity), the comparison is false and gives
    // 1.
    return exact >= 1 ? (uint64_t)exact << COTERIE_COUNT_BITS : 1;
}

// Returns the least bound that a target needs; it may be slightly too low.
INLINE uint16_t least_bound(const coterie_weighted_job *job, uint32_t target) {
    const double exact = job->threshold * job->inverses[target / 64] * job->scale * (1 - 0x1p-30);
    // If the product is NaN (0 times infinity), both comparisons are false and give 1.
    return exact >= UINT16_MAX ? UINT16_MAX : exact >= 1 ? (uint16_t)exact : 1;
}

// The carry bit of a full adder.
#define MAJORITY(a, b, c) (((a) & (b)) | ((c) & ((a) ^ (b))))

// Adds a weight to the 64-bit lanes whose bit is set.
typedef _Bool lane_flags __attribute__((ext_vector_type(8)));
typedef int64_t lanes __attribute__((vector_size(64)));
#define ADD_MASKED(bits, sum, weight)                                                                                  \
    ((sum) + (-__builtin_convertvector(__builtin_bit_cast(lane_flags, bits), lanes) & (weight)))

// Adds a bound to the 16-bit lanes whose bit is set, with saturation.
typedef _Bool bound_flags __attribute__((ext_vector_type(32)));
typedef uint16_t bounds __attribute__((vector_size(64)));
#define ADD_BOUNDED(bits, sum, bound)                                                                                  \
    __builtin_elementwise_add_sat(sum, -__builtin_convertvector(__builtin_bit_cast(bound_flags, bits), bounds) & (bound))

#define NAME(x) x##_portable
#define CARRY MAJORITY
#define ADD_WHERE ADD_MASKED
#define ADD_BOUND ADD_BOUNDED
#define TARGET
#define VECTOR_BYTES 16
#include "decompose.h"
#include "scan.h"

#if defined(__x86_64__)
#define NAME(x) x##_avx2
#define CARRY MAJORITY
#define ADD_WHERE ADD_MASKED
#define ADD_BOUND ADD_BOUNDED
#define TARGET __attribute__((target("avx2")))
#define VECTOR_BYTES 32
#include "decompose.h"
#include "scan.h"

#define NAME(x) x##_avx512
// This is one instruction, which the compiler does not choose by itself.
#define CARRY(a, b, c) ((BITS)_mm512_ternarylogic_epi64((__m512i)(a), (__m512i)(b), (__m512i)(c), 0xE8))
#define ADD_WHERE(bits, sum, weight)                                                                                   \
    ((lanes)_mm512_mask_add_epi64((__m512i)(sum), bits, (__m512i)(sum), (__m512i)(weight)))
#define ADD_BOUND(bits, sum, bound)                                                                                    \
    ((bounds)_mm512_mask_adds_epu16((__m512i)(sum), bits, (__m512i)(sum), (__m512i)(bound)))
#define TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#define VECTOR_BYTES 64
#include "decompose.h"
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
#else
    (void)path;
#endif
    BY_WIDTH(portable);
}

uint32_t coterie_scan_weighted(int path, coterie_weighted_job *job) {
#if defined(__x86_64__)
    if (path == COTERIE_AVX512) return scan_weighted_avx512(job);
    if (path == COTERIE_AVX2) return scan_weighted_avx2(job);
#else
    (void)path;
#endif
    return scan_weighted_portable(job);
}

uint32_t coterie_scan_bounded(int path, coterie_weighted_job *job) {
#if defined(__x86_64__)
    if (path == COTERIE_AVX512) return scan_bounded_avx512(job);
    if (path == COTERIE_AVX2) return scan_bounded_avx2(job);
#else
    (void)path;
#endif
    return scan_bounded_portable(job);
}

int coterie_decompose(int path, double *matrix, uint32_t count, uint32_t stride) {
#if defined(__x86_64__)
    if (path == COTERIE_AVX512) return decompose_avx512(matrix, count, stride);
    if (path == COTERIE_AVX2) return decompose_avx2(matrix, count, stride);
#else
    (void)path;
#endif
    return decompose_portable(matrix, count, stride);
}
