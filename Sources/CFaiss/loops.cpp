#include "CFaiss.h"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#define FOR_EACH_PROCESSOR __attribute__((target_clones("avx2", "default")))
#else
#define FOR_EACH_PROCESSOR
#endif

extern "C" int sgemm_(
    const char *, const char *, const int *, const int *, const int *, const float *, const float *, const int *,
    const float *, const int *, const float *, float *, const int *);

void coterie_multiply(
    const float *rows, size_t n, size_t d, const float *matrix, size_t columns, float *out) {
    const int m = static_cast<int>(columns), count = static_cast<int>(n), k = static_cast<int>(d);
    const float one = 1, zero = 0;
    sgemm_("T", "N", &m, &count, &k, &one, matrix, &k, rows, &k, &zero, out, &m);
}

FOR_EACH_PROCESSOR
void coterie_add_products(
    const float *rows, size_t n, size_t d, size_t first, size_t last, double *products) {
    for (size_t row = 0; row < n; row++) {
        const float *numbers = rows + row * d;
        for (size_t i = first; i < last; i++) {
            const double factor = numbers[i];
            double *sums = products + i * d;
            for (size_t j = 0; j < d; j++) sums[j] += factor * numbers[j];
        }
    }
}

FOR_EACH_PROCESSOR
void coterie_rotate(const float *row, size_t d, const float *matrix, float *out) {
    std::fill(out, out + d, 0.f);
    for (size_t t = 0; t < d; t++) {
        const float factor = row[t];
        const float *numbers = matrix + t * d;
        for (size_t j = 0; j < d; j++) out[j] += factor * numbers[j];
    }
}

FOR_EACH_PROCESSOR
void coterie_distances(const float *query, size_t d, const float *centroids, float *distances) {
    std::fill(distances, distances + 256, 0.f);
    for (size_t t = 0; t < d; t++) {
        const float *numbers = centroids + t * 256;
        for (size_t j = 0; j < 256; j++) {
            const float difference = query[t] - numbers[j];
            distances[j] += difference * difference;
        }
    }
}

void coterie_scan_codes(
    const uint8_t *codes, size_t n, size_t m, size_t first, size_t last, const float *table, float *sums) {
    for (size_t row = 0; row < n; row++) {
        float sum = sums[row];
        for (size_t byte = first; byte < last; byte++) sum += table[(byte - first) * 256 + codes[row * m + byte]];
        sums[row] = sum;
    }
}

FOR_EACH_PROCESSOR
float coterie_product(const int16_t *row, const float *query, size_t d) {
    typedef float lanes __attribute__((vector_size(32)));
    typedef int16_t integers __attribute__((vector_size(16)));
    lanes sums = {};
    size_t t = 0;
    for (; t + 8 <= d; t += 8) {
        integers numbers;
        lanes factors;
        memcpy(&numbers, row + t, sizeof numbers);
        memcpy(&factors, query + t, sizeof factors);
        sums += __builtin_convertvector(numbers, lanes) * factors;
    }
    for (; t < d; t++) sums[t % 8] += static_cast<float>(row[t]) * query[t];
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}
