import FoundationEssentials

/// Reads a tape from its beginning: the exchanges of all its files, in their order.
///
/// A file that a killed daemon left, or that is being written, is read as far as it is whole. Needs memory for one
/// block and the bytes of one file.
public final class TapeReader {
    private var files: ArraySlice<String>
    private var blocks: TapeFile?
    private var block: ArraySlice<Exchange> = []
    /// The header of the file that was read last, the first one at the beginning.
    public private(set) var header: TapeHeader
    /// The files whose end was missing or damaged, as far as they were read.
    public private(set) var cutFiles: [String] = []

    /// Opens a tape.
    ///
    /// - Parameter path: a folder, or one file.
    /// - Throws: `TapeError`: `.missing` if there is none, `.notATape` if it is none.
    public init(_ path: String) throws(TapeError) {
        var isFolder = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw TapeError(.missing, "there is no tape at \(path)")
        }
        let files = isFolder ? try TapeFolder(path: path).files() : [path]
        guard let first = files.first else {
            throw TapeError(.missing, "there is no tape in \(path): \"coterie serve --record\" makes one")
        }
        let opened = try TapeFile(first)
        header = opened.header
        blocks = opened
        self.files = files.dropFirst()
    }

    /// The next exchange; nil at the end.
    ///
    /// - Throws: `TapeError.notATape` for what is whole and yet no line of a tape.
    public func next() throws(TapeError) -> Exchange? {
        while block.isEmpty {
            if let read = try blocks?.next() {
                block = read[...]
                continue
            }
            if let blocks, blocks.isCut { cutFiles.append(blocks.path) }
            blocks = nil
            guard let path = files.popFirst() else { return nil }
            // One that was begun when the daemon was killed has no header yet.
            do throws(TapeError) {
                let opened = try TapeFile(path)
                (blocks, header) = (opened, opened.header)
            } catch {
                guard error.code == .missing else { throw error }
                cutFiles.append(path)
            }
        }
        return block.popFirst()
    }
}
