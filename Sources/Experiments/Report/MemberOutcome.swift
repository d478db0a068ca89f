/// What a member of an experiment did, day by day.
public struct MemberOutcome: Sendable, Equatable {
    /// Something that is counted.
    public struct Event: Sendable, Equatable {
        /// The day, from the first of the experiment on.
        public var day: Int
        /// What is counted.
        public var quantity: Quantity
        /// How much of it.
        public var amount: Double

        /// An event.
        public init(day: Int, _ quantity: Quantity, _ amount: Double = 1) {
            self.day = day
            self.quantity = quantity
            self.amount = amount
        }
    }

    /// The index of the arm.
    public var arm: Int
    /// The day on which the member was shown a list first, from the first of the experiment on.
    public var firstDay: Int
    /// How many groups the member was in then.
    public var groupCount: Int
    /// What happened from then on, in no particular order.
    public var events: [Event]
    /// What happened in the weeks before the experiment.
    public var before: [Quantity: Double]

    /// An outcome.
    public init(arm: Int, firstDay: Int, groupCount: Int, events: [Event] = [], before: [Quantity: Double] = [:]) {
        self.arm = arm
        self.firstDay = firstDay
        self.groupCount = groupCount
        self.events = events
        self.before = before
    }
}
