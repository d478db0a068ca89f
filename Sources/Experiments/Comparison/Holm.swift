/// Holm's correction for asking several questions of one experiment (Holm 1979).
public enum Holm {
    /// The p values as if each were the only one: of m, in rising order, the i-th is multiplied by m − i + 1, and none
    /// is below the one before it; at most 1.
    ///
    /// If all below α are called real, then with a probability of at most α any is called so that is not.
    ///
    /// - Returns: in the order of `values`.
    public static func adjusted(_ values: [Double]) -> [Double] {
        var result = values
        var greatest = 0.0
        for (rank, index) in values.indices.sorted(by: { values[$0] < values[$1] }).enumerated() {
            greatest = max(greatest, min(1, values[index] * Double(values.count - rank)))
            result[index] = greatest
        }
        return result
    }
}
