package import Basics
import Glibc
import Looks
import SQLite

/// The vectors of a catalog: a table of it, and a file beside it.
package struct CatalogVectors {
    private let catalog: Facts
    private var database: ReadingDatabase { catalog.database }

    init(of catalog: Facts) { self.catalog = catalog }

    /// Returns the facts about the vectors, or `nil` if the catalog has none.
    package func space() throws(Failure) -> VectorSpace? {
        let row = try database.prepare("SELECT generation, dimension, model, slots FROM vector_file")
        guard try row.step() else { return nil }
        let space = VectorSpace(
            generation: row.integer(0), dimension: Int(row.integer(1)), model: row.text(2),
            slots: Int(row.integer(3)))
        guard VectorLimits.dimensions.contains(space.dimension), 0...Int(UInt32.max) ~= space.slots else {
            throw .damaged("its vectors have \(space.dimension) numbers and \(space.slots) places")
        }
        return space
    }

    /// Returns the number of photos with a vector.
    package func count() throws(Failure) -> Int {
        Int(try database.integer("SELECT count(*) FROM photo_vectors") ?? 0)
    }

    /// Returns the vector of a public photo, of length 1.
    ///
    /// - Returns: `nil` if there is no such photo, or it has no vector of that model.
    package func vector(ofPublicPhoto id: String, model: String) throws(Failure) -> [Float]? {
        guard try space()?.model == model else { return nil }
        return try reading { file throws(Failure) in
            let slot = try database.integer(
                """
                SELECT slot FROM photo_vectors JOIN photos USING (photo_key) WHERE photo_id = ? AND visibility = 0
                """, id)
            guard let slot else { return nil }
            guard let vector = file.vector(in: slot) else {
                throw VectorFile.damaged(file.path, "the vector of photo \(id) is not what was written")
            }
            return vector
        }
    }

    /// Calls `body` with the file of vectors, in one read transaction; returns `nil` if there is none.
    ///
    /// A file that was just replaced by another one is opened anew.
    func reading<Result>(_ body: (VectorFile) throws(Failure) -> Result?) throws(Failure) -> Result? {
        var lastGeneration: Int64 = -1
        while true {
            guard let space = try self.space() else { return nil }
            do throws(Failure) {
                let file = try VectorFile(Self.path(ofCatalog: catalog.path, space.generation), space)
                return try catalog.snapshot { () throws(Failure) in try body(file) }
            } catch {
                guard try self.space()?.generation != space.generation, lastGeneration != space.generation else {
                    throw error
                }
                lastGeneration = space.generation
            }
        }
    }

    /// Returns the path of a file of vectors, which lies beside the catalog.
    package static func path(ofCatalog path: String, _ generation: Int64) -> String {
        "\(Catalog.resolved(path) ?? path)-vectors-\(generation)"
    }

    /// Returns the path of the file of vectors, or `nil` if there is none.
    package func path() throws(Failure) -> String? {
        try space().map { Self.path(ofCatalog: catalog.path, $0.generation) }
    }

    /// Removes files of vectors beside the catalog that it no longer has.
    package func removeOtherFiles() {
        guard let space = try? self.space() as VectorSpace?? else { return }
        let generation = space?.generation
        for other in Self.generations(ofCatalog: catalog.path) where other != generation {
            try? FileTree.remove(Self.path(ofCatalog: catalog.path, other))
        }
    }

    /// Returns the numbers of the files of vectors beside a catalog, in no particular order.
    static func generations(ofCatalog path: String) -> [Int64] {
        let stem = Self.path(ofCatalog: path, 0).dropLast()
        let name = stem[(stem.lastIndex(of: "/").map { stem.index(after: $0) } ?? stem.startIndex)...]
        let files = (try? FileTree.names(in: FileTree.folder(of: String(stem)))) ?? []
        return files.filter { $0.hasPrefix(name) }.compactMap { Int64($0.dropFirst(name.count)) }
    }

    /// Copies the file of vectors that a copy of a catalog refers to.
    ///
    /// - Parameters:
    ///   - space: the vectors' facts in the copy.
    ///   - catalog: the path of the catalog that was copied, beside which the file is.
    /// - Throws: `Failure`; `.busy` if the file was written anew meanwhile.
    package static func copy(_ space: VectorSpace, from catalog: String, to target: String) throws(Failure) {
        let source: VectorFile
        do throws(Failure) {
            source = try VectorFile(path(ofCatalog: catalog, space.generation), space)
        } catch {
            let now = try Facts(path: catalog).vectors.space()
            guard now?.generation != space.generation else { throw error }
            throw Failure(.busy, "the vectors were written anew meanwhile; try again")
        }
        try source.copy(to: target)
    }

    /// Returns the photos whose vectors are missing or damaged, at most ten of them, and the number of vectors.
    package func examine() throws(Failure) -> (count: Int, damaged: [String]) {
        let found = try reading { file throws(Failure) -> (count: Int, damaged: [String])? in
            var (count, damaged, numbers) = (0, [String](), [Float](repeating: 0, count: file.dimension))
            let rows = try database.prepare(
                "SELECT slot, photo_id FROM photo_vectors JOIN photos USING (photo_key) ORDER BY slot")
            while try rows.step() {
                count += 1
                guard damaged.count < 10, !file.read(rows.integer(0), into: &numbers, at: 0) else { continue }
                damaged.append(rows.text(1))
            }
            return (count, damaged)
        }
        return found ?? (0, [])
    }

    /// Gives the file of vectors of a copy of a catalog a number that no file beside another catalog has.
    ///
    /// A restore can then put the file in place before the catalog, which says at once that it is valid.
    ///
    /// - Parameter other: the path of the other catalog.
    /// - Returns: the paths of the file now and beside the other catalog, or `nil` if there are no vectors.
    package static func renumber(in catalog: Catalog, for other: String) throws(Failure) -> (from: String, to: String)?
    {
        guard let space = try catalog.facts.vectors.space() else { return nil }
        let next = max(space.generation, (generations(ofCatalog: other).max() ?? 0) + 1)
        try catalog.database.execute("UPDATE vector_file SET generation = \(next)")
        return (path(ofCatalog: catalog.path, space.generation), path(ofCatalog: other, next))
    }
}
