extension Substring {
    /// Without the spaces and tabs around it.
    var trimmingSpaces: Substring {
        let begin = firstIndex { $0 != " " && $0 != "\t" } ?? endIndex
        let end = lastIndex { $0 != " " && $0 != "\t" }.map { index(after: $0) } ?? begin
        return self[begin..<end]
    }
}
