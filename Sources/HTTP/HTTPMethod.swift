/// What a request asks for; case matters.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The method's name as it stands in the request line.
    public let rawValue: String

    /// A method of any name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Read.
    public static let get = HTTPMethod(rawValue: "GET")
    /// Read all but the body.
    public static let head = HTTPMethod(rawValue: "HEAD")
    /// Hand in.
    public static let post = HTTPMethod(rawValue: "POST")
    /// Put in place.
    public static let put = HTTPMethod(rawValue: "PUT")
    /// Remove.
    public static let delete = HTTPMethod(rawValue: "DELETE")
    /// Ask which methods are possible.
    public static let options = HTTPMethod(rawValue: "OPTIONS")

    /// The name.
    public var description: String { rawValue }
}
