import Foundation
import Model
import TestSupport
import Testing

@testable import Service

@Suite("The search of the pages")
struct PageSearchTests {
    private let letters = ["a", "B", "ab", "É", "e\u{301}", "ß", "ب", "🦉", "-", "1"]

    private func model(_ generator: inout SeededGenerator) throws -> VisibleModel {
        func text(_ count: Int) -> String {
            (0..<count).map { _ in letters.randomElement(using: &generator) ?? "" }.joined()
        }
        let groups = (0..<60).map { number in
            GroupFacts(
                id: "\(100 + number)\(text(2))", title: (0..<3).map { text($0 + 1) }.joined(separator: " "), topics: [],
                joinPolicy: .open, createdAt: nil, lastActiveAt: nil)
        }
        let encoded = try EncodedModel(groups: groups, tables: [:])
        return VisibleModel(try ModelVersion(ByteRegion(copying: encoded.fileBytes)))
    }

    @Test("finds the groups whose id or title contains all words", arguments: 0..<20)
    func words(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let model = try model(&generator)
        let names = SearchedNames((0..<model.groupCount).map { "\(model.id(of: $0)) \(model.title(of: $0))" })
        for text in letters + ["ab É", "a a", "b 1", "", " ", "zz", "É\u{301}", "59 a", "1 2 3"] {
            func searched(_ text: String) -> String { text.lowercased().decomposedStringWithCanonicalMapping }
            let words = searched(text).split(separator: " ")
            let expected = (0..<model.groupCount).filter { group in
                let name = Array(searched("\(model.id(of: group)) \(model.title(of: group))").utf8)
                return words.allSatisfy { word in
                    let word = Array(word.utf8)
                    return (0...max(0, name.count - word.count)).contains { name.dropFirst($0).starts(with: word) }
                }
            }
            for form in [text, text.precomposedStringWithCanonicalMapping, searched(text)] {
                let found = names.matching(form, limit: .max)
                #expect(found == expected, "\(text)")
            }
            #expect(names.matching(text, limit: 3) == Array(expected.prefix(3)))
        }
    }
}
