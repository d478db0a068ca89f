/// Texts one behind another in one piece of memory: for lists of which few are ever looked at, where a text of its own for
/// each would take longer to make, to copy and to let go than all that is done with them.
struct PackedTexts: Equatable {
    private var bytes: [UInt8] = []
    /// Where each text ends.
    private var ends: [Int] = []

    /// How many there are.
    var count: Int { ends.count }
    /// What all of them take, in bytes.
    var byteCount: Int { bytes.count }

    /// Adds a text.
    ///
    /// - Parameter text: its bytes, which are UTF-8.
    mutating func append(_ text: some Collection<UInt8>) {
        bytes.append(contentsOf: text)
        ends.append(bytes.count)
    }

    /// The bytes of a text.
    func bytes(at place: Int) -> ArraySlice<UInt8> { bytes[(place == 0 ? 0 : ends[place - 1])..<ends[place]] }

    /// A text.
    subscript(place: Int) -> String { String(decoding: bytes(at: place), as: UTF8.self) }
}
