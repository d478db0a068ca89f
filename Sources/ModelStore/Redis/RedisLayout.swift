import CZlib
import Model

/// The keys of a store in Redis, and what their values hold.
///
/// All keys begin with a prefix, `coterie:` unless configured. V is the name of a version, INDEX a group's place among
/// the ids from 0 on, in decimal digits. All on one server (with replicas, if you like): no cluster.
///
/// | key | value |
/// | --- | --- |
/// | `current` | the name of the current version; each switch is also published on the channel of this name, if its user may |
/// | `switched` | the name of the version that became current last, and when, Unix milliseconds |
/// | `versions` | sorted set: the names of the listed versions by the time they were built, Unix milliseconds |
/// | `incoming` | set: names of versions being written or removed, or whose publisher was killed |
/// | `publisher` | who publishes or prunes now; expires by itself when that process has gone |
/// | `pins` | set: names of versions that pruning leaves alone |
/// | `experiments` | the site's experiments, JSON |
/// | `V:manifest` | the manifest, JSON |
/// | `V:shape` | hash: `lists`, the names of the relations, separated by `;`; `groups`, `buckets`, `packing`, and how many chunks `ids` and every section in chunks have |
/// | `V:ids:CHUNK` | external ids in the order of their indexes, each followed by a zero byte; chunks from 0 on cut between ids |
/// | `V:SECTION:CHUNK` | every other section of `ModelLayout` but the relations, by its name: its bytes, cut into chunks |
/// | `V:RELATION:INDEX` | a group's neighbours in a relation such as `photos` or `members`, see `NeighbourListCoding`; no key if it has none |
/// | `V:joined:BUCKET` | users, packed as `PackedUsers`, with the groups they joined, see `JoinedGroupsCoding`; BUCKET is the CRC-32 of the id modulo `buckets`; no key if there are none |
/// | `V:feedback:BUCKET` | the same with what they said and were shown, see `FeedbackCoding`; those without any are left out |
/// | `daemons`, `daemon:ID` | set: the ids of daemons; what one says of itself, JSON, which expires after 20 seconds |
/// | `journals` | set: the names of the journals that have a stream |
/// | `journal:NAME` | stream: what members and administrators did since, see `JournalStreams`; the id of an entry is the number of the change in its journal and `-0`; trimmed when all versions have it |
/// | `sessions:USER` | hash of the lists of a user's sessions, see `SharedChannel`; expires a day after it was used last |
///
/// Earlier programs wrote a hash from user ids to values for each bucket, and no `packing` into the shape. Such versions
/// are read, too.
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
///     rest = iter(ask(b"GET", key + b":joined:%d" % bucket))
///     word = lambda: bytes(byte for _, byte in zip(range(next(numbers(rest), 0)), rest))
///     other, value = word(), word()
///     while other and other != user: other, value = word(), word()
///     for count, difference in enumerate(numbers(value)):
///         if count and not difference: break  # The day of the earliest membership follows.
///         group += difference
///         yield ids[group]
/// ```
struct RedisLayout: Sendable {
    /// The most bytes of a value of one chunk; well below the 512 MB that Redis allows.
    static let chunkByteCount = 1 << 20
    /// The most bytes of a chunk of ids, unless one id alone has more.
    static let idChunkByteCount = 16 << 20
    /// Users in a bucket, on average: a reader of one user reads some kilobytes.
    static let usersPerBucket = 64
    /// The sections that are stored as chunks of their bytes.
    static let chunkedSections = ModelLayout.SectionName.fixed.filter { $0 != .ids }

    let prefix: String

    var current: String { prefix + "current" }
    var switched: String { prefix + "switched" }
    var versions: String { prefix + "versions" }
    var incoming: String { prefix + "incoming" }
    var publisher: String { prefix + "publisher" }
    var pins: String { prefix + "pins" }
    var daemons: String { prefix + "daemons" }
    func daemon(_ id: String) -> String { "\(prefix)daemon:\(id)" }

    var experiments: String { prefix + "experiments" }

    var journals: String { prefix + "journals" }
    func journal(_ origin: String) -> String { "\(prefix)journal:\(origin)" }

    /// One stream of all changes, whose entries were numbered by the server.
    var changesOfEarlierPrograms: String { prefix + "changes" }

    func sessions(ofUser id: String) -> String { "\(prefix)sessions:\(id)" }
    func manifest(_ version: VersionName) -> String { "\(prefix)\(version):manifest" }
    func shape(_ version: VersionName) -> String { "\(prefix)\(version):shape" }

    /// What the keys of a section's chunks, or of a relation's lists, begin with; a number follows.
    func stem(_ version: VersionName, _ section: ModelLayout.SectionName) -> String {
        "\(prefix)\(version):\(section.rawValue):"
    }

    /// What users have values of, in buckets.
    enum UserValues: String, CaseIterable {
        case joined
        case feedback
    }

    /// What the keys of the buckets begin with; a number follows.
    func stem(_ version: VersionName, _ kind: UserValues) -> String { "\(prefix)\(version):\(kind.rawValue):" }

    /// The bucket of a user: by the CRC-32 of the id, `zlib.crc32` in Python, which any reader can compute.
    static func bucket(ofUser id: Span<UInt8>, of bucketCount: Int) -> Int { Int(hash(ofUser: id)) % bucketCount }

    /// The CRC-32 of a user's id.
    static func hash(ofUser id: Span<UInt8>) -> UInt32 {
        UInt32(truncatingIfNeeded: unsafe id.withUnsafeBufferPointer { unsafe crc32_z(0, $0.baseAddress, $0.count) })
    }
}
