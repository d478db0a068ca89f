import RecordReading

/// How the files of rejected records are called.
struct RejectsPaths {
    /// Without its ending.
    private let stem: String
    /// With its dot; nil to take that of the format.
    private let ending: String?

    /// - Parameter path: of the first file of records; without an ending such as `.csv` it gets that of the format.
    init(_ path: String) {
        let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else {
            (stem, ending) = (path, nil)
            return
        }
        ending = String(name[dot...])
        stem = String(path.dropLast(name[dot...].count))
    }

    /// The file of reasons.
    var reasons: String { stem + "-reasons.tsv" }

    /// The number-th file of records, from 1.
    func records(_ number: Int, _ format: RecordFormat) -> String {
        stem + (number > 1 ? "-\(number)" : "") + (ending ?? ".\(format.rawValue)")
    }

    /// The files that an earlier import has written, as its reasons name them.
    ///
    /// Names that merely look like these may be somebody else's.
    func filesNamedByReasons() -> [String] {
        guard FileIdentity(path: reasons) != nil, let input = try? InputFile(path: reasons) else { return [] }
        var found: Set<String> = []
        var (field, fieldNumber, lineNumber) = ([UInt8](), 0, 1)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while let count = try? input.read(into: &buffer), count > 0 {
            for byte in buffer.prefix(count) {
                let isLineFeed = byte == UInt8(ascii: "\n")
                guard isLineFeed || byte == UInt8(ascii: "\t") else {
                    if fieldNumber == Self.fileField { field.append(byte) }
                    continue
                }
                if fieldNumber == Self.fileField {
                    let text = String(decoding: field, as: UTF8.self)
                    if lineNumber == 1, text != Self.columns[Self.fileField] { return [] }
                    if lineNumber > 1, text.hasPrefix(stem) { found.insert(text) }
                    field.removeAll(keepingCapacity: true)
                }
                fieldNumber = isLineFeed ? 0 : fieldNumber + 1
                lineNumber += isLineFeed ? 1 : 0
            }
        }
        return found.sorted() + [reasons]
    }

    /// The columns of the file of reasons.
    static let columns = ["source", "line", "reason", "record", "rejects_file", "rejects_line"]
    private static let fileField = 4
}
