import Answers
import Basics
import CatalogStore
import CommandLine
import Model
import Operations

/// `coterie restore FILE`.
enum RestoreCommand: Subcommand {
    static let command = Command(
        "restore", changes: true, summary: "Restore a backup",
        discussion: """
            Compares the whole backup with its checksums, and prepares all files beside their places. It puts them \
            there only when all are complete, the catalog last. The places may differ from those of the backup, also \
            on another machine. Without --replace, nothing that is there is overwritten. A file that a program has \
            open is never overwritten.

            The changes in the backup's journals and streams that its catalog lacks are applied to the catalog. The \
            site's experiments go to the store. A backup of \(OtherFormat.restoredProgram) is brought to the formats \
            of this one; those of other programs are refused.

            What a replaced catalog has withdrawn since the backup stays withdrawn. Members whom it or a replaced \
            journal has forgotten are forgotten again; those of their photos that the replaced catalog does not have \
            are removed. Groups that it hides stay hidden. What it has as private stays private, and members whom it \
            has as not listed are not listed. Members, memberships, favourites and follows that were deleted since \
            are deleted again. Groups and photos that it does not have are not shown until a file of "coterie import" \
            has them. To get back what was deleted by mistake, give --removed-too.

            Run the command as the user of the daemons. Afterwards run "coterie recompute", and start the daemons. \
            --verify only compares the backup with its checksums.
            """,
        arguments: [Argument("FILE", help: "A backup of \"coterie backup\", also packed by gzip, zstd or xz")],
        options: [CommonOptions.catalog] + CommonOptions.storeOptions + [
            Option("journals", "FOLDER", help: "The folder for the journals (default: that of the catalog)"),
            Option(flag: "replace", help: "Overwrite the catalog, the journals and the experiments that are there"),
            BackupCommand.withoutRedis,
            Option(flag: "removed-too", help: "With --replace: also bring back what was removed since the backup"),
            Option(flag: "skip-missing", help: "Apply changes even if the backup lacks earlier ones"),
            Option(flag: "verify", help: "Only say whether the backup is whole, and what it holds"), CommonOptions.json,
        ],
        examples: [
            "coterie restore coterie-2026-11-22.tar --verify",
            "coterie restore coterie-2026-11-22.tar --catalog /var/lib/coterie/catalog.sqlite --replace",
        ])

    static func run(_ parsed: ParsedCommand) throws {
        let path = parsed.arguments[0]
        let restoration = try Restoration(path)
        if parsed.flag("verify") {
            try restoration.verify()
            return try BackupReport(restoration.manifest, path: path).write(parsed)
        }
        let catalog = parsed.text("catalog")
        let places = Restoration.Places(
            catalog: catalog, journalFolder: parsed.textIfGiven("journals") ?? FileTree.folder(of: catalog),
            store: try BackupCommand.store(parsed))
        let outcome = try restoration.restore(
            to: places, isReplacing: parsed.flag("replace"), skipsMissing: parsed.flag("skip-missing"),
            keepsRemoved: parsed.flag("removed-too"))
        for problem in outcome.unread {
            printToStandardError(
                """
                warning: what it has forgotten, hidden or made private since the backup is not known, and may be back: \
                \(problem); forget and hide it again
                """)
        }
        for (origin, change) in outcome.stopping.sorted(by: { $0.key < $1.key }) {
            printToStandardError(
                """
                warning: change \(change.sequence) of the journal \(origin) \
                \(change.isNewer ? "needs a newer program" : "is not in the backup"), and those after it wait for it; \
                \(change.isNewer ? "upgrade this one, and recompute" : "a daemon that has it sends it"). To give it \
                up, restore again with --skip-missing
                """)
        }
        try parsed.print(RestoredSite(catalog: catalog, outcome: outcome)) { output in
            try output.line("restored \(([catalog] + outcome.journals).joined(separator: ", "))")
            let applied = outcome.changes.applied.grouped
            try output.line("\(applied) changes of daemons were applied to the catalog")
            if outcome.hasExperiments { try output.line("the experiments are in the store") }
            if outcome.forgottenAgain > 0 {
                let photos = outcome.photosRemovedAgain.grouped
                try output.line(
                    "\(outcome.forgottenAgain.grouped) members were forgotten again, with \(photos) photos")
            }
            for line in Self.lines(outcome.withdrawnAgain) { try output.line(line) }
            try output.line("now run \"coterie recompute\", and start the daemons")
        }
    }

    /// Returns the lines that say what stays withdrawn, and how to bring it back.
    private static func lines(_ counts: WithdrawnAgain) -> [String] {
        func list(_ parts: [(count: Int, words: String)]) -> String? {
            let parts = parts.filter { $0.count > 0 }.map { "\($0.count.grouped) \($0.words)" }
            return parts.isEmpty ? nil : parts.joined(separator: ", ")
        }
        let kept = list([
            (counts.hiddenGroups, "groups are hidden"), (counts.groups, "groups are private"),
            (counts.photos, "photos are private"), (counts.members, "members are not listed"),
        ])
        let deleted = list([
            (counts.deletedMembers, "members"), (counts.deletedPairs, "memberships, favourites and follows"),
        ])
        let missing = list([(counts.missingGroups, "groups"), (counts.missingPhotos, "photos")])
        return [
            kept.map { "as before the restore, \($0)" },
            deleted.map { "\($0) were deleted again; restore with --removed-too to keep them" },
            missing.map {
                "\($0) had been removed, and are not shown until a file that you import has them; restore with "
                    + "--removed-too to show them"
            },
        ].compactMap(\.self)
    }
}

/// The outcome of a restore: `coterie restore`.
private struct RestoredSite: Answer {
    let catalog: String
    let outcome: Restoration.Outcome

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("catalog", \.catalog, "The path of the catalog")
        fields.always("journals", \.outcome.journals, "The paths of the journals")
        fields.always("changesApplied", \.outcome.changes.applied, "How many changes were applied to the catalog")
        fields.always("changesHeld", \.outcome.changes.held, "How many wait for others")
        fields.always("hasExperiments", \.outcome.hasExperiments, "Whether the experiments are in the store")
        fields.always("forgottenAgain", \.outcome.forgottenAgain, "Members that were forgotten again")
        fields.always("photosRemovedAgain", \.outcome.photosRemovedAgain, "Photos that went with them")
        fields.always("hiddenAgain", \.outcome.withdrawnAgain.hiddenGroups, "Groups that are hidden again")
        fields.always("privateGroupsAgain", \.outcome.withdrawnAgain.groups, "Groups that are private again")
        fields.always("privatePhotosAgain", \.outcome.withdrawnAgain.photos, "Photos that are private again")
        fields.always("unlistedAgain", \.outcome.withdrawnAgain.members, "Members that are not listed again")
        fields.always("deletedMembersAgain", \.outcome.withdrawnAgain.deletedMembers, "Members deleted again")
        fields.always("deletedPairsAgain", \.outcome.withdrawnAgain.deletedPairs, "Pairs deleted again")
        fields.always("groupsNotShown", \.outcome.withdrawnAgain.missingGroups, "Groups that no file has yet")
        fields.always("photosNotShown", \.outcome.withdrawnAgain.missingPhotos, "Photos that no file has yet")
    }
}
