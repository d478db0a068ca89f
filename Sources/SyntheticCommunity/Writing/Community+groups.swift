extension Community {
    func writeGroups<Failure: Error>(
        _ line: inout LineBuffer, _ sink: (borrowing [UInt8]) throws(Failure) -> Void
    ) throws(Failure) -> Int {
        let lastActive = lastActive()
        for (index, group) in table.groups.enumerated() {
            line.append(table.identifier(index))
            line.appendTab()
            line.append(table.titles[index])
            line.appendTab()
            line.append(table.sentences[index])
            line.append(group.isPrivate ? "\tprivate\t" : "\tpublic\t")
            line.append(topics(of: group).joined(separator: ";"))
            line.appendTab()
            line.append(group.joinPolicy.rawValue)
            line.appendTab()
            timeline.append(Int(group.created), to: &line)
            line.appendTab()
            timeline.append(lastActive[index], to: &line)
            try endLine(&line, sink)
        }
        return table.groups.count
    }

    /// When somebody last joined each group or posted to it; its foundation when nobody did.
    private func lastActive() -> [Int] {
        var latest = table.groups.map { Int($0.created) }
        forEachMember { _, workspace in
            for position in 0..<workspace.count {
                let group = workspace.groups[position]
                latest[group] = max(latest[group], workspace.joined[position])
            }
        }
        forEachPool { group, _, added in latest[group] = max(latest[group], added) }
        return latest
    }

    /// The theme, its topics, the subject and the place.
    private func topics(of group: Group) -> [String] {
        let theme = Theme.all[Int(group.theme)]
        var topics = [theme.name] + theme.topics
        if let subject = group.subject { topics.append(theme.subjects[Int(subject)].name.lowercased()) }
        if let place = group.place { topics.append(Place.all[Int(place)].name.lowercased()) }
        return topics
    }
}
