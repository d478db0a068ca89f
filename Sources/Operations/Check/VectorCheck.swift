import Basics
import CatalogStore

extension HealthFault {
    static let vectorsDamaged = HealthFault(
        .bad, "their file is missing or damaged",
        advice: "bring it back with \"coterie restore\", or import the vectors again with --replace")
}

extension HealthQuestion {
    static let vectors = HealthQuestion(
        "vectors", looksAt: "the file with the vectors of photos, if there is one: every vector",
        faults: [.vectorsDamaged]
    ) { check, _ in check.vectorFindings() }
}

extension HealthCheck {
    /// Returns the findings about the file of vectors; none if there is no such file, or no catalog that can be read.
    fileprivate func vectorFindings() -> [Finding] {
        guard let catalog = try? Facts(path: places.catalog, relations: relations),
            let path = try? catalog.vectors.path()
        else { return [] }
        do throws(Failure) {
            let (count, damaged) = try catalog.vectors.examine()
            guard !damaged.isEmpty else { return [.good("\(path) has the \(count) vectors that were written")] }
            let ids = damaged.joined(separator: ", ")
            return [
                .found(.vectorsDamaged, "\(path) is damaged: the vectors of \(ids) are not those that were written")
            ]
        } catch { return [.found(.vectorsDamaged, error.message)] }
    }
}
