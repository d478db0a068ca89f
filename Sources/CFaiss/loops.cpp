#include "CFaiss.h"

#include <algorithm>

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
int32_t coterie_byte_product(const int8_t *bytes, const int16_t *query, size_t d) {
    int32_t sum = 0;
    for (size_t t = 0; t < d; t++) sum += static_cast<int32_t>(bytes[t]) * query[t];
    return sum;
}
