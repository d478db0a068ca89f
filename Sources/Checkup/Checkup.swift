public import Model
public import ModelStore

/// Looks at everything that a site keeps, and says what is wrong and what to do; it changes nothing.
public struct Checkup {
    /// Where what is looked at lies.
    public struct Places: Sendable {
        /// The catalog.
        public var catalog: String
        /// The store of versions.
        public var store: StoreLocation
        /// Journals of daemons on this machine.
        public var journals: [String]
        /// Files with the lists of sessions on this machine.
        public var sessions: [String]

        /// Places.
        public init(catalog: String, store: StoreLocation, journals: [String], sessions: [String]) {
            self.catalog = catalog
            self.store = store
            self.journals = journals
            self.sessions = sessions
        }
    }

    let places: Places
    let relations: RelationTable
    /// The present, in Unix milliseconds.
    let now: Int64
    /// A folder for what is read from a server, as large as a version; made and removed by the checkup.
    let scratchFolder: String
    /// The store; what is read from a server goes through an empty cache, as what counts is what the server has.
    var store: any VersionStore { places.store.open(cacheDirectory: scratchFolder) }

    /// - Parameters:
    ///   - now: Unix milliseconds.
    ///   - scratchFolder: a folder that does not exist yet, on a disk with room for a version of a store in Redis.
    public init(_ places: Places, relations: RelationTable = .standard, now: Int64, scratchFolder: String) {
        self.places = places
        self.relations = relations
        self.now = now
        self.scratchFolder = scratchFolder
    }

    /// Looks at everything, one thing after the other.
    ///
    /// - Parameter report: called with each finding as soon as it is known.
    public func run(_ report: (Finding) throws -> Void) rethrows {
        var times = NewestTimes()
        for finding in catalogFindings(&times) { try report(finding) }
        for finding in storeFindings(&times) { try report(finding) }
        for finding in journalFindings(&times) { try report(finding) }
        for finding in sessionFindings() { try report(finding) }
        try report(clockFinding(times))
        for finding in diskFindings() { try report(finding) }
    }
}

/// The newest time of records of each kind, in Unix milliseconds.
struct NewestTimes {
    private(set) var newest: (what: String, milliseconds: Int64)?

    mutating func note(_ what: String, _ milliseconds: Int64?) {
        guard let milliseconds, milliseconds > newest?.milliseconds ?? .min else { return }
        newest = (what, milliseconds)
    }
}
