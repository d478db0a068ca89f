import CatalogStore
import CommandLine
import Looks
import Model
import ModelStore
import Recommendation
import RecordReading
import Service

/// Lookups by id, which suggest similar ids for an unknown one.
enum Lookup {
    /// Returns the index of a group in a version.
    ///
    /// - Parameter site: what the site shows of the version.
    /// - Throws: among others `Failure` if the group is not shown, unknown, or newer than the version.
    static func group(_ id: String, in version: LoadedVersion, _ site: SiteView, catalog: Catalog?) throws -> Int {
        let record = try catalog?.group(withID: id)
        if let concealment = site.concealment(of: id, record), concealment != SiteView.removed {
            let remedy = record?.visibility == .unknown ? ": import a file of groups that has it" : ""
            throw Failure(
                Failure.badData,
                "group \"\(id)\" is \(concealment), and \(concealment) groups are shown to nobody\(remedy)")
        }
        if let index = site.model.index(ofID: id) { return index }
        if record != nil {
            throw Failure(Failure.badData, "group \"\(id)\" is newer than the model version: run \"coterie recompute\"")
        }
        let near = idsAround(id, in: version.model) + (try catalog?.idsNear(id, in: .groups) ?? [])
        throw unknown(.groups, id, near: near.filter { !site.model.hides($0) })
    }

    /// Returns a group of the catalog, whether it is shown or not.
    static func group(_ id: String, in catalog: Catalog) throws -> GroupRecord {
        if let record = try catalog.group(withID: id) { return record }
        throw unknown(.groups, id, near: try catalog.idsNear(id, in: .groups))
    }

    /// Returns a public photo of the catalog.
    static func publicPhoto(_ id: String, _ catalog: Catalog) throws -> PhotoRecord {
        guard let photo = try catalog.photo(withID: id) else {
            throw unknown(.photos, id, near: try catalog.idsNear(id, in: .photos))
        }
        guard photo.visibility == .public else {
            throw Failure(
                Failure.badData,
                photo.visibility == .private
                    ? "photo \"\(photo.id)\" is private: it is recommended to no group"
                    : "photo \"\(photo.id)\" is undescribed, and not shown: import a file of photos that has it")
        }
        return photo
    }

    /// Returns the search for similar photos of a version.
    ///
    /// - Throws: among others `Failure` if the version has no vectors.
    static func looks(in snapshot: VisibleSnapshot, _ version: LoadedVersion) throws -> LookSearch {
        if let looks = snapshot.looks { return looks }
        throw Failure(
            Failure.badData,
            """
            version \(version.manifest.version) has no photos with vectors: import some with "coterie import vectors", and run \
            "coterie recompute"
            """)
    }

    /// Returns the public photos that look most like a photo of the catalog, best first.
    static func lookalikes(
        ofPhoto id: String, _ catalog: Catalog, _ looks: LookSearch, _ model: VisibleModel, limit: Int
    ) throws -> [Lookalike] {
        let vector = try vector(ofPhoto: id, catalog, looks)
        let found = looks.lookalikes(of: vector, limit: limit, without: [id])
        return try catalog.current(found, looks: looks.modelName, in: model)
    }

    /// Returns the public photos that look most like some examples, best first.
    ///
    /// - Parameters:
    ///   - like: ids of public photos, or vectors in brackets.
    ///   - unlike: the same, for what the photos should not look like.
    static func lookalikes(
        like: [String], unlike: [String], _ catalog: Catalog, _ looks: LookSearch, _ model: VisibleModel, limit: Int
    ) throws -> [Lookalike] {
        func vectors(_ examples: [String]) throws -> [[Float]] {
            try examples.map { example in
                guard !example.hasPrefix("[") else { return try vector(in: example, looks) }
                return try vector(ofPhoto: publicPhoto(example, catalog).id, catalog, looks)
            }
        }
        guard let query = try LookExamples.query(like: vectors(like), unlike: vectors(unlike)) else {
            throw Failure(Failure.badData, "the examples cancel each other out: nothing is left to look for")
        }
        let found = looks.lookalikes(of: query, limit: limit, without: like + unlike)
        return try catalog.current(found, looks: looks.modelName, in: model)
    }

    private static func vector(in text: String, _ looks: LookSearch) throws -> [Float] {
        let numbers: [Float]
        do throws(CatalogError) { numbers = try VectorText.numbers(in: text) } catch {
            throw Failure(Failure.badData, "the example \(text.prefix(40)): \(error.message)")
        }
        guard numbers.count == looks.dimension, let unit = UnitVector.of(numbers) else {
            throw Failure(
                Failure.badData,
                """
                the example \(text.prefix(40)) has \(numbers.count) numbers, or no direction: the vectors of the model \
                \(looks.modelName) have \(looks.dimension)
                """)
        }
        return unit
    }

    private static func vector(ofPhoto id: String, _ catalog: Catalog, _ looks: LookSearch) throws -> [Float] {
        if let vector = try catalog.vector(ofPublicPhoto: id, model: looks.modelName), vector.count == looks.dimension {
            return vector
        }
        guard let model = try catalog.vectorSpace()?.model, try catalog.vector(ofPhoto: id) != nil else {
            throw Failure(
                Failure.badData, "photo \"\(id)\" has no vector: import one with \"coterie import vectors\"")
        }
        throw Failure(
            Failure.badData,
            """
            the vectors of the catalog are of the model \(model), and those of the version of \(looks.modelName): run \
            "coterie recompute"
            """)
    }

    /// Warns of boosts for a topic that no group has.
    ///
    /// - Throws: a failure for a boost of a group that is not shown.
    static func check(_ boosts: [Boost], in version: LoadedVersion, _ site: SiteView, catalog: Catalog?) throws {
        for boost in boosts {
            switch boost.target {
            case .group(let id): _ = try group(id, in: version, site, catalog: catalog)
            case .topic(let topic) where site.model.groups(withTopic: topic).isEmpty:
                printToStandardError("warning: no group has the topic \"\(topic)\" of --boost")
            case .topic: break
            }
        }
    }

    /// Returns the failure for an unknown id, with up to three similar ids or neighbours in the order of ids.
    static func unknown(_ table: EntityTable, _ id: String, near candidates: [String]) -> Failure {
        var seen: Set<String> = []
        let different = candidates.filter { seen.insert($0).inserted }
        // Similar ids come first, then the other candidates in their order.
        let close = nearest(to: id, among: different, limit: 3)
        let shown = close + different.filter { !close.contains($0) }.prefix(max(0, 3 - close.count))
        let near = choice(of: shown.map { "\"\($0)\"" })
        return Failure(
            Failure.badData,
            "there is no \(table.singular) \"\(id)\"" + (near.isEmpty ? "" : "; did you mean \(near)?"))
    }

    /// Returns the ids of groups with this title, then similar ids, then the ids next to it in the order of ids.
    private static func idsAround(_ id: String, in model: ModelVersion) -> [String] {
        let lowered = id.lowercased()
        let titled = (0..<model.groupCount).lazy.filter { model.title(of: $0).lowercased() == lowered }.prefix(3)
        let typed = nearest(to: id, among: (0..<model.groupCount).lazy.map { model.id(of: $0) }, limit: 3)
        let bound = model.lowerBound(of: id)
        let around = max(0, bound - 2)..<min(model.groupCount, bound + 2)
        return titled.map { model.id(of: $0) } + typed + around.map { model.id(of: $0) }
    }
}

/// Returns a group's title, or its id if it has no title.
func named(_ id: String, _ title: String) -> String { title.isEmpty ? id : title }
