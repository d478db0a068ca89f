import RecordReading
import Testing

@Suite struct EditDistances {
    @Test(arguments: [
        ("", "", 0), ("", "abc", 3), ("kitten", "sitting", 3), ("recommend", "recomend", 1), ("improt", "import", 1),
        ("ca", "abc", 3),
    ])
    func known(left: String, right: String, distance: Int) {
        #expect(editDistance(left, right) == distance)
        #expect(editDistance(right, left) == distance)
    }

    @Test func nearCandidatesAreOrderedAndFarOnesLeftOut() {
        let commands = ["import", "export", "recompute", "rank", "serve"]
        #expect(nearest(to: "improt", among: commands) == ["import"])
        #expect(nearest(to: "Rank", among: commands) == ["rank"])
        #expect(nearest(to: "xyzzy", among: commands) == [])
        // The limit is one character, or a third of them.
        #expect(nearest(to: "a", among: ["b", "bc"]) == ["b"])
        #expect(nearest(to: "abcdef", among: ["abcdxy", "abcxyz"]) == ["abcdxy"])
        #expect(nearest(to: String(repeating: "a", count: 65), among: [String(repeating: "a", count: 65)]) == [])
    }
}
