import Model
import RecordReading
import SQLite

extension Catalog {
    /// Returns the number of ids that differ from another id only in surrounding blanks or invisible characters.
    func invisibleTwins(_ table: EntityTable) throws(DatabaseError) -> Int {
        let (name, column) = (table.rawValue, table.idColumn)
        // Ids without these characters cannot have invisible ones.
        let rows = try database.prepare("SELECT \(column) FROM \(name) WHERE \(column) GLOB '*[^!-~]*'")
        var counts: [[UInt8]: Int] = [:]
        while try rows.step() {
            let id = rows.text(0)
            let bare = Array(withoutInvisible(id).utf8)
            if bare != Array(id.utf8) { counts[bare, default: 0] += 1 }
        }
        let find = try database.prepare("SELECT 1 FROM \(name) WHERE \(column) = ?")
        var twins = 0
        for (bare, count) in counts {
            find.bind(Optional(String(decoding: bare, as: UTF8.self)), at: 1)
            if try find.step() || count > 1 { twins += count }
            find.reset()
        }
        return twins
    }
}
