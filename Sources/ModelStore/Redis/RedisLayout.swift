import CZlib
import Model

/// The keys and values of a store in Redis.
///
/// All keys begin with a prefix, `coterie:` unless configured. In the list below, V is the name of a version. INDEX is
/// the position of a group among the ids, from 0 in decimal digits. All keys are on one server, which may have
/// replicas; a cluster is not supported.
///
/// Keys of the store:
///
/// - `current`: the name of the current version. Each switch is also published on the channel of this name, if the user
///   may publish.
/// - `switched`: the name of the version that became current last, and the time in Unix milliseconds.
/// - `versions`: a sorted set of the listed versions' names, by the time they were built in Unix milliseconds.
/// - `incoming`: a set of the versions that are being written or removed, or that a killed publisher left.
/// - `publisher`: the token of the process that publishes or prunes now. The key expires when that process is gone.
/// - `pins`: a set of the versions that pruning keeps.
/// - `experiments`: the site's experiments, JSON.
/// - `site`: the state of the site (`PublishedSite`), JSON.
///
/// Keys of a version:
///
/// - `V:manifest`: the manifest, JSON.
/// - `V:shape`: a hash of `lists`, `groups`, `buckets`, and a number of chunks for `ids` and for every section in
///   chunks. The field `lists` has the names of the relations, separated by `;`.
/// - `V:ids:CHUNK`: external ids in the order of their indexes, each followed by a zero byte. Chunks are numbered from
///   0 and cut between ids.
/// - `V:SECTION:CHUNK`: the bytes of every other section of `ModelLayout` except the relations, cut into chunks.
/// - `V:RELATION:INDEX`: a group's neighbours in a relation such as `photos` or `members` (`NeighbourListCoding`). A
///   group without neighbours has no key.
/// - `V:users:BUCKET`: users in the form of `PackedUsers`, with the groups that they are in and all else that lists
///   are made of (`MemberCoding`). BUCKET is the CRC-32 of the user's id modulo `buckets`. An empty bucket has no key.
/// - `V:renewed:BUCKET`: the same, while all members are made anew; they then take the places of `V:users:BUCKET`.
///
/// Keys of daemons and sessions:
///
/// - `daemons`: a set of the daemons' ids.
/// - `daemon:ID`: a daemon's report about itself, JSON. The key expires after 20 seconds.
/// - `senders`, `sender:ID`: the same by journals, for 35 days; gone when a daemon stops and has sent all.
/// - `lists`, `list:ID`: the same of what members did with a daemon's lists on a day, as sums, for 35 days.
/// - `endings`, `ending:ID`: the same of sessions of the pages that were signed out, for eight hours.
/// - `decisions`, `decision:WEEK`: the same of what operators decided in a week since 1970, in lines, for a year.
/// - `journals`: a set of the names of the journals that have a stream.
/// - `journal:NAME`: a stream of the changes that members and administrators made (`JournalStreams`). The id of an
///   entry is the number of the change in its journal, and `-0`. A stream is trimmed when all versions have its
///   changes.
/// - `ledger:key`: the key of the ledger of forgotten members (`Ledger`).
/// - `ledger:forgotten`, `ledger:readmitted`: sorted sets of digests, by the milliseconds of stamps.
/// - `ledger:revision`: a text that changes with the ledger.
/// - `sessions:USER`: a hash of the lists of a user's sessions (`SharedChannel`). The key expires a day after its last
///   use.
///
/// A complete reader in Python, without any library, of a user's groups and of a group's neighbours:
///
/// ```python
/// import socket, struct, sys, zlib
/// link = socket.create_connection((sys.argv[1], int(sys.argv[2]))).makefile("rwb")
/// def ask(*words):
///     link.write(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words))
///     link.flush()
///     length = int(link.readline()[1:])
///     return link.read(length + 2)[:-2] if length >= 0 else b""
/// def numbers(value):
///     number = shift = 0
///     for byte in value:
///         number, shift = number | (byte & 127) << shift, shift + 7
///         if byte < 128: yield number; number = shift = 0
/// key = b"coterie:" + ask(b"GET", b"coterie:current")
/// ids = b"".join(ask(b"GET", key + b":ids:%d" % chunk) for chunk in range(int(ask(b"HGET", key + b":shape", b"ids"))))
/// ids = ids.split(b"\0")[:-1]
/// def neighbours(relation, index):
///     bits, rest = 0x7F800000, numbers(ask(b"GET", key + b":%s:%d" % (relation, index)))
///     for other, common, drop in zip(rest, rest, rest):
///         bits -= drop
///         yield ids[other], common, struct.unpack("f", struct.pack("I", bits))[0]
/// def joined(user):
///     bucket, group = zlib.crc32(user) % int(ask(b"HGET", key + b":shape", b"buckets")), 0
///     rest = iter(ask(b"GET", key + b":users:%d" % bucket))
///     word = lambda: bytes(byte for _, byte in zip(range(next(numbers(rest), 0)), rest))
///     other, value = word(), word()
///     while other and other != user: other, value = word(), word()
///     rest = numbers(value[1:])  # The first byte has marks.
///     for _ in range(next(rest, 0)):
///         group, time = group + next(rest), next(rest)
///         yield ids[group]
/// ```
struct RedisLayout: Sendable {
    /// The greatest length of a chunk, in bytes: well below the 512 MB that Redis allows.
    static let chunkByteCount = 1 << 20
    /// The greatest length of a chunk of ids, in bytes, unless one id alone is longer.
    static let idChunkByteCount = 16 << 20
    /// The average number of users in a bucket, so that looking up a user reads only some kilobytes.
    static let usersPerBucket = 64
    /// The sections that are stored as chunks of bytes.
    static let chunkedSections = ModelLayout.SectionName.fixed.filter { $0 != .ids } + ModelLayout.SectionName.optional

