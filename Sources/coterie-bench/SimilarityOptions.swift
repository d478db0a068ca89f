import Similarity

/// What `coterie-bench similarity` was asked to do.
struct SimilarityOptions {
    var prefix = ""
    var threads = 1
    var outputPath: String?
    /// The thresholds and the limit of the reference program.
    var parameters = SimilarityParameters(minimumEntries: 5, minimumCommon: 3, limit: 100)

    init(_ arguments: [String]) throws(BenchError) {
        var modified = ModifiedCosine()
        var isModified = false
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--") else {
                guard prefix.isEmpty else {
                    throw .usage("one PREFIX, not also \(argument)\n\(SimilarityBenchmark.usage)")
                }
                prefix = argument
                continue
            }
            guard let value = rest.popFirst() else { throw .usage("\(argument) needs a value") }
            switch argument {
            case "--threads":
                guard let count = Int(value), (1...1024).contains(count) else {
                    throw .usage("--threads \(value): a number from 1 to 1024")
                }
                threads = count
            case "--out": outputPath = value
            case "--measure":
                guard ["cosine", "modified"].contains(value) else {
                    throw .usage("--measure \(value): cosine or modified")
                }
                isModified = value == "modified"
            case "--a": modified.degreeDiscount = try number(value, of: argument)
            case "--p": modified.sourceExponent = try number(value, of: argument)
            case "--q": modified.neighbourExponent = try number(value, of: argument)
            case "--h": modified.shrinkage = try number(value, of: argument)
            case "--r": modified.scorePower = try number(value, of: argument)
            default: throw .usage("no option \(argument)\n\(SimilarityBenchmark.usage)")
            }
        }
        guard !prefix.isEmpty else { throw .usage(SimilarityBenchmark.usage) }
        if isModified { parameters.measure = .modified(modified) }
    }
}

private func number(_ text: String, of option: String) throws(BenchError) -> Double {
    guard let value = Double(text), value.isFinite, value >= 0 else {
        throw .usage("\(option) \(text): a number, 0 or more")
    }
    return value
}
