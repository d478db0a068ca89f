package import Basics
import Glibc
import SQLite

/// A group that holds companions of a photo: public photos that share a pool with the photo.
package struct CompanionGroup: Sendable, Equatable {
    package var groupID: String
    package var photos: Int
    /// The companions' share of all companions, from 0 to 1.
    ///
    /// Each companion is weighted by the cosine of its pools and the photo's.
    package var share: Double

    package init(groupID: String, photos: Int, share: Double) {
        self.groupID = groupID
        self.photos = photos
        self.share = share
    }
}

extension Catalog {
    /// The greatest number of the photo's pools that are read, the lowest keys first.
    private static var poolsPerPhoto: Int { 20 }
    /// The greatest number of photos read from a pool on either side of the photo.
    ///
    /// Keys ascend with time, so these photos are about as old as the photo.
    private static var photosPerSide: Int { 100 }
    /// The greatest number of companions, those that share the most pools first.
    private static var companionsPerPhoto: Int { 200 }

    /// Returns the shown groups that hold companions of a photo, in no particular order.
    ///
    /// A companion weighs *c / √(n m)*, the cosine of its *n* groups and the photo's *m*; *c* of these groups are
    /// common. The work is bounded: some thousand rows, for pools of any size.
    func companionGroups(ofPhoto key: Int64) throws(Failure) -> [CompanionGroup] {
        let pools = try shownGroups(ofPhoto: key)
        let companions = try companions(ofPhoto: key, in: pools.map(\.key))
        let own = Set(pools.map(\.key))
        var total = 0.0
        var found: [Int64: (id: String, photos: Int, weight: Double)] = [:]
        for companion in companions {
            let groups = try shownGroups(ofPhoto: companion)
            let common = groups.count { own.contains($0.key) }
            let weight = Double(common) / Double(groups.count * pools.count).squareRoot()
            total += weight
            for group in groups {
                found[group.key, default: (group.id, 0, 0)].photos += 1
                found[group.key, default: (group.id, 0, 0)].weight += weight
            }
        }
        return found.values.map { CompanionGroup(groupID: $0.id, photos: $0.photos, share: $0.weight / total) }
    }

    /// Returns the public photos that share the most pools with a photo, most first; ties in ascending order of keys.
    private func companions(ofPhoto key: Int64, in pools: [Int64]) throws(Failure) -> [Int64] {
        var shared: [Int64: Int] = [:]
        for (comparison, direction) in [("<", "DESC"), (">", "ASC")] {
            let rows = try database.prepare(
                """
                SELECT photo_key FROM pools WHERE group_key = ? AND photo_key \(comparison) ?
                ORDER BY photo_key \(direction) LIMIT \(Self.photosPerSide)
                """)
            for pool in pools.prefix(Self.poolsPerPhoto) {
                rows.bind(pool, at: 1)
                rows.bind(key, at: 2)
                while try rows.step() { shared[rows.integer(0), default: 0] += 1 }
            }
        }
        let visible = try database.prepare("SELECT 1 FROM photos WHERE photo_key = ? AND visibility = 0")
        var companions: [Int64] = []
        for (photo, _) in shared.sorted(by: { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }) {
            guard companions.count < Self.companionsPerPhoto else { break }
            visible.bind(photo, at: 1)
            if try visible.step() { companions.append(photo) }
            visible.reset()
        }
        return companions
    }

    private func shownGroups(ofPhoto key: Int64) throws(Failure) -> [(key: Int64, id: String)] {
        let rows = try database.prepare(
            """
            SELECT group_key, group_id FROM pools JOIN groups USING (group_key)
            WHERE photo_key = ? AND \(CatalogSchema.isShown) ORDER BY group_key
            """)
        rows.bind(key, at: 1)
        var groups: [(key: Int64, id: String)] = []
        while try rows.step() { groups.append((rows.integer(0), rows.text(1))) }
        return groups
    }
}

extension Catalog {
    /// Writes a copy of a catalog to a new file.
    ///
    /// - Returns: the schema version of the catalog.
    /// - Throws: `Failure`; `.badData` if the catalog is damaged. Then part of a copy may exist.
    package static func copy(_ path: String, to target: String) throws(Failure) -> Int {
        guard FileTree.exists(path) else {
            throw Failure(.missing, "there is no catalog at \(path): name another with --catalog")
        }
        let database = try openedForReading(path, canWrite: isWritable(path))
        guard let version = try CatalogSchema.checkedVersion(database) else {
            throw Failure(.otherFormat, "\(path) is empty")
        }
        try database.copy(to: target)
        return version
    }
}

/// The facts about a catalog's file and its log that change with every write.
package struct CatalogFileState: Equatable, Sendable {
    private struct File: Equatable, Sendable {
        let byteCount: Int
        let seconds: Int
        let nanoseconds: Int
    }

    private let files: [File?]

    package init(_ path: String) {
        files = [path, path + "-wal"].map { path in
            guard let status = FileTree.status(of: path) else { return nil }
            return File(
                byteCount: Int(status.st_size), seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
        }
    }
}
