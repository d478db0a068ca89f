import Basics
import Model

/// The buckets of a version's members that change when forgotten members go.
struct MemberErasure {
    /// The changed buckets with their new bytes.
    private(set) var buckets: [Int: [UInt8]] = [:]
    /// The number of members that go.
    private(set) var count = 0
    /// The sum of the buckets' checksums, after the change.
    private var sum: UInt64

    init(of report: Manifest.MembersReport) { sum = UInt64(report.checksum, radix: 16) ?? 0 }

    /// Takes the next bucket, in the form of `PackedUsers`, and notes it if a member in it goes.
    mutating func take(
        _ bytes: [UInt8], number: Int, checksum: UInt64, where isForgotten: (ArraySlice<UInt8>) -> Bool
    ) {
        var kept: [UInt8] = []
        var gone = 0
        _ = PackedUsers.forEach(in: bytes.span) { id, value in
            if isForgotten(bytes[id]) {
                gone += 1
            } else {
                PackedUsers.append(bytes[id].span, to: &kept)
                PackedUsers.append(bytes[value].span, to: &kept)
            }
            return true
        }
        guard gone > 0 else { return }
        sum = sum &- checksum &+ MembersChecksum.checksum(ofBucket: kept.span, number: number)
        buckets[number] = kept
        count += gone
    }

    /// Returns the manifest of the version without the members that go.
    func manifest(from manifest: Manifest, mark: String, at now: Int64) -> Manifest {
        var manifest = manifest
        manifest.members?.valueCount -= count
        manifest.members?.checksum = Checksum.text(ofNumber: sum)
        var erasure = manifest.erasure ?? .init(number: 0, forgotten: mark, atMilliseconds: 0)
        erasure.forgotten = mark
        if count > 0 { (erasure.number, erasure.atMilliseconds) = (erasure.number + 1, now) }
        manifest.erasure = erasure
        return manifest
    }
}
