import Changes
import Testing

@Suite("The present ids of renamed groups")
struct GroupNamesTests {
    private func names(_ renamings: (stamp: Int64, old: String, new: String)...) -> GroupNames {
        GroupNames(
            renamings.enumerated().map { index, renaming in
                JournaledChange(
                    origin: "a", sequence: Int64(index + 1), stampMilliseconds: renaming.stamp,
                    change: .renaming(
                        RenamingChange(
                            .group, from: renaming.old, to: renaming.new, atMilliseconds: renaming.stamp)))
            })
    }

    @Test("Two groups that swap their ids keep what was decided about each of them, whenever it was")
    func swapped() {
        let names = names((10, "owls", "between"), (20, "kites", "owls"), (30, "between", "kites"))
        // The stamps are before the swap, between its renamings, and after it.
        #expect([1, 15, 25, 35].map { names.newest(of: "owls", at: $0) } == ["kites", "kites", "owls", "owls"])
        #expect([1, 15, 25, 35].map { names.newest(of: "kites", at: $0) } == ["owls", "owls", "owls", "kites"])
        #expect([1, 15, 25, 35].map { names.newest(of: "between", at: $0) } == Array(repeating: "kites", count: 4))
        #expect(names.newest(of: "rooks") == "rooks")
    }

    @Test("An id that was given again and then taken away leads to the group that had it at the time")
    func again() {
        let names = names((10, "owls", "a"), (20, "x", "owls"), (30, "owls", "b"), (40, "a", "c"))
        #expect([5, 15, 25, 35].map { names.newest(of: "owls", at: $0) } == ["c", "c", "b", "b"])
        // Somebody made a group with the id between the renamings; nobody knows when.
        let made = self.names((10, "owls", "a"), (30, "owls", "b"))
        #expect([5, 20, 40].map { made.newest(of: "owls", at: $0) } == ["a", "b", "b"])
    }
}
