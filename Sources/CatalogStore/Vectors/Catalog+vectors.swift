package import Basics
import Looks
import SQLite

extension Catalog {
    /// Writes the file of vectors anew if some of its slots belong to no photo: removed vectors are then gone.
    ///
    /// - Parameter most: the largest share of such slots that may stay.
    /// - Returns: the number of vectors that were erased.
    package func eraseRemovedVectors(leaving most: Double = 0) throws(Failure) -> Int {
        let vectors = facts.vectors
        guard let space = try vectors.space() else { return 0 }
        let count = try vectors.count()
        guard Double(space.slots - count) > most * Double(space.slots) else { return 0 }
        let erased: Int = try database.transaction { () throws(Failure) in
            guard let space = try vectors.space() else { return 0 }
            let old = try VectorFile(CatalogVectors.path(ofCatalog: path, space.generation), space)
            let next = space.generation + 1
            let new = try VectorAppender(
                CatalogVectors.path(ofCatalog: path, next), dimension: space.dimension, slots: 0)
            var numbers = [Float](repeating: 0, count: space.dimension)
            var moved: [(key: Int64, slot: Int64)] = []
            let rows = try database.prepare("SELECT photo_key, slot FROM photo_vectors ORDER BY slot")
            while try rows.step() {
                guard old.read(rows.integer(1), into: &numbers, at: 0) else {
                    throw VectorFile.damaged(old.path, "a vector is not what was written")
                }
                moved.append((rows.integer(0), try new.append(numbers)))
            }
            try new.finish()
            let update = try database.prepare("UPDATE photo_vectors SET slot = ?1 WHERE photo_key = ?2")
            for (key, slot) in moved {
                try update.run(slot, key)
            }
            try database.execute("UPDATE vector_file SET generation = \(next), slots = \(new.slots)")
            return space.slots - new.slots
        }
        vectors.removeOtherFiles()
        return erased
    }

    /// Gives the file of vectors of a copy of a catalog a number that no file beside another catalog has.
    ///
    /// A restore can then put the file in place before the catalog, which says at once that it is valid.
    ///
    /// - Parameter other: the path of the other catalog.
    /// - Returns: the paths of the file now and beside the other catalog, or `nil` if there are no vectors.
    package func renumberVectors(for other: String) throws(Failure) -> (from: String, to: String)? {
        guard let space = try facts.vectors.space() else { return nil }
        let next = max(space.generation, (CatalogVectors.generations(ofCatalog: other).max() ?? 0) + 1)
        try database.execute("UPDATE vector_file SET generation = \(next)")
        return (CatalogVectors.path(ofCatalog: path, space.generation), CatalogVectors.path(ofCatalog: other, next))
    }
}
