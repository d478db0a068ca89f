package import Basics
package import Looks
import SQLite

/// The vectors of a catalog's public photos.
package struct PhotoVectors: Sendable {
    /// A public photo with a vector.
    package struct Photo: Sendable {
        package let id: String
        let key: UInt32
        let slot: Int64
    }

    /// The photos, in ascending order of the bytes of their ids.
    package let photos: [Photo]
    /// The name of the model that made the vectors.
    package let model: String
    private let placeOfKey: [UInt32: Int]
    private let file: VectorFile

    /// Reads the photos, and opens the file of vectors; returns `nil` if there is none.
    ///
    /// - Parameter catalog: a catalog, in a transaction if the photos must agree with other data.
    package init?(of catalog: Facts) throws(Failure) {
        guard let space = try catalog.vectors.space() else { return nil }
        file = try VectorFile(CatalogVectors.path(ofCatalog: catalog.path, space.generation), space)
        model = space.model
        let rows = try catalog.database.prepare(
            """
            SELECT photo_id, photo_key, slot FROM photo_vectors JOIN photos USING (photo_key)
            WHERE visibility = 0 ORDER BY photo_id
            """)
        var photos: [Photo] = []
        while try rows.step() {
            photos.append(Photo(id: rows.text(0), key: UInt32(clamping: rows.integer(1)), slot: rows.integer(2)))
        }
        self.photos = photos
        placeOfKey = Dictionary(photos.enumerated().map { ($0.element.key, $0.offset) }) { first, _ in first }
    }

    /// Returns the place among `photos` of the photo of a column in a matrix of the catalog.
    package func place(ofColumn column: UInt32) -> Int? { placeOfKey[column] }

    /// Returns the vectors of some photos, after checking the checksum of each.
    ///
    /// - Parameter places: places among `photos`.
    /// - Throws: `Failure.Code.badData` if a vector is damaged.
    package func rows(_ places: [Int]) throws(Failure) -> some VectorRows {
        let rows = MappedVectors(file: file, slots: places.map { photos[$0].slot })
        var numbers = [Float](repeating: 0, count: file.dimension)
        for place in places where !file.read(photos[place].slot, into: &numbers, at: 0) {
            throw VectorFile.damaged(file.path, "the vector of photo \(photos[place].id) is not what was written")
        }
        return rows
    }

    /// Returns the vector of a photo.
    ///
    /// - Parameter place: a place among `photos` whose checksum `rows` has checked.
    package func vector(at place: Int) -> [Float] {
        var numbers = [Float](repeating: 0, count: file.dimension)
        _ = file.read(photos[place].slot, into: &numbers, at: 0)
        return numbers
    }
}

/// Vectors in the slots of a mapped file.
private struct MappedVectors: VectorRows {
    let file: VectorFile
    let slots: [Int64]

    var count: Int { slots.count }
    var dimension: Int { file.dimension }

    func read(_ rows: Range<Int>, into numbers: inout [Float]) {
        for (place, row) in rows.enumerated() { _ = file.read(slots[row], into: &numbers, at: place * dimension) }
    }
}
