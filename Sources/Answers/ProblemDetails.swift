/// What is wrong with a request, or keeps it from being answered (RFC 9457).
public struct ProblemDetails: Answer, Equatable {
    /// What kind of problem it is: `about:blank`, or `urn:coterie:problem:KIND`.
    public var type: String
    /// The kind, for people.
    public var title: String
    /// The status of the answer.
    public var status: Int
    /// What is wrong here, and what to do.
    public var detail: String
    /// The path of the request as it came; nil if it could not be understood.
    public var instance: String?
    /// The parameter that is wrong.
    public var parameter: String?
    /// The member of the body that is wrong.
    public var field: String?
    /// What is allowed instead.
    public var allowed: [String]?
    /// The numbers allowed, both inclusive.
    public var minimum, maximum: Int?
    /// Ids near one that does not exist.
    public var near: [String]?
    /// What the daemon lacks.
    public var missing: [String]?
    /// When the store was first found unreachable, in Unix milliseconds.
    public var storeUnreachableSinceMilliseconds: Int64?

    /// A problem, with the members that every one has.
    public init(type: String, title: String, status: Int, detail: String) {
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
    }

    /// The name of the schema.
    public static let schemaName: String? = "Problem"
    /// The fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("type", \.type, "What kind of problem it is: about:blank, or urn:coterie:problem:KIND")
        fields.always("title", \.title, "The kind, for people")
        fields.always("status", \.status, as: .integer(400...599), "The status of the answer")
        fields.always("detail", \.detail, "What is wrong here, and what to do")
        fields.sometimes("instance", \.instance, "The path of the request")
        fields.sometimes("parameter", \.parameter, "The parameter that is wrong")
        fields.sometimes("field", \.field, "The member of the body that is wrong, such as interactions[3].kind")
        fields.sometimes("allowed", \.allowed, "What is allowed instead")
        fields.sometimes("minimum", \.minimum, "The least number allowed")
        fields.sometimes("maximum", \.maximum, "The greatest number allowed")
        fields.sometimes("near", \.near, "Ids near one that does not exist")
        fields.sometimes("missing", \.missing, "What the daemon lacks")
        fields.sometimes(
            "storeUnreachableSinceMilliseconds", \.storeUnreachableSinceMilliseconds,
            "When the store was first found unreachable, in Unix milliseconds")
    }
}
