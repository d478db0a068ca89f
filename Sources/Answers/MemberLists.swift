/// The lists of several members: `POST /v1/recommendations`.
public struct MemberLists: Answer, Equatable {
    /// The version.
    public var version: ServedVersion
    /// The members, in the order of the request.
    public var lists: [Entry]

    /// Lists.
    public init(_ version: ServedVersion, _ lists: [Entry]) {
        self.version = version
        self.lists = lists
    }

    /// The name of the schema.
    public static let schemaName: String? = "MemberLists"
    /// The fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.part(\.version)
        fields.always("lists", \.lists, "One for each id of the request, in its order")
    }

    /// A member's list, or why there is none.
    public struct Entry: Answer, Equatable {
        /// The member.
        public var userId: String
        /// The list; nil if there is a problem.
        public var list: Recommendations?
        /// Why there is no list; nil if there is one.
        public var problem: ProblemDetails?

        /// A list.
        public init(_ list: Recommendations) {
            userId = list.userId
            self.list = list
        }

        /// A member without a list.
        public init(userId: String, _ problem: ProblemDetails) {
            self.userId = userId
            self.problem = problem
        }

        /// The name of the schema.
        public static let schemaName: String? = "MemberList"
        /// The fields.
        public static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("userId", \.userId, "The member, as the request names it")
            fields.sometimes("list", \.list, "The list, of one page; unless there is a problem")
            fields.sometimes("problem", \.problem, "Why there is no list; other members have theirs all the same")
        }
    }
}
