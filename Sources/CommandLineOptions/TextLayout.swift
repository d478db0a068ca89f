/// Lays out help in lines of at most `width` characters; a longer word gets a line of its own.
enum TextLayout {
    static let width = 80
    /// The second column of a table begins here at the latest; a longer term has its text on the next line.
    private static let widestColumn = 30

    /// Breaks paragraphs, which empty lines separate, into lines of at most `width` characters.
    ///
    /// A line that begins with a blank stays as it is.
    static func paragraphs(_ text: String, width: Int = width) -> [String] {
        var result: [String] = []
        var words: [Substring] = []
        func flush() {
            result += lines(words, width: width)
            words = []
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty || line.hasPrefix(" ") {
                flush()
                result.append(String(line))
            } else {
                words += line.split(separator: " ")
            }
        }
        flush()
        return result
    }

    /// Two columns, indented by two blanks: a term and its text, broken into lines.
    static func table(_ rows: [(term: String, text: String)]) -> [String] {
        let widest = rows.map(\.term.count).filter { $0 + 4 <= widestColumn }.max() ?? widestColumn - 4
        let indent = String(repeating: " ", count: widest + 4)
        return rows.flatMap { term, text -> [String] in
            let lines = paragraphs(text, width: width - indent.count)
            guard let first = lines.first else { return ["  " + term] }
            let rest = lines.dropFirst().map { indent + $0 }
            guard term.count <= widest else { return ["  " + term, indent + first] + rest }
            return ["  " + term + indent.dropFirst(term.count + 2) + first] + rest
        }
    }

    private static func lines(_ words: [Substring], width: Int) -> [String] {
        var result: [String] = []
        for word in words {
            if let last = result.last, last.count + 1 + word.count <= width {
                result[result.count - 1] = "\(last) \(word)"
            } else {
                result.append(String(word))
            }
        }
        return result
    }
}
