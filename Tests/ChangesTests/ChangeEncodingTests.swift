import Foundation
import Model
import SQLite
import TestSupport
import Testing

@testable import Changes

@Suite("The bytes of changes")
struct ChangeEncodingTests {
    /// An example of every kind, with its bytes: they are the format, and must not change.
    static let examples: [(change: Change, bytes: String)] = [
        (
            .member(
                MemberChange(
                    ofUser: "ann",
                    .record([
                        InteractionRecord(
                            id: "3f0c-1", .join, groupID: "owls", atMilliseconds: 1_795_000_000_000,
                            recommendationID: "r7", position: 3, variant: "b"),
                        InteractionRecord(id: "2", .impression, groupID: "snow \"é\"\n", atMilliseconds: 5),
                    ]))),
            #"{"v":1,"kind":1,"user":"ann","interactions":[{"id":"3f0c-1","kind":0,"group":"owls","#
                + #""at":1795000000000,"list":"r7","position":3,"variant":"b"},"#
                + #"{"id":"2","kind":5,"group":"snow \"é\"\u000a","at":5}]}"#
        ),
        (
            .member(
                MemberChange(
                    ofUser: "ann",
                    .record([
                        InteractionRecord(id: "1", .favourite, subjectID: "p1", atMilliseconds: 5),
                        InteractionRecord(id: "2", .unfavourite, subjectID: "p2", atMilliseconds: 6),
                        InteractionRecord(id: "3", .follow, subjectID: "bob", atMilliseconds: 7),
                        InteractionRecord(id: "4", .unfollow, subjectID: "cat", atMilliseconds: 8),
                        InteractionRecord(id: "5", .view, subjectID: "owls", atMilliseconds: 9, seconds: 30),
                        InteractionRecord(id: "6", .pause, subjectID: "", atMilliseconds: 10, seconds: 86_400),
                        InteractionRecord(id: "7", .pause, subjectID: "", atMilliseconds: 11),
                        InteractionRecord(id: "8", .resume, subjectID: "", atMilliseconds: 12),
                    ]))),
            #"{"v":1,"kind":1,"user":"ann","interactions":[{"id":"1","kind":6,"photo":"p1","at":5},"#
                + #"{"id":"2","kind":7,"photo":"p2","at":6},{"id":"3","kind":8,"user":"bob","at":7},"#
                + #"{"id":"4","kind":9,"user":"cat","at":8},"#
                + #"{"id":"5","kind":10,"group":"owls","at":9,"seconds":30},"#
                + #"{"id":"6","kind":11,"at":10,"seconds":86400},{"id":"7","kind":11,"at":11},"#
                + #"{"id":"8","kind":12,"at":12}]}"#
        ),
        (
            .member(MemberChange(ofUser: "ann", .forget(id: "2"))),
            #"{"v":1,"kind":2,"user":"ann","interaction":"2"}"#
        ),
        (.member(MemberChange(ofUser: "ann", .forget(id: nil))), #"{"v":1,"kind":3,"user":"ann"}"#),
        (
            .member(MemberChange(ofUser: "ann", .state(interests: ["owls", "snow"]))),
            #"{"v":1,"kind":4,"user":"ann","interests":["owls","snow"]}"#
        ),
        (
            .member(MemberChange(ofUser: "ann", .expose([exposure]))),
            #"{"v":1,"kind":5,"user":"ann","exposures":[{"experiment":"x","arm":"a","list":"r7","first":1,"#
                + #""count":2,"filters":"","teams":"1-","times":2,"firstAt":5,"lastAt":9,"microseconds":80}]}"#
        ),
        (
            .member(MemberChange(ofUser: "ann", .expose([markedExposure]))),
            #"{"v":1,"kind":5,"user":"ann","exposures":[{"experiment":"x","arm":"a","list":"r7","first":1,"#
                + #""count":2,"filters":"","teams":"1-","times":2,"firstAt":5,"lastAt":9,"microseconds":80,"#
                + #""shown":"AbCdEf","settings":"0123"}]}"#
        ),
        (
            .site(SiteChange(ofGroup: "owls", .hide, atMilliseconds: 5)),
            #"{"v":1,"kind":10,"group":"owls","at":5}"#
        ),
        (
            .site(SiteChange(ofGroup: "owls", .unhide, atMilliseconds: 5)),
            #"{"v":1,"kind":11,"group":"owls","at":5}"#
        ),
        (
            .site(
                SiteChange(ofGroup: "owls", .curate(position: 1, startsAt: 7, expiresAt: 9), atMilliseconds: 5)),
            #"{"v":1,"kind":12,"group":"owls","at":5,"position":1,"starts":7,"expires":9}"#
        ),
        (
            .site(SiteChange(ofGroup: "owls", .uncurate, atMilliseconds: 5)),
            #"{"v":1,"kind":13,"group":"owls","at":5}"#
        ),
        (
            .removal(RemovalChange(.member("ann", withPhotos: true), atMilliseconds: 5)),
            #"{"v":1,"kind":20,"user":"ann","photos":1,"at":5}"#
        ),
        (
            .removal(RemovalChange(.group("owls"), atMilliseconds: 5)),
            #"{"v":1,"kind":21,"group":"owls","at":5}"#
        ),
        (
            .removal(RemovalChange(.photo("p1"), atMilliseconds: 5)),
            #"{"v":1,"kind":22,"photo":"p1","at":5}"#
        ),
        (
            .removal(RemovalChange(.user("ann", ofGroup: "owls", table: "memberships"), atMilliseconds: 5)),
            #"{"v":1,"kind":23,"user":"ann","group":"owls","table":"memberships","at":5}"#
        ),
        (
            .removal(RemovalChange(.pooled("p1", ofGroup: "owls", table: "pools"), atMilliseconds: 5)),
            #"{"v":1,"kind":24,"group":"owls","photo":"p1","table":"pools","at":5}"#
        ),
        (
            .removal(RemovalChange(.account("ann"), atMilliseconds: 5)),
            #"{"v":1,"kind":25,"user":"ann","at":5}"#
        ),
        (
            .renaming(RenamingChange(.group, from: "owls", to: "night owls", atMilliseconds: 5)),
            #"{"v":1,"kind":30,"group":"owls","to":"night owls","at":5}"#
        ),
        (
            .renaming(RenamingChange(.user, from: "guest-77", to: "ann", atMilliseconds: 5)),
            #"{"v":1,"kind":31,"user":"guest-77","to":"ann","at":5}"#
        ),
    ]

    private static var markedExposure: ExposureRecord {
        var record = exposure
        (record.shown, record.settings) = ("AbCdEf", "0123")
        return record
    }

    private static var exposure: ExposureRecord {
        var record = ExposureRecord(
            experiment: "x", arm: "a", recommendationID: "r7", firstPosition: 1, shownCount: 2, filters: "",
            atMilliseconds: 5, microseconds: 80)
        (record.teams, record.times, record.lastAtMilliseconds) = ("1-", 2, 9)
        return record
    }

    private static func read(_ text: String) -> JournaledChange.Content { Change.read(Array(text.utf8)) }

    @Test("Each kind has the bytes that it had, and is read from them")
    func bytes() {
        for (change, bytes) in Self.examples {
            #expect(String(decoding: change.encoded, as: UTF8.self) == bytes)
            #expect(Self.read(bytes) == .change(change))
        }
        #expect(Set(Self.examples.map { $0.change.kind } + [.nothing]) == Set(ChangeKind.allCases))
        #expect(String(decoding: Change.nothing, as: UTF8.self) == #"{"v":1,"kind":0}"#)
        #expect(Self.read(#"{"v":1,"kind":0}"#) == .nothing)
    }

    @Test("Kinds of interactions have the numbers that they had")
    func kinds() {
        let words = [
            "join", "leave", "dismiss", "undismiss", "click", "impression", "favourite", "unfavourite", "follow",
            "unfollow", "view", "pause", "resume",
        ]
        for (number, word) in words.enumerated() {
            #expect(Interaction.Kind(number: Int64(number))?.rawValue == word)
            #expect(Interaction.Kind(rawValue: word)?.number == Int64(number))
        }
        #expect(Set(Interaction.Kind.allCases.map(\.number)).count == Interaction.Kind.allCases.count)
        #expect(words.count == Interaction.Kind.allCases.count)
        // Partial indexes of the catalog have these conditions.
        #expect(Interaction.Kind.numbers(changing: .memberships) == "0, 1")
        #expect(Interaction.Kind.numbers(changing: .favourites) == "6, 7")
        #expect(Interaction.Kind.numbers(changing: .follows) == "8, 9")
    }

    @Test(
        "What this program does not know, of a version, kind, field, value or kind of interaction, needs a newer one",
        arguments: [
            #"{"v":2,"kind":3,"user":"ann"}"#, #"{"v":1,"kind":99,"user":"ann"}"#,
            #"{"v":1,"kind":3,"user":"ann","more":1}"#, #"{"v":1,"kind":3,"user":["ann"]}"#, #"{"v":1,"kind":3}"#,
            #"{"v":1,"kind":12,"group":"a","at":5,"position":"first"}"#,
            #"{"v":1,"kind":1,"user":"ann","interactions":[{"id":"1","kind":77,"group":"g","at":1}]}"#,
            #"{"v":1,"kind":1,"user":"ann","interactions":[{"id":"1","kind":6,"group":"g","at":1}]}"#,
            #"{"v":1,"kind":1,"user":"ann","interactions":[{"id":"1","kind":8,"user":"b","photo":"p","at":1}]}"#,
            #"{"v":1,"kind":1,"user":"ann","interactions":[{"id":"1","kind":1,"group":"g","at":9223372036854775807}]}"#,
            #"{"v":1,"kind":3,"user":"ann"} "#, #"{"v":1,"kind":3,"kind":2,"user":"ann"}"#, "", "x", "{", "\u{0}",
            #"{"member":{"_0":{"action":{"follow":{"_0":"bob"}},"userID":"ann"}}}"#,
        ])
    func newer(text: String) { #expect(Self.read(text) == .newer) }
}
