/// The offsets from UTC that the clocks of a place have had, and will have.
public struct ClockZone: Sendable, Equatable {
    /// Local seconds since 1970 from which on each offset holds, but for the first; ascending.
    private var localStarts: [Int64] = []
    /// Seconds east of UTC; one more than there are starts.
    private var offsets: [Int]

    /// UTC itself.
    public static let utc = ClockZone(offsetSeconds: 0)

    /// Clocks that never change.
    ///
    /// - Parameter offsetSeconds: seconds east of UTC.
    public init(offsetSeconds: Int) { offsets = [offsetSeconds] }

    /// Clocks that change.
    ///
    /// - Parameters:
    ///   - first: the offset before all changes, in seconds east of UTC.
    ///   - changes: from which Unix time on the clocks have which offset; in ascending order.
    public init(first: Int, changes: [(from: Int64, offsetSeconds: Int)]) {
        offsets = [first]
        for change in changes {
            // An hour that comes twice is taken for the first one, and an hour that is left out as before the change.
            localStarts.append(change.from + Int64(max(offsets[offsets.count - 1], change.offsetSeconds)))
            offsets.append(change.offsetSeconds)
        }
    }

    /// The offset that clocks showing a local time have, in seconds east of UTC.
    func offsetSeconds(atLocal seconds: Int64) -> Int {
        guard !localStarts.isEmpty else { return offsets[0] }
        var (low, high) = (0, localStarts.count)
        while low < high {
            let middle = (low + high) / 2
            if localStarts[middle] <= seconds { low = middle + 1 } else { high = middle }
        }
        return offsets[low]
    }
}

extension ClockZone {
    /// The zone that `Z`, `UTC`, `+02`, `+0200` or `+02:00` names; nil for anything else.
    public init?(_ text: String) {
        guard case .offset(let seconds)? = writtenZone(text.utf8Span.span, from: 0) else { return nil }
        self.init(offsetSeconds: seconds)
    }
}

/// What stands after a time of day.
enum WrittenZone {
    /// Nothing.
    case none
    /// Seconds east of UTC.
    case offset(Int)
}

/// What the bytes from a place to the end write: nothing, `Z`, `UTC`, `GMT`, `+02`, `+0200` or `+02:00`; nil for
/// anything else.
func writtenZone(_ bytes: Span<UInt8>, from start: Int) -> WrittenZone? {
    guard start < bytes.count else { return WrittenZone.none }
    var start = start
    while start < bytes.count, bytes[start] == UInt8(ascii: " ") { start += 1 }
    let count = bytes.count - start
    guard count > 0 else { return nil }
    let first = bytes[start]
    let letter = first & 0xDF
    if letter == UInt8(ascii: "Z") { return count == 1 ? .offset(0) : nil }
    if letter == UInt8(ascii: "U") || letter == UInt8(ascii: "G") {
        return isName("UTC", bytes, start) || isName("GMT", bytes, start) ? .offset(0) : nil
    }
    guard first == UInt8(ascii: "+") || first == UInt8(ascii: "-") else { return nil }
    let hasColon = count == 6 && bytes[start + 3] == UInt8(ascii: ":")
    guard count == 3 || count == 5 || hasColon, let hours = number(bytes, start + 1..<start + 3),
        let minutes = count == 3 ? 0 : number(bytes, bytes.count - 2..<bytes.count), hours < 24, minutes < 60
    else { return nil }
    let seconds = hours * 3600 + minutes * 60
    return .offset(first == UInt8(ascii: "+") ? seconds : -seconds)
}

/// Whether a name is all that stands from a place on, in any letter case.
private func isName(_ name: StaticString, _ bytes: Span<UInt8>, _ start: Int) -> Bool {
    guard bytes.count - start == name.utf8CodeUnitCount else { return false }
    return (0..<name.utf8CodeUnitCount).allSatisfy { unsafe bytes[start + $0] & 0xDF == name.utf8Start[$0] }
}
