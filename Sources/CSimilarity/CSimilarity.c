#include "CSimilarity.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { GROUP_BYTES = COTERIE_GROUP / 8, LISTS_AHEAD = 12 };

#define INLINE static inline __attribute__((always_inline))

// Returns the number of groups that have targets which count.
INLINE uint32_t groups_of(const coterie_comparison *job) {
    return (job->target_count + COTERIE_GROUP - 1) / COTERIE_GROUP;
}

// Returns a number times a scale, rounded up, but at most 2^16 - 1.
INLINE uint16_t bound_of(float number, float scale) {
    const float exact = number * scale;
    if (!(exact < UINT16_MAX)) return UINT16_MAX;
    const uint16_t bound = (uint16_t)exact;
    return (uint16_t)(bound + ((float)bound < exact));
}

// Returns the product, or 0 if it is not a number.
INLINE float product(float one, float other) { return one * other > 0 ? one * other : 0; }

// Returns the least sum with which a pair is useful; it may be slightly too low.
INLINE float least_need(const coterie_comparison *job, float inverse, float threshold) {
    float need = product(job->own, inverse);
    if (job->both) {
        const float its = product(job->other, threshold);
        need = its < need ? its : need;
    }
    return need > job->minimum ? need : job->minimum;
}

// Whether a pair may be useful.
INLINE int reaches(const coterie_comparison *job, uint32_t target, uint16_t bound) {
    if (bound == 0 || bound == UINT16_MAX) return bound;
    const float need = least_need(job, job->inverses[target], coterie_threshold(job->thresholds + target));
    return bound >= need * (job->scales[target / COTERIE_GROUP] * (1 - 0x1p-17f));
}

// Groups bitmaps of nearly equal weight into classes, and bounds the weight of the planes of each.
//
// 2^p common columns weigh at most as much as the 2^p heaviest columns of the class. The sum of the c heaviest is
// concave in c, so that these numbers add up to a bound for any count.
static void make_classes(coterie_comparison *job) {
    uint32_t filled = 0;
    job->class_count = job->plane_count = 0;
    for (uint32_t k = 0, end; k < job->map_count; k = end) {
        const double most = job->map_weights[k] * 1.1;
        for (end = k + 1; end < job->map_count && (job->counts || job->map_weights[end] <= most);) end++;
        const uint32_t length = end - k, planes = 32 - (uint32_t)__builtin_clz(length);
        const uint32_t count = planes <= 3 ? (1u << planes) - 1 : (length + 7) / 8 * 8;
        job->classes[job->class_count++] = (coterie_class){filled, count, planes};
        for (uint32_t p = 0; p < count; p++) job->padded[filled++] = p < length ? job->maps[k + p] : job->empty;
        double sum = 0;
        for (uint32_t p = 0, taken = 0; p < planes; p++) {
            for (; taken < 1u << p; taken++) sum += job->counts ? 1 : job->map_weights[end - 1 - taken];
            job->plane_weights[job->plane_count++] = (float)sum;
        }
    }
}

// Adds the bounds of the lists; all are 0 before.
static void add_lists(const coterie_comparison *job) {
    for (uint32_t k = 0; k < job->list_count; k++) {
        const coterie_list list = job->lists[k];
        if (k + LISTS_AHEAD < job->list_count) __builtin_prefetch(job->lists[k + LISTS_AHEAD].targets);
        // No count exceeds 2^16 - 1 before so many lists are added.
        if (job->counts && job->list_count < UINT16_MAX) {
            for (uint32_t p = 0; p < list.count && list.targets[p] < job->target_count; p++)
                job->bounds[list.targets[p]]++;
            continue;
        }
        float scale = 0;
        uint32_t bound = 0;
        for (uint32_t p = 0; p < list.count; p++) {
            const uint32_t target = list.targets[p];
            if (target >= job->target_count) break;
            const float its = job->scales[target / COTERIE_GROUP];
            if (its != scale) scale = its, bound = bound_of(job->counts ? 1 : (float)list.weight, scale);
            const uint32_t sum = job->bounds[target] + bound;
            job->bounds[target] = sum < UINT16_MAX ? (uint16_t)sum : UINT16_MAX;
        }
    }
}

// The carry bit of a full adder.
#define MAJORITY(a, b, c) (((a) & (b)) | ((c) & ((a) ^ (b))))

typedef _Bool bound_flags __attribute__((ext_vector_type(32)));
typedef uint16_t bounds __attribute__((vector_size(64)));
typedef uint16_t half __attribute__((vector_size(32)));

// A bit for each lane that reaches a bound.
#define REACHED(lanes, least)                                                                                          \
    __builtin_bit_cast(uint32_t, __builtin_convertvector((lanes) >= (bounds){0} + (uint16_t)(least), bound_flags))

