/// The groups that a member has joined, for the search index of an app: `GET /v1/users/{id}/groups`.
public struct GroupFeed: Answer, Equatable {
    /// The member's external id.
    public var userId: String
    /// The groups, in ascending order of the bytes of their ids.
    public var items: [Item]
    /// The cursor of the next page, or nil if this is the last one.
    public var next: String?

    /// Creates a feed.
    public init(userId: String, items: [Item], next: String?) {
        self.userId = userId
        self.items = items
        self.next = next
    }

    /// The name of the schema.
    public static let schemaName: String? = "GroupFeed"
    /// Declares the fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("userId", \.userId, "The member")
        fields.always("items", \.items, "The groups that the member has joined, by their ids")
        fields.sometimes("next", \.next, "The parameter after for the next page; if there is one")
    }

    /// A group in the index.
    public struct Item: Answer, Equatable {
        /// The group's external id.
        public var groupId: String
        /// The group's title, which may be empty.
        public var title: String
        /// The group's topics.
        public var keywords: [String]
        /// The canonical address of the group, or nil if it is not known.
        public var url: String?
        /// The address of a public photo of the group, or nil if none is known.
        public var thumbnail: String?

        /// Creates an item.
        public init(groupId: String, title: String, keywords: [String], url: String?, thumbnail: String?) {
            self.groupId = groupId
            self.title = title
            self.keywords = keywords
            self.url = url
            self.thumbnail = thumbnail
        }

        /// The name of the schema.
        public static let schemaName: String? = "IndexedGroup"
        /// Declares the fields.
        public static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("identifier", { "group:\($0.groupId)" }, "Its type and id: the key in the index")
            fields.always("groupId", \.groupId, "The group")
            fields.always("title", \.title, "Its title")
            fields.always("keywords", \.keywords, "Its topics")
            fields.sometimes("url", \.url, "Its canonical address; if the daemon knows the addresses of groups")
            fields.sometimes("thumbnail", \.thumbnail, "A public photo of it; if one and its address are known")
        }
    }
}
