/// A place in a file.
public struct YAMLPlace: Sendable, Hashable, CustomStringConvertible {
    /// The path of the file, as it was given.
    public let file: String
    /// The line, from 1.
    public let line: Int
    /// The character in the line, from 1.
    public let column: Int

    /// Makes a place; lines and columns count from 1.
    public init(file: String, line: Int, column: Int) {
        self.file = file
        self.line = line
        self.column = column
    }

    /// `FILE:LINE:COLUMN`.
    public var description: String { "\(file):\(line):\(column)" }
}