// Adds a bound to the 16-bit lanes whose bit is set, with saturation.
static const half half_bits = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
#define HALF(set) ((half)((((half){0} + (set)) & half_bits) == half_bits))
#define BOTH(one, other)                                                                                               \
    __builtin_shufflevector(one, other, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,  \
                            22, 23, 24, 25, 26, 27, 28, 29, 30, 31)
#define ADD_BOUNDED(set, sum, bound)                                                                                   \
    __builtin_elementwise_add_sat(sum, BOTH(HALF((set)[0]), HALF((set)[1])) & (bound))

// Adds the maps' part to the sums of `count` hits of one vector of targets, which begins at an offset of each map.
static void sum_line(
    const coterie_comparison *job, uint32_t first, uint32_t count, uint64_t offset, uint64_t factor, uint64_t one) {
    uint64_t *sums = job->sums + first;
    uint8_t byte[8], shift[8];
    for (uint32_t h = 0; h < count; h++) {
        const uint32_t target = job->hits[first + h].target % 128;
        byte[h] = (uint8_t)(target / 8), shift[h] = target % 8;
    }
    for (uint32_t k = 0; k < job->map_count; k++) {
        const uint8_t *line = job->maps[k] + offset;
        const uint64_t weight = job->map_weights[k] * factor + one;
        for (uint32_t h = 0; h < count; h++) sums[h] += weight & -(uint64_t)(line[byte[h]] >> shift[h] & 1);
    }
}

#define NAME(x) x##_portable
#define SUM_LINE sum_line
#define CARRY MAJORITY
#define ADD_BOUND ADD_BOUNDED
#define TARGET
#define VECTOR_BYTES 16
#include "scan.h"

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2")))

// Adds the maps' part to at most 8 * `vectors` sums; a word of 32 bits has a hit's bit.
AVX2 INLINE void add_words(
    const coterie_comparison *job, const __m256i *words, const __m256i *bits, uint64_t offset, uint64_t factor,
    uint64_t one, __m256i *sums, int vectors) {
    enum { MAPS_AHEAD = 6 };
    __m256i sum[4];
    for (int v = 0; v < 2 * vectors; v++) sum[v] = _mm256_loadu_si256(sums + v);
    for (uint32_t k = 0; k < job->map_count; k++) {
        if (k + MAPS_AHEAD < job->map_count) __builtin_prefetch(job->maps[k + MAPS_AHEAD] + offset);
        const __m256i line = *(const __m256i *)(job->maps[k] + offset);
        const __m256i weight = _mm256_set1_epi64x((int64_t)(job->map_weights[k] * factor + one));
        for (int v = 0; v < vectors; v++) {
            const __m256i bit = _mm256_permutevar8x32_epi32(line, words[v]) & bits[v];
            const __m256i unset = _mm256_cmpeq_epi32(bit, _mm256_setzero_si256());
            sum[2 * v] += _mm256_andnot_si256(_mm256_unpacklo_epi32(unset, unset), weight);
            sum[2 * v + 1] += _mm256_andnot_si256(_mm256_unpackhi_epi32(unset, unset), weight);
        }
    }
    for (int v = 0; v < 2 * vectors; v++) _mm256_storeu_si256(sums + v, sum[v]);
}

AVX2 static void sum_line_avx2(
    const coterie_comparison *job, uint32_t first, uint32_t count, uint64_t offset, uint64_t factor, uint64_t one) {
    // The lanes in the order in which a vector is unpacked.
    static const uint8_t lanes[8] = {0, 1, 4, 5, 2, 3, 6, 7};
    uint32_t word[16] = {0}, bit[16] = {0};
    for (uint32_t h = 0; h < count; h++) {
        const uint32_t target = job->hits[first + h].target % 256, lane = h / 8 * 8 + lanes[h % 8];
        word[lane] = target / 32, bit[lane] = 1u << target % 32;
    }
    const __m256i words[2] = {_mm256_loadu_si256((const __m256i *)word), _mm256_loadu_si256((const __m256i *)word + 1)};
    const __m256i bits[2] = {_mm256_loadu_si256((const __m256i *)bit), _mm256_loadu_si256((const __m256i *)bit + 1)};
    __m256i *sums = (__m256i *)(job->sums + first);
    if (count <= 8) add_words(job, words, bits, offset, factor, one, sums, 1);
    else add_words(job, words, bits, offset, factor, one, sums, 2);
}

#define NAME(x) x##_avx2
#define SUM_LINE sum_line_avx2
#define CARRY MAJORITY
#define ADD_BOUND ADD_BOUNDED
#define TARGET AVX2
#define VECTOR_BYTES 32
#include "scan.h"

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))

