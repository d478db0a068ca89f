#include "CFaiss.h"

#include <faiss/Clustering.h>
#include <faiss/IndexFlat.h>

#include <climits>
#include <exception>
#include <string>
#include <vector>

// The OpenMP runtime that FAISS was compiled for; clang has no header of it.
extern "C" void omp_set_num_threads(int);

namespace {

thread_local std::string problem;

/// Runs a body on one thread, and turns an exception into a result of 1.
template <typename Body> int guarded(Body body) {
    omp_set_num_threads(1);
    try {
        body();
        return 0;
    } catch (const std::exception &error) {
        problem = error.what();
    } catch (...) {
        problem = "an unknown failure";
    }
    return 1;
}

}  // namespace

const char *coterie_faiss_problem(void) { return problem.c_str(); }

int coterie_faiss_cluster(
    const float *rows, size_t n, size_t d, size_t k, int iterations, int seed, float *centroids) {
    return guarded([&] {
        faiss::ClusteringParameters parameters;
        parameters.niter = iterations;
        parameters.seed = seed;
        parameters.min_points_per_centroid = 1;
        parameters.max_points_per_centroid = INT_MAX;
        faiss::Clustering clustering(static_cast<int>(d), static_cast<int>(k), parameters);
        faiss::IndexFlatL2 index(static_cast<int64_t>(d));
        clustering.train(static_cast<int64_t>(n), rows, index);
        std::copy(clustering.centroids.begin(), clustering.centroids.end(), centroids);
    });
}

int coterie_faiss_assign(
    const float *rows, size_t n, size_t d, const float *centroids, size_t k, uint32_t *nearest) {
    return guarded([&] {
        faiss::IndexFlatL2 index(static_cast<int64_t>(d));
        index.add(static_cast<int64_t>(k), centroids);
        std::vector<int64_t> labels(n);
        std::vector<float> distances(n);
        index.search(static_cast<int64_t>(n), rows, 1, distances.data(), labels.data());
        // A distance that is not a number has no label.
        for (size_t row = 0; row < n; row++) nearest[row] = labels[row] < 0 ? 0 : static_cast<uint32_t>(labels[row]);
    });
}
