import RecordReading

extension Importer {
    /// Refuses an import of which too much was rejected.
    ///
    /// - Throws: `CatalogError.Code.badData`.
    func checkRejects() throws(CatalogError) {
        let rejected = rejects.count
        guard rejected > 0 else { return }
        let total = rejected + summary.rows
        let share = Double(rejected) / Double(total)
        guard share <= options.maximumRejectedShare else {
            throw CatalogError(
                .badData,
                """
                \(rejected) of \(total) \(kind.name) were rejected, \(percent(share)) %, and at most \
                \(percent(options.maximumRejectedShare)) % may be (--maximum-rejected): nothing was changed. \(advice)
                """)
        }
        guard !options.replaces || options.allowsRejects else {
            throw CatalogError(
                .badData,
                """
                \(rejected) of \(total) \(kind.name) were rejected, and replacing could remove just those: nothing was \
                changed. \(advice) Or add --allow-rejects
                """)
        }
    }

    /// Where to look, and what to do.
    private var advice: String {
        let encoding = summary.notUTF8 > 0 ? " \(summary.notUTF8) are not UTF-8: \(encodingAdvice)." : ""
        guard let example = rejects.examples.first else { return "" }
        let place = "The first is \(example.source), line \(example.line): \(example.reason).\(encoding)"
        guard let reasons = rejects.reasonsPath else { return place }
        return "\(place) All are in \(rejects.recordsPaths.joined(separator: ", ")), with reasons in \(reasons)."
    }

    private var encodingAdvice: String {
        RecordReading.encodingAdvice(forSource: rejects.examples.first?.source ?? "FILE")
    }

    /// At most three significant digits, without zeros at the end.
    private func percent(_ share: Double) -> String {
        let thousandths = Int((share * 100_000).rounded())
        let (whole, rest) = thousandths.quotientAndRemainder(dividingBy: 1000)
        guard rest > 0, whole < 100 else { return "\(whole)" }
        var digits = String(1000 + rest).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(whole).\(digits)"
    }
}
