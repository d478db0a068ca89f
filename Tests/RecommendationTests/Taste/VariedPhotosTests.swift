import TestSupport
import Testing

@testable import Recommendation

@Suite("The order of photos in a list")
struct VariedPhotosTests {
    private func order(_ photos: [(Double, String?, Int?)], limit: Int = 100) -> [Int] {
        VariedPhotos.order(
            of: photos.map { .init(score: $0.0, owner: $0.1, interest: $0.2) }, limit: limit)
    }

    @Test("Photos of different owners and interests come by their scores; equal ones stay in their order")
    func plain() {
        #expect(order([(1, nil, nil), (3, "a", 0), (2, "b", 1), (2, "c", 2)]) == [1, 2, 3, 0])
        #expect(order([(1, "a", 0), (0.9, "a", 1), (0.8, "b", 2)]) == [0, 2, 1])
        #expect(order([(1, "a", 0), (0.99, "b", 0), (0.98, "c", 1)]) == [0, 2, 1])
        #expect(order([]) == [] && order([(1, nil, nil)], limit: 0) == [])
    }

    @Test("A shorter list begins a longer one, and no photo comes twice", arguments: 1...20 as ClosedRange<UInt64>)
    func prefixes(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let photos = (0..<60).map { _ in
            (
                Double.random(in: 0.1...1, using: &generator),
                Bool.random(using: &generator) ? "o\(Int.random(in: 0..<5, using: &generator))" : nil,
                Bool.random(using: &generator) ? Int.random(in: 0..<3, using: &generator) : nil
            )
        }
        let whole = order(photos)
        #expect(whole.sorted() == Array(photos.indices))
        #expect(order(photos, limit: 13) == Array(whole.prefix(13)))
    }

    @Test("One owner of the best photos does not get all places")
    func owners() {
        let photos = (0..<40).map { ($0 < 20 ? 1.0 : 0.5, $0 < 20 ? "busy" : "other-\($0)", Int?.none) }
        #expect(order(photos, limit: 20).count { $0 < 20 } == 2)
    }
}
