/// A query made of vectors that it should resemble, and of others that it should not.
///
/// The query is the mean of the former less a part of the mean of the latter. The source is Rocchio, "Relevance
/// Feedback in Information Retrieval" (1971).
package enum LookExamples {
    /// The weight of the mean of the vectors that the query should not resemble.
    package static let unlikeWeight: Float = 0.5
    /// The greatest number of examples of one kind.
    package static let limit = 16

    /// Returns the query, of length 1, or nil if the examples cancel each other out.
    ///
    /// - Parameters:
    ///   - like: one vector or more, all of length 1 and of the same dimension.
    ///   - unlike: vectors of the same dimension and of length 1.
    package static func query(like: [[Float]], unlike: [[Float]]) -> [Float]? {
        guard let first = like.first else { return nil }
        // One vector is its own mean, bit for bit.
        guard like.count > 1 || !unlike.isEmpty else { return first }
        var sums = [Float](repeating: 0, count: first.count)
        for (vectors, weight) in [(like, Float(1)), (unlike, -unlikeWeight)] {
            for vector in vectors {
                precondition(vector.count == first.count, "examples of \(first.count) and \(vector.count) numbers")
                for (place, number) in vector.enumerated() { sums[place] += number * weight / Float(vectors.count) }
            }
        }
        // What is left of equal vectors is the error of rounding.
        guard sums.contains(where: { abs($0) > 1e-6 }) else { return nil }
        return UnitVector.of(sums)
    }
}
