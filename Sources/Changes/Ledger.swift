package import Basics
import CCrypto
import Model

/// The members whom a site has forgotten or readmitted, without their ids.
///
/// It only grows: each member has the latest time of either, and the later one decides. A member is named by a digest
/// of the id, which nobody can make without the key of the site.
package struct Ledger: Sendable, Equatable {
    /// The first 16 bytes of HMAC-SHA256 (RFC 2104) of an id.
    package struct Digest: Hashable, Sendable {
        package static let byteCount = 16

        package let bytes: [UInt8]

        /// Creates a digest from bytes, or returns nil if their number is another one.
        package init?(_ bytes: [UInt8]) {
            guard bytes.count == Self.byteCount else { return nil }
            self.bytes = bytes
        }

        /// Reads the hexadecimal digits of a digest.
        package init?(_ text: some StringProtocol) { self.init(Hexadecimal.bytes(of: text) ?? []) }

        package var text: String { Hexadecimal.text(of: bytes) }
    }

    /// The times at which a member was last forgotten and readmitted, in the milliseconds of stamps; 0 for never.
    package struct Times: Sendable, Equatable {
        package var forgotten: Int64
        package var readmitted: Int64

        package init(forgotten: Int64 = 0, readmitted: Int64 = 0) {
            (self.forgotten, self.readmitted) = (forgotten, readmitted)
        }

        package var isForgotten: Bool { forgotten > readmitted }

        fileprivate func merged(with other: Times) -> Times {
            Times(forgotten: max(forgotten, other.forgotten), readmitted: max(readmitted, other.readmitted))
        }
    }

    /// The number of bytes of a key.
    package static let keyByteCount = 32

    /// The key of the digests.
    package let key: [UInt8]
    /// The times of each member.
    package private(set) var times: [Digest: Times]

    package init(key: [UInt8], _ times: [Digest: Times] = [:]) { (self.key, self.times) = (key, times) }

    /// Returns a new key, from the generator of the system.
    package static func makeKey() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<keyByteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    package func digest(of id: String) -> Digest { digest(ofID: Array(id.utf8)) }

    private func digest(ofID id: [UInt8]) -> Digest {
        let bytes = Authentication.code(of: id, key: key).prefix(Digest.byteCount)
        guard let digest = Digest(Array(bytes)) else { preconditionFailure("the code has 32 bytes") }
        return digest
    }

    /// Returns the times of a member, or nil if the member was never forgotten.
    package func times(of id: String) -> Times? { times.isEmpty ? nil : times[digest(of: id)] }

    package func isForgotten(_ id: String) -> Bool { times(of: id)?.isForgotten == true }

    /// Whether a member is forgotten whose id has these bytes.
    package func isForgotten(id: ArraySlice<UInt8>) -> Bool {
        times.isEmpty ? false : times[digest(ofID: Array(id))]?.isForgotten == true
    }

    /// A text that changes with the set of forgotten members, whatever the order in which they were noted.
    package var forgottenMark: String {
        let sum = times.lazy.filter(\.value.isForgotten).reduce(into: UInt64(0)) { sum, entry in
            sum &+= entry.key.bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
        return String(sum, radix: 16)
    }

    /// Adds the times of a digest; earlier times change nothing.
    package mutating func note(_ times: Times, of digest: Digest) {
        self.times[digest] = self.times[digest]?.merged(with: times) ?? times
    }

    /// Adds the times of another ledger.
    package mutating func merge(_ other: Ledger) { times.merge(other.times) { $0.merged(with: $1) } }

    /// Returns the entries that another ledger lacks, or has with earlier times.
    package func beyond(_ other: Ledger) -> Ledger {
        var all = other
        all.merge(self)
        return Ledger(key: key, times.filter { all.times[$0.key] != other.times[$0.key] })
    }
}

extension Ledger {
    private static let opening = "coterie ledger 1 "

    /// The ledger as text: a line with the key, and one for each member, in the order of the digests.
    package var text: String {
        let lines = times.map { "\($0.key.text) \($0.value.forgotten) \($0.value.readmitted)" }.sorted()
        return ([Self.opening + Hexadecimal.text(of: key)] + lines).map { $0 + "\n" }.joined()
    }

    /// Reads a text.
    ///
    /// - Throws: `Failure` that names the line that is none of a ledger.
    package init(text: String) throws(Failure) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let first = lines.first, first.hasPrefix(Self.opening), lines.last == "",
            let key = Hexadecimal.bytes(of: first.dropFirst(Self.opening.utf8.count)), key.count == Self.keyByteCount
        else {
            throw Failure(.badData, "it is no ledger, or is cut: \"coterie forget --ledger FILE\" writes one")
        }
        self.init(key: key)
        for (number, line) in lines.enumerated().dropFirst().dropLast() {
            let parts = line.split(separator: " ")
            guard parts.count == 3, let digest = Digest(parts[0]), let forgotten = Int64(parts[1]),
                let readmitted = Int64(parts[2])
            else { throw Failure(.badData, "line \(number + 1) is no line of a ledger") }
            note(Times(forgotten: forgotten, readmitted: readmitted), of: digest)
        }
    }
}

/// Message authentication codes: HMAC-SHA256 (RFC 2104).
package enum Authentication {
    /// Returns the code of a message, of 32 bytes.
    package static func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { output, count in
            var length: UInt32 = 0
            let isDone = unsafe HMAC(
                EVP_sha256(), key, Int32(key.count), message, message.count, output.baseAddress, &length)
            precondition(unsafe isDone != nil, "the hash cannot be made: there is no memory")
            count = Int(length)
        }
    }
}

/// Bytes as hexadecimal digits.
package enum Hexadecimal {
    /// Returns two lower-case digits for each byte.
    package static func text(of bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Returns the bytes of digits, or nil if the text is something else.
    package static func bytes(of text: some StringProtocol) -> [UInt8]? {
        let digits = text.utf8.map { Character(Unicode.Scalar($0)).hexDigitValue.map(UInt8.init) }
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for place in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[place], let low = digits[place + 1] else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}
