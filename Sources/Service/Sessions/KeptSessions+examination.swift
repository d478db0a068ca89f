import SQLite

extension KeptSessions {
    /// What reading all of a file of sessions found.
    public struct Examination: Sendable, Equatable {
        /// Lists of sessions.
        public var lists = 0
        /// Lists that are damaged; their sessions get new ones.
        public var damagedLists = 0
        /// What SQLite's integrity check says is wrong, at most ten lines.
        public var damage: [String] = []
    }

    /// Reads all lists, and changes nothing.
    ///
    /// - Throws: `ServiceError.sessionsFailed` if the file cannot be read.
    public func examine() throws(ServiceError) -> Examination {
        do throws(DatabaseError) {
            var examination = Examination()
            let check = try database.prepare("PRAGMA integrity_check(10)")
            while try check.step() { if check.text(0) != "ok" { examination.damage.append(check.text(0)) } }
            guard examination.damage.isEmpty else { return examination }
            let rows = try database.prepare("SELECT user_id, session_id, plan FROM sessions")
            while try rows.step() {
                examination.lists += 1
                let session = rows.text(1)
                do {
                    _ = try FrozenPlan(
                        sealed: rows.bytes(2), ofUser: rows.text(0), session: session.isEmpty ? nil : session)
                } catch {
                    if error == .damaged { examination.damagedLists += 1 }
                }
            }
            return examination
        } catch { throw failure(error) }
    }
}