    let prefix: String

    var current: String { prefix + "current" }
    var switched: String { prefix + "switched" }
    var versions: String { prefix + "versions" }
    var incoming: String { prefix + "incoming" }
    var publisher: String { prefix + "publisher" }
    var pins: String { prefix + "pins" }
    func board(_ kind: BoardKind) -> String { "\(prefix)\(kind.rawValue)s" }
    func entry(_ id: String, on kind: BoardKind) -> String { "\(prefix)\(kind.rawValue):\(id)" }

    var experiments: String { prefix + "experiments" }
    var site: String { prefix + "site" }

    func sessions(ofUser id: String) -> String { "\(prefix)sessions:\(id)" }
    func manifest(_ version: VersionName) -> String { "\(prefix)\(version):manifest" }
    func shape(_ version: VersionName) -> String { "\(prefix)\(version):shape" }

    /// Returns the start of the keys of a section's chunks or a relation's lists; a number follows.
    func stem(_ version: VersionName, _ section: ModelLayout.SectionName) -> String {
        "\(prefix)\(version):\(section.rawValue):"
    }

    /// Returns the start of the keys of the buckets of users; a number follows.
    func users(_ version: VersionName) -> String { "\(prefix)\(version):users:" }

    /// Returns the start of the keys of the buckets of users that are to replace those of `users`.
    func renewedUsers(_ version: VersionName) -> String { "\(prefix)\(version):renewed:" }

    /// Returns a user's bucket, by the CRC-32 of the id (`zlib.crc32` in Python), which readers in any language can
    /// compute.
    static func bucket(ofUser id: Span<UInt8>, of bucketCount: Int) -> Int { Int(hash(ofUser: id)) % bucketCount }

    /// Returns the CRC-32 of a user's id.
    static func hash(ofUser id: Span<UInt8>) -> UInt32 {
        UInt32(truncatingIfNeeded: unsafe id.withUnsafeBufferPointer { unsafe crc32_z(0, $0.baseAddress, $0.count) })
    }
}