// Adds the maps' part to at most 8 * `vectors` sums; a line gives all bits at once.
AVX512 INLINE void add_line(
    const coterie_comparison *job, __m512i words, __m512i bits, uint64_t offset, uint64_t factor, uint64_t one,
    uint64_t *sums, int vectors) {
    __m512i sum[4];
    for (int v = 0; v < vectors; v++) sum[v] = _mm512_loadu_si512(sums + 8 * v);
    for (uint32_t k = 0; k < job->map_count; k++) {
        const __m512i line = _mm512_loadu_si512(job->maps[k] + offset);
        const uint32_t set = _mm512_test_epi16_mask(_mm512_permutexvar_epi16(words, line), bits);
        const __m512i weight = _mm512_set1_epi64((int64_t)(job->map_weights[k] * factor + one));
        for (int v = 0; v < vectors; v++)
            sum[v] = _mm512_mask_add_epi64(sum[v], (__mmask8)(set >> 8 * v), sum[v], weight);
    }
    for (int v = 0; v < vectors; v++) _mm512_storeu_si512(sums + 8 * v, sum[v]);
}

AVX512 static void sum_line_avx512(
    const coterie_comparison *job, uint32_t first, uint32_t count, uint64_t offset, uint64_t factor, uint64_t one) {
    uint16_t word[32] = {0}, bit[32] = {0};
    for (uint32_t h = 0; h < count; h++) {
        const uint32_t target = job->hits[first + h].target % 512;
        word[h] = (uint16_t)(target / 16), bit[h] = (uint16_t)(1 << target % 16);
    }
    const __m512i words = _mm512_loadu_si512(word), bits = _mm512_loadu_si512(bit);
    if (count <= 8) add_line(job, words, bits, offset, factor, one, job->sums + first, 1);
    else if (count <= 16) add_line(job, words, bits, offset, factor, one, job->sums + first, 2);
    else add_line(job, words, bits, offset, factor, one, job->sums + first, 4);
}

#define NAME(x) x##_avx512
#define SUM_LINE sum_line_avx512
// This is one instruction, which the compiler does not choose by itself.
#define CARRY(a, b, c) ((BITS)_mm512_ternarylogic_epi64((__m512i)(a), (__m512i)(b), (__m512i)(c), 0xE8))
#define ADD_BOUND(set, sum, bound)                                                                                     \
    ((bounds)_mm512_mask_adds_epu16((__m512i)(sum), *(const __mmask32 *)(set), (__m512i)(sum), (__m512i)(bound)))
#define TARGET AVX512
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

// Scans only the targets of the lists, which are few.
static uint32_t scan_lists(const coterie_comparison *job) {
    uint32_t found = 0;
    for (uint32_t k = 0; k < job->list_count; k++)
        for (uint32_t p = 0; p < job->lists[k].count; p++) {
            const uint32_t target = job->lists[k].targets[p];
            if (target >= job->target_count) break;
            const uint16_t bound = job->bounds[target];
            job->bounds[target] = 0;
            if (reaches(job, target, bound)) job->hits[found++] = (coterie_hit){target, bound};
        }
    return found;
}

#if defined(__x86_64__)
#define BY_PATH(function, ...)                                                                                         \
    (path == COTERIE_AVX512 ? function##_avx512(__VA_ARGS__)                                                           \
     : path == COTERIE_AVX2 ? function##_avx2(__VA_ARGS__)                                                             \
                            : function##_portable(__VA_ARGS__))
#else
#define BY_PATH(function, ...) ((void)path, function##_portable(__VA_ARGS__))
#endif

void coterie_bound(int path, coterie_comparison *job) {
    make_classes(job);
    add_lists(job);
    if (job->map_count) BY_PATH(add_maps, job);
}

uint32_t coterie_choose(int path, const coterie_comparison *job, uint32_t wanted) {
    return BY_PATH(choose, job, wanted);
}

uint32_t coterie_scan(int path, const coterie_comparison *job) {
    uint32_t additions = 0;
    for (uint32_t k = 0; k < job->list_count; k++) additions += job->lists[k].count;
    return job->map_count == 0 && additions < job->target_count / 16 ? scan_lists(job) : BY_PATH(scan, job);
}

void coterie_sum(int path, const coterie_comparison *job, uint32_t count, uint64_t factor, uint64_t one) {
    for (uint32_t h = 0; h < count; h++) job->slots[job->hits[h].target] = (uint16_t)(h + 1), job->sums[h] = 0;
    for (uint32_t k = 0; k < job->list_count; k++) {
        const coterie_list list = job->lists[k];
        if (k + LISTS_AHEAD < job->list_count) __builtin_prefetch(job->lists[k + LISTS_AHEAD].targets);
        for (uint32_t p = 0; p < list.count && list.targets[p] < job->target_count; p++) {
            const uint32_t slot = job->slots[list.targets[p]];
            if (slot) job->sums[slot - 1] += list.weight * factor + one;
        }
    }
    for (uint32_t h = 0; h < count; h++) job->slots[job->hits[h].target] = 0;
    if (job->map_count) BY_PATH(sum_maps, job, count, factor, one);
}
