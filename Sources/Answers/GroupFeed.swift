/// The groups that a member has joined, for the search index of an app: `GET /v1/users/{id}/groups`.
package struct GroupFeed: Answer, Equatable {
    package var userId: String
    package var items: [Item]
    package var next: String?

    package init(userId: String, items: [Item], next: String?) {
        self.userId = userId
        self.items = items
        self.next = next
    }

    package static let schemaName: String? = "GroupFeed"
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("userId", \.userId, "The member")
        fields.always("items", \.items, "The groups that the member has joined, by their ids")
        fields.sometimes("next", \.next, "The parameter after for the next page; if there is one")
    }

    /// A group in the index.
    package struct Item: Answer, Equatable {
        package var groupId: String
        /// The group's title, which may be empty.
        package var title: String
        package var keywords: [String]
        package var url: String?
        package var thumbnail: String?

        package init(groupId: String, title: String, keywords: [String], url: String?, thumbnail: String?) {
            self.groupId = groupId
            self.title = title
            self.keywords = keywords
            self.url = url
            self.thumbnail = thumbnail
        }

        package static let schemaName: String? = "IndexedGroup"
        package static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("identifier", { "group:\($0.groupId)" }, "Its type and id: the key in the index")
            fields.always("groupId", \.groupId, "The group")
            fields.always("title", \.title, "Its title")
            fields.always("keywords", \.keywords, "Its topics")
            fields.sometimes("url", \.url, "Its canonical address; if the daemon knows the addresses of groups")
            fields.sometimes("thumbnail", \.thumbnail, "A public photo of it; if one and its address are known")
        }
    }
}
