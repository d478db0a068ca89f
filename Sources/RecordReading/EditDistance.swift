/// Returns the edit distance of two texts: the number of characters to insert, delete, replace, or swap with their
/// neighbour.
///
/// This is the optimal string alignment distance: no character is edited twice. Complexity: O(n·m) time, O(m) memory.
package func editDistance(_ left: String, _ right: String) -> Int {
    let left = Array(left), right = Array(right)
    var beforeLast = [Int](repeating: 0, count: right.count + 1)
    var last = Array(0...right.count)
    for row in left.indices {
        var current = [row + 1]
        current.reserveCapacity(right.count + 1)
        for column in right.indices {
            let isSame = left[row] == right[column]
            var best = min(last[column + 1] + 1, current[column] + 1, last[column] + (isSame ? 0 : 1))
            if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                best = min(best, beforeLast[column - 1] + 1)
            }
            current.append(best)
        }
        (beforeLast, last) = (last, current)
    }
    return last[right.count]
}

/// Returns the "did you mean" candidates for a wrong text, nearest first.
///
/// A candidate is near if at most a third of the characters of the longer text must be edited, or one character. Letter
/// case is ignored. A text of more than 64 characters has no near candidate. Equally near candidates keep their order.
package func nearest(to text: String, among candidates: some Sequence<String>, limit: Int = 3) -> [String] {
    guard text.count <= 64 else { return [] }
    let lowercased = text.lowercased()
    var near: [(distance: Int, candidate: String)] = []
    for candidate in candidates {
        let allowed = max(1, max(text.count, candidate.count) / 3)
        guard abs(text.count - candidate.count) <= allowed else { continue }
        let distance = editDistance(lowercased, candidate.lowercased())
        if distance <= allowed { near.append((distance, candidate)) }
    }
    // The standard sort does not promise to be stable, hence the offset as second key.
    let order = near.indices.sorted { (near[$0].distance, $0) < (near[$1].distance, $1) }
    return order.prefix(max(0, limit)).map { near[$0].candidate }
}

/// Returns words as a choice, such as "a, b or c"; empty if there are none.
package func choice(of words: [String]) -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return "\(words.dropLast().joined(separator: ", ")) or \(last)"
}
