import SQLite

extension Catalog {
    /// The external ids of a member's photos, in ascending order of their bytes.
    public func photoIDs(ofOwner id: String) throws(CatalogError) -> [String] {
        try wrapping { () throws(DatabaseError) in
            let rows = try database.prepare(
                "SELECT photo_id FROM photos JOIN users USING (user_key) WHERE user_id = ? ORDER BY photo_id")
            rows.bind(id, at: 1)
            return try rows.texts()
        }
    }

    /// Those of some photos, by external ids, that the catalog does not have.
    public func missingPhotos(of ids: [String]) throws(CatalogError) -> [String] {
        try wrapping { () throws(DatabaseError) in
            let row = try database.prepare("SELECT 1 FROM photos WHERE photo_id = ?")
            var missing: [String] = []
            for id in ids {
                row.bind(id, at: 1)
                if try !row.step() { missing.append(id) }
                row.reset()
            }
            return missing
        }
    }
}
