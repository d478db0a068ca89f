import CatalogStore
import ModelStore

extension Checkup {
    /// What is wrong with the catalog.
    func catalogFindings(_ times: inout NewestTimes) -> [Finding] {
        let path = places.catalog
        do throws(CatalogError) {
            let examination = try Catalog(path: path, mode: .reading, relations: relations).examine()
            times.note("an interaction", examination.latestInteractionMilliseconds)
            return findings(in: examination)
        } catch {
            // A machine that serves from a store in Redis needs none.
            if error.code == .missing, store.shared != nil {
                return [.good("catalog", "there is none at \(path), and a store in Redis can do without it")]
            }
            let advice =
                switch error.code {
                case .missing: "name it with --catalog, or bring it back with \"coterie restore\""
                case .badData: "bring it back with \"coterie restore\""
                case .notACatalog, .busy, .fileFailed, .databaseFailed: "do what the message says, and check again"
                }
            return [.bad("catalog", error.message, advice: advice)]
        }
    }

    private func findings(in examination: CatalogExamination) -> [Finding] {
        guard examination.damage.isEmpty else {
            return [
                .bad(
                    "catalog", "\(places.catalog) is damaged: \(examination.damage.joined(separator: "; "))",
                    advice: "bring it back with \"coterie restore\"")
            ]
        }
        var findings: [Finding] = []
        for (reference, count) in examination.dangling.sorted(by: { $0.key < $1.key }) {
            findings.append(
                .bad(
                    "catalog", "\(count) rows of \(reference) name a row that does not exist",
                    advice: "bring it back with \"coterie restore\", or import what is missing again with --replace"))
        }
        for table in examination.withoutIndex {
            findings.append(
                .warning(
                    "catalog", "\(table) has no reverse index, as an import was killed: lists take long",
                    advice: "import anything, or start \"coterie serve\": both make it again"))
        }
        if examination.unreadableChanges > 0 {
            findings.append(
                .warning(
                    "catalog", "\(examination.unreadableChanges) changes of daemons cannot be read and were put aside",
                    advice: "a newer program has written them: upgrade this one"))
        }
        return findings.isEmpty
            ? [.good("catalog", "\(places.catalog) is whole, and every row names what exists")] : findings
    }
}
