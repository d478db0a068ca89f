import ModelStore

/// The bytes of a frozen plan as they are kept: those of the plan, and behind them a checksum, XXH3 in 64 bits, of them
/// and of whose session it is.
///
/// So a list that is damaged, or that stands under the name of another session, is found out before it is shown.
extension FrozenPlan {
    /// Why kept bytes give no list.
    enum Unreadable: Error, Equatable {
        /// They are not what was kept for the session.
        case damaged
        /// Another version of this program has kept them.
        case otherProgram
    }

    /// The formats that had no checksum.
    private static let unsealedFormats: ClosedRange<UInt8> = 2...3

    /// The plan as it is kept for a session.
    func sealed(ofUser user: String, session: String?) -> [UInt8] {
        Self.seal(bytes, ofUser: user, session: session)
    }

    /// Bytes with their seal behind them.
    static func seal(_ bytes: [UInt8], ofUser user: String, session: String?) -> [UInt8] {
        bytes + seal(of: bytes[...], user, session)
    }

    /// Opens what `sealed` gave for the same session.
    init(sealed: [UInt8], ofUser user: String, session: String?) throws(Unreadable) {
        let bytes = sealed.dropLast(8)
        guard sealed.suffix(8).elementsEqual(Self.seal(of: bytes, user, session)) else {
            throw sealed.first.map(Self.unsealedFormats.contains) == true ? .otherProgram : .damaged
        }
        guard let plan = FrozenPlan(bytes: Array(bytes)) else { throw .otherProgram }
        self = plan
    }

    private static func seal(of bytes: ArraySlice<UInt8>, _ user: String, _ session: String?) -> [UInt8] {
        var writer = ByteWriter(capacity: bytes.count + user.utf8.count + (session?.utf8.count ?? 0) + 8)
        writer.append(bytes)
        writer.append(user)
        writer.append(session ?? "")
        var seal = ByteWriter(capacity: 8)
        seal.append(Checksum.number(of: writer.bytes))
        return seal.bytes
    }
}
