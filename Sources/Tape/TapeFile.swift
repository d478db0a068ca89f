import Compression
import FoundationEssentials

/// A file of a tape that is read: a header, and blocks of exchanges.
final class TapeFile {
    /// The longest text of a block, in bytes: more than any that is written.
    private static let blockLimitBytes = 64 << 20

    let path: String
    let header: TapeHeader
    /// Whether it ends within a block, or goes on with something else.
    private(set) var isCut = false
    private var rest: ArraySlice<UInt8>
    private let decompressor: GzipDecompressor

    /// Opens a file.
    convenience init(_ path: String) throws(TapeError) {
        let bytes: [UInt8]
        do {
            bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        } catch { throw TapeError(.fileFailed, "\(path) cannot be read: \(error)") }
        try self.init(bytes, path: path)
    }

    /// - Parameters:
    ///   - bytes: of the file.
    ///   - path: names it in errors.
    /// - Throws: `TapeError`: `.missing` if they have no whole header, `.notATape` if they begin with something else.
    init(_ bytes: [UInt8], path: String) throws(TapeError) {
        guard let decompressor = GzipDecompressor() else { throw TapeError(.fileFailed, "there is no memory") }
        var rest = bytes[...]
        guard let text = decompressor.member(of: &rest, limit: Self.blockLimitBytes) else {
            let mayBeCut = bytes.isEmpty || GzipDecompressor.isGzip(bytes)
            throw TapeError(mayBeCut ? .missing : .notATape, "\(path) has no header of a tape")
        }
        let line = text.prefix { $0 != UInt8(ascii: "\n") }
        guard let header = try? JSONDecoder().decode(TapeHeader.self, from: Data(line)) else {
            throw TapeError(.notATape, "\(path) is no tape")
        }
        guard header.format == TapeHeader.currentFormat else {
            throw TapeError(.notATape, "\(path) is a tape of format \(header.format), which this program cannot read")
        }
        (self.path, self.header, self.rest, self.decompressor) = (path, header, rest, decompressor)
    }

    /// The exchanges of the next block; nil at the end of what is whole.
    func next() throws(TapeError) -> [Exchange]? {
        guard !rest.isEmpty else { return nil }
        guard let text = decompressor.member(of: &rest, limit: Self.blockLimitBytes) else {
            isCut = true
            rest = []
            return nil
        }
        var exchanges: [Exchange] = []
        var indexes: [UInt64: Int] = [:]
        for line in text.split(separator: UInt8(ascii: "\n")) {
            guard var read = ExchangeLine(line) else {
                throw TapeError(.notATape, "\(path) has a line that is no exchange")
            }
            if let number = read.bodyOf {
                guard let index = indexes[number] else {
                    throw TapeError(.notATape, "\(path) has an answer whose body is missing")
                }
                read.exchange.body = exchanges[index].body
            }
            indexes[read.exchange.sequence] = exchanges.count
            exchanges.append(read.exchange)
        }
        return exchanges
    }
}
