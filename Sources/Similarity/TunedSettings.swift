public import Model

/// What a tuning chooses: for each relation the formula, how many pairs are kept, and what it counts in lists.
public struct TunedSettings: Sendable, Hashable, Codable {
    /// The settings of one relation.
    public struct Part: Sendable, Hashable, Codable {
        /// The formula.
        public var formula: ModifiedCosine
        /// k, 1 or more.
        public var limit: Int
        /// What its scores count in members' lists, 0 or more; memberships count 1.
        public var weight: Double

        /// The settings of one relation.
        public init(formula: ModifiedCosine = .standard, limit: Int = 100, weight: Double = 1) {
            self.formula = formula
            self.limit = limit
            self.weight = weight
        }
    }

    private var parts: [String: Part]

    /// Settings of some relations.
    public init(_ parts: [Relation: Part]) {
        self.parts = Dictionary(uniqueKeysWithValues: parts.map { ($0.key.rawValue, $0.value) })
    }

    /// The relations that have settings, in ascending order of their names.
    public var relations: [Relation] { parts.keys.sorted().map { Relation(rawValue: $0) } }

    /// The settings of a relation; nil if it has none.
    public subscript(relation: Relation) -> Part? {
        get { parts[relation.rawValue] }
        set { parts[relation.rawValue] = newValue }
    }
}
