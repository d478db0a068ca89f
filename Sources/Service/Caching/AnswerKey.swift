import HTTP

/// What requests have in common that get the same answer, byte for byte.
struct AnswerKey: Hashable {
    private let method: HTTPMethod
    /// The bytes as they came: to Swift, texts are equal already if they look the same.
    private let target: [UInt8]
    private let takesGzip: Bool
    /// Bearers of tokens are told more than others, and what others may keep of it differs.
    private let hasBearer: Bool

    init(_ request: HTTPRequest, takesGzip: Bool, hasBearer: Bool) {
        method = request.method
        target = request.target
        self.takesGzip = takesGzip
        self.hasBearer = hasBearer
    }

    /// What it takes in memory beside its place in a table, in bytes.
    var byteCount: Int { target.count }

    func hash(into hasher: inout Hasher) {
        // The target tells nearly all keys apart; hashed as one piece, it takes a fraction of what an array takes.
        unsafe target.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}
