/// Why a source of records cannot be read at all; what is wrong with a single record is a `RejectedRecord`.
public struct RecordError: Error, Equatable, CustomStringConvertible {
    /// What went wrong.
    public enum Code: Sendable, Equatable {
        /// The source has no header line.
        case empty
        /// The header cannot be read: too long, not UTF-8, a quote that is never closed.
        case badHeader
        /// A column that must be there is not.
        case missingColumn
        /// A column that is asked for stands twice in the header.
        case repeatedColumn
        /// The source itself failed: the disk, the pipe, the decompression.
        case readFailed
    }

    /// What went wrong.
    public let code: Code
    /// The name of the source, mostly a file's.
    public let source: String
    /// The line where it was noticed, from 1.
    public let line: Int
    /// What is wrong and what to do, for a person.
    public let message: String

    /// Source, line and message in one line.
    public var description: String { "\(source), line \(line): \(message)" }
}
