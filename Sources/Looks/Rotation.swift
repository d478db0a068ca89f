/// A principal component analysis, its components allocated to buckets of equal size and balanced variance.
///
/// Product codes need parts that are independent of each other and of about equal variance. Eigenvectors of the
/// covariance give the first. The second comes from a greedy allocation (Ge, He, Ke and Sun, "Optimized Product
/// Quantization", 2013). Each component goes to the bucket whose variances have the least product. The component of
/// the greatest variance goes first.
enum Rotation {
    /// Returns the rows of a rotation: `width` rows of `size` numbers, bucket after bucket.
    ///
    /// If there are fewer components than rows, the rest of the rows is zero.
    ///
    /// - Parameters:
    ///   - covariance: size × size numbers.
    ///   - width: the number of rows, a multiple of `buckets`.
    static func balanced(_ covariance: [Double], size: Int, width: Int, buckets: Int) -> [Float] {
        let eigen = SymmetricEigen(covariance, size: size)
        let places = allocation(eigen.values.prefix(width), width: width, buckets: buckets)
        var rows = [Float](repeating: 0, count: width * size)
        for (component, place) in places.enumerated() {
            for column in 0..<size { rows[place * size + column] = Float(eigen.vectors[component * size + column]) }
        }
        return rows
    }

    /// Returns the row of each component.
    static func allocation(_ variances: ArraySlice<Double>, width: Int, buckets: Int) -> [Int] {
        let room = width / buckets
        // The logarithm of a product; a variance of 0 would make all products equal.
        let floor = max((variances.first ?? 0) * 1e-9, 1e-30)
        var (products, counts) = ([Double](repeating: 0, count: buckets), [Int](repeating: 0, count: buckets))
        return variances.map { variance in
            let open = (0..<buckets).filter { counts[$0] < room }
            // The first of equal products.
            let bucket = open.min { products[$0] < products[$1] } ?? 0
            products[bucket] += Logarithm.of(max(variance, floor) / floor)
            counts[bucket] += 1
            return bucket * room + counts[bucket] - 1
        }
    }
}

/// A logarithm to the base 2 that is the same on every platform: exact exponents, and straight lines between them.
enum Logarithm {
    /// Returns the logarithm of a number of at least 1.
    static func of(_ number: Double) -> Double { Double(number.exponent) + number.significand - 1 }
}
