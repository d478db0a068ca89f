import Foundation
import Testing

@testable import coterie_bench

@Suite("The vocabulary")
struct VocabularyTests {
    @Test("Every theme has words for its groups and photos, and none contains a separator")
    func themes() {
        #expect(Theme.all.count == 56)
        #expect(Set(Theme.all.map(\.name)).count == Theme.all.count)
        #expect(Theme.all[Theme.anythingIndex].name == "anything goes")
        for theme in Theme.all {
            #expect(theme.groups.count >= 3 && theme.subjects.count >= 4 && theme.tags.list.count >= 3, "\(theme.name)")
            #expect(theme.placeKinds.isEmpty == theme.placeGroups.isEmpty, "\(theme.name)")
            let words = theme.tags.list + theme.topics.list + theme.subjects.flatMap { [$0.name] + $0.tags.list }
            #expect(words.allSatisfy { word in !word.contains { "\t\n;".contains($0) } })
            #expect(theme.subjects.allSatisfy { $0.tags.list.count >= 1 })
        }
        let titles = Theme.all.flatMap { $0.groups.map(\.title) }
        #expect(Set(titles).count == titles.count)
    }

    @Test("Only titles about a place have a placeholder for one, and no other placeholder is in a theme's titles")
    func placeholders() {
        for theme in Theme.all {
            #expect(theme.groups.allSatisfy { !$0.title.contains("{") && !$0.description.contains("{") })
            #expect(theme.placeGroups.allSatisfy { $0.title.contains("{place}") || $0.title.contains("{Place}") })
            #expect(theme.placeGroups.allSatisfy { !$0.title.contains("ubject}") })
        }
    }

    @Test("Places are on the globe, the cities first")
    func places() {
        #expect(Place.all.count == 128 && Place.cities.count == 70 && Place.northern.count == 10)
        #expect(Place.all.prefix(70).allSatisfy { $0.kind == .city })
        #expect(Place.all.allSatisfy { abs($0.latitude) < 9_000_000 && abs($0.longitude) < 18_000_000 })
        let dolomites = Place.all.first { $0.name == "Dolomites" }
        #expect(dolomites?.phrase == "the Dolomites" && dolomites?.tag == "dolomites")
        #expect(dolomites?.latitude == 4_641_020 && dolomites?.has(.coast) == false && dolomites?.has(.seasons) == true)
    }

    @Test(
        "A malformed vocabulary is refused, with what is wrong",
        arguments: [
            ("{", "", "not valid JSON"),
            (#""name": "anything goes""#, #""name": "something""#, "the first theme must be"),
            (#""name": "birds""#, #""name": "street""#, "two themes have the same name"),
            (#""season": "autumn""#, #""season": "fall""#, "Season has no case fall"),
            (#""hours": "twilight""#, #""hours": "noon""#, "HourPattern has no case noon"),
            (#""placeFeature": "coast""#, #""placeFeature": "beach""#, "beach"),
            (#""topics": "pets animals", "#, "", "topics"), (#""kind": "northern""#, #""kind": "region""#, "far north"),
            (#""name": "London", "kind": "city""#, #""name": "London", "kind": "region""#, "must be all cities"),
            (#""latitude": 51.5074"#, #""latitude": "51.5""#, "latitude"),
            (#"["Noses", "Wet, cold and right up against the lens."]"#, #"["Noses"]"#, "themes[18].groups[2]"),
            (#""duplicate""#, #""copies""#, "no title of the kind duplicate"),
            (#""firstNames": ["#, #""firstNames": [], "more": ["#, "first names and last names"),
        ])
    func malformed(part: String, replacement: String, message: String) throws {
        let text = String(decoding: PackageResources.vocabulary_json, as: UTF8.self)
        #expect(try Vocabulary(json: Array(text.utf8)).themes.count == 56)
        let changed = text.replacing(part, with: replacement)
        try #require(changed != text, "the vocabulary has no \(part)")
        do {
            _ = try Vocabulary(json: Array(changed.utf8))
            Issue.record("not refused")
        } catch {
            #expect("\(error)".contains(message), "\(error)")
        }
    }
}
