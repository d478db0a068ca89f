/// A small C face of FAISS, and the loops over its codes.
///
/// Every function runs on the calling thread alone: callers share work out themselves. Sums are in a fixed order and
/// without fused operations. The same input therefore gives the same bytes on any processor, for any number of threads.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Finds `k` centroids of `n` rows of `d` numbers by k-means; `n` is at least `k`.
///
/// Returns 0, or 1 if FAISS failed; `coterie_faiss_problem` then says why.
int coterie_faiss_cluster(
    const float *_Nonnull rows, size_t n, size_t d, size_t k, int iterations, int seed, float *_Nonnull centroids);

/// Writes the index of the nearest of `k` centroids for each of `n` rows of `d` numbers; returns 0 or 1 as above.
int coterie_faiss_assign(
    const float *_Nonnull rows, size_t n, size_t d, const float *_Nonnull centroids, size_t k,
    uint32_t *_Nonnull nearest);

/// Returns the message of the last failure on this thread.
const char *_Nonnull coterie_faiss_problem(void);

/// Adds the products of `n` rows of `d` numbers with a matrix of `d` columns: `out[i][j] = Σ rows[i][t] matrix[j][t]`.
void coterie_multiply(
    const float *_Nonnull rows, size_t n, size_t d, const float *_Nonnull matrix, size_t columns, float *_Nonnull out);

/// Adds the products of columns `first..<last` of `n` rows of `d` numbers with all columns to a d × d matrix.
void coterie_add_products(
    const float *_Nonnull rows, size_t n, size_t d, size_t first, size_t last, double *_Nonnull products);

/// Writes a row of `d` numbers turned by a matrix: `out[j] = Σ row[t] matrix[t][j]`.
void coterie_rotate(const float *_Nonnull row, size_t d, const float *_Nonnull matrix, float *_Nonnull out);

/// Writes the squared distances of a part of a query to 256 centroids, whose numbers are stored dimension by dimension.
void coterie_distances(
    const float *_Nonnull query, size_t d, const float *_Nonnull centroids, float *_Nonnull distances);

/// Adds distances from a table to the sums of `n` codes of `m` bytes, of which only bytes `first..<last` count.
///
/// The table has 256 numbers for each of these bytes.
void coterie_scan_codes(
    const uint8_t *_Nonnull codes, size_t n, size_t m, size_t first, size_t last, const float *_Nonnull table,
    float *_Nonnull sums);

/// Returns the product of a row of `d` integers of 16 bits and a query.
float coterie_product(const int16_t *_Nonnull row, const float *_Nonnull query, size_t d);

#ifdef __cplusplus
}
#endif
