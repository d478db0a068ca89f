// The one BLAS function that k-means of FAISS calls: `sgemm_`, for distances.
//
// A library would be loaded and could start threads in every command, and its results would depend on the processor.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace {

enum { ROWS = 16, COLUMNS = 4 };
typedef float lanes __attribute__((vector_size(32)));

/// Multiplies 16 packed rows with columns of numbers: every product is a sum in ascending order, whatever the lanes.
#if defined(__x86_64__)
__attribute__((target_clones("avx2", "default")))
#endif
void multiply_packed(
    const float *packed, int rows, const float *b, int n, int k, ptrdiff_t b_stride, ptrdiff_t b_step, float alpha,
    float beta, float *c, ptrdiff_t c_stride) {
    for (int column = 0; column < n; column += COLUMNS) {
        const int width = std::min<int>(COLUMNS, n - column);
        const float *at[COLUMNS];
        for (int j = 0; j < COLUMNS; j++) at[j] = b + (column + std::min(j, width - 1)) * b_stride;
        lanes low[COLUMNS] = {}, high[COLUMNS] = {};
        for (int t = 0; t < k; t++) {
            lanes first, second;
            memcpy(&first, packed + t * ROWS, sizeof first);
            memcpy(&second, packed + t * ROWS + 8, sizeof second);
            for (int j = 0; j < COLUMNS; j++) {
                low[j] += first * at[j][t * b_step];
                high[j] += second * at[j][t * b_step];
            }
        }
        for (int j = 0; j < width; j++) {
            float sums[ROWS];
            memcpy(sums, &low[j], sizeof low[j]);
            memcpy(sums + 8, &high[j], sizeof high[j]);
            float *out = c + (column + j) * c_stride;
            for (int i = 0; i < rows; i++) out[i] = alpha * sums[i] + (beta == 0 ? 0 : beta * out[i]);
        }
    }
}

}  // namespace

/// C = alpha op(A) op(B) + beta C, column by column, as BLAS defines it.
extern "C" int sgemm_(
    const char *trans_a, const char *trans_b, const int *m, const int *n, const int *k, const float *alpha,
    const float *a, const int *lda, const float *b, const int *ldb, const float *beta, float *c, const int *ldc) {
    const bool a_is_turned = *trans_a != 'N' && *trans_a != 'n', b_is_turned = *trans_b != 'N' && *trans_b != 'n';
    const ptrdiff_t a_row = a_is_turned ? *lda : 1, a_step = a_is_turned ? 1 : *lda;
    std::vector<float> packed(static_cast<size_t>(ROWS) * std::max(*k, 1));
    for (int row = 0; row < *m; row += ROWS) {
        const int rows = std::min<int>(ROWS, *m - row);
        std::fill(packed.begin(), packed.end(), 0.f);
        for (int i = 0; i < rows; i++) {
            const float *from = a + (row + i) * a_row;
            for (int t = 0; t < *k; t++) packed[t * ROWS + i] = from[t * a_step];
        }
        multiply_packed(
            packed.data(), rows, b, *n, *k, b_is_turned ? 1 : *ldb, b_is_turned ? *ldb : 1, *alpha, *beta, c + row,
            *ldc);
    }
    return 0;
}

// The linker needs these, because FAISS's k-means shares a file with its OPQ and PCA; k-means itself calls none.
#define NEVER_CALLED(name) \
    extern "C" int name() { throw std::logic_error(#name " of LAPACK is left out: k-means needs none of it"); }

NEVER_CALLED(dgemm_)
NEVER_CALLED(ssyrk_)
NEVER_CALLED(sgesvd_)
NEVER_CALLED(dgesvd_)
NEVER_CALLED(dsyev_)
NEVER_CALLED(sgeqrf_)
NEVER_CALLED(sorgqr_)
