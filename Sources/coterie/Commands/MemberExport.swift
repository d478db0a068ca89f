import Answers
import Basics
import CatalogStore
import Changes
import CommandLine
import Model
import ModelStore
import Service

/// The output of `coterie export member ID`: all that is kept of a member, as JSON Lines.
enum MemberExport {
    static func write(_ parsed: ParsedCommand) throws {
        guard parsed.arguments.count == 2 else { throw UsageError("\"export member\" needs the id of a member") }
        let id = parsed.arguments[1]
        let catalog = try parsed.openCatalog()
        var rows = try catalog.rows(ofMember: id).map { (place: "catalog, \($0.table)", json: $0.json) }
        for path in parsed.journalFiles() {
            let journal = try ChangeJournal(path: path, mode: .reading)
            rows += try journal.changes(about: id).map { ("journal \(path)", json($0)) }
        }
        for path in parsed.sessionFiles(besides: parsed.journalFiles()) {
            let lists = try SessionFileReader(path: path)?.lists(ofUser: id) ?? []
            rows += lists.map { ("sessions \(path)", $0) }
        }
        let store = try parsed.openStore()
        if let channel = store.shared?.channel {
            var streams = try channel.journals()
            rows += try streams.changes(about: id).map { ("stream \($0.origin)", json($0)) }
        }
        for (version, members) in try PublishedMembers.all(of: store) {
            guard let member = try members.member(withID: id) else { continue }
            rows.append(("version \(version.manifest.version)", json(member, in: version.model)))
        }
        let decisions = try DecisionList(store)?.decisions(
            about: (.member, parsed.digest(id)), at: SystemClock.nowMilliseconds)
        rows += (decisions ?? []).map { ("list of decisions", String(decoding: $0.json, as: UTF8.self)) }
        guard !rows.isEmpty else {
            throw Lookup.unknown(.users, id, near: try catalog.idsNear(id, in: .users))
        }
        var output = try Output(path: parsed.textIfGiven("output"))
        for row in rows {
            let line = JSONWriter.object { json in
                json.member("place", row.place)
                json.member("row", json: row.json)
            }
            try output.write(line + [UInt8(ascii: "\n")])
        }
        try output.flush()
    }

    /// Returns a change of a journal or a stream; its bytes are JSON.
    private static func json(_ change: JournaledChange) -> String {
        text { json in
            json.member("origin", change.origin)
            json.member("sequence", Int(change.sequence))
            json.member("stampMilliseconds", change.stampMilliseconds)
            json.member("change", json: String(decoding: change.encoded, as: UTF8.self))
        }
    }

    private static func json(_ member: PublishedMember, in model: ModelVersion) -> String {
        let feedback = member.feedback
        return text { json in
            json.objects("joined", member.joined) { json, row in
                json.member("group_id", model.id(of: Int(row.group)))
                if let seconds = row.seconds { json.member("seconds", seconds) }
            }
            for (name, rows) in [("left", member.left), ("undismissed", feedback.undismissed)] {
                json.objects(name, rows) { json, row in
                    json.member("group_id", model.id(of: Int(row.group)))
                    json.member("seconds", row.seconds)
                }
            }
            json.objects("dismissed", feedback.dismissals) { json, row in
                json.member("group_id", model.id(of: Int(row.group)))
                json.member("milliseconds", row.atMilliseconds)
            }
            json.objects("impressions", feedback.exposures) { json, row in
                json.member("group_id", model.id(of: Int(row.group)))
                json.member("impressions", row.impressions)
            }
            json.member("hints", feedback.hints.map { model.id(of: Int($0.group)) })
            json.member("interests", feedback.interests)
            json.member("isUnlisted", feedback.isUnlisted)
        }
    }

    private static func text(_ members: (inout JSONWriter) -> Void) -> String {
        String(decoding: JSONWriter.object(members), as: UTF8.self)
    }
}

extension PublishedMembers {
    /// Returns the members of all versions of a store that are published with any.
    static func all(of store: any VersionStore) throws -> [(version: LoadedVersion, members: PublishedMembers)] {
        var found: [(version: LoadedVersion, members: PublishedMembers)] = []
        for manifest in try store.versions() where manifest.members != nil {
            let version = try store.load(manifest.version)
            guard let members = try store.members(of: version) else { continue }
            found.append((version, members))
        }
        return found
    }
}
