extension Community {
    /// Writes one of the files, header first, in chunks of about 256 KiB of whole lines.
    ///
    /// Files may be written in any order, alone, or several at a time. Groups take as long as memberships
    /// and pools together, because the time of a group's last activity is taken from these.
    ///
    /// - Parameters:
    ///   - file: which one.
    ///   - sink: is given the chunks in order; what it throws ends the writing.
    /// - Returns: the number of rows, without the header.
    /// - Complexity: O(rows) time, and memory for the groups and a workspace only.
    @discardableResult
    public func write<Failure: Error>(
        _ file: CommunityFile, to sink: (borrowing [UInt8]) throws(Failure) -> Void
    ) throws(Failure) -> Int {
        var line = LineBuffer()
        line.append(file.columns.joined(separator: "\t"))
        line.appendNewline()
        let rows =
            switch file {
            case .groups: try writeGroups(&line, sink)
            case .users: try writeUsers(&line, sink)
            case .photos: try writePhotos(&line, sink)
            case .memberships: try writeMemberships(&line, sink)
            case .pools: try writePools(&line, sink)
            }
        if !line.bytes.isEmpty { try sink(line.bytes) }
        return rows
    }

    /// Ends a line, and hands the bytes on when there are enough.
    func endLine<Failure: Error>(
        _ line: inout LineBuffer, _ sink: (borrowing [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        line.appendNewline()
        guard line.isFull else { return }
        try sink(line.bytes)
        line.removeAll()
    }

    private func writeMemberships<Failure: Error>(
        _ line: inout LineBuffer, _ sink: (borrowing [UInt8]) throws(Failure) -> Void
    ) throws(Failure) -> Int {
        var rows = 0
        try forEachMember { (user, workspace) throws(Failure) in
            let identifier = memberNaming.identifier(of: user)
            for position in 0..<workspace.count {
                line.append(table.identifier(workspace.groups[position]))
                line.appendTab()
                line.append(identifier)
                line.appendTab()
                timeline.append(workspace.joined[position], to: &line)
                try endLine(&line, sink)
            }
            rows += workspace.count
        }
        return rows
    }

    private func writePools<Failure: Error>(
        _ line: inout LineBuffer, _ sink: (borrowing [UInt8]) throws(Failure) -> Void
    ) throws(Failure) -> Int {
        var rows = 0
        try forEachPool { (group, photo, added) throws(Failure) in
            line.append(table.identifier(group))
            line.appendTab()
            line.append(photoIdentifier(photo))
            line.appendTab()
            timeline.append(added, to: &line)
            try endLine(&line, sink)
            rows += 1
        }
        return rows
    }

    /// Visits all pool entries, photo by photo: the group, the photo and when it was added.
    func forEachPool<Failure: Error>(_ visit: (Int, Int, Int) throws(Failure) -> Void) throws(Failure) {
        guard parameters.pools > 0 else { return }
        var chosen: [Int] = []
        try forEachOwner(isDated: true) { (_, member, workspace, photos) throws(Failure) in
            for index in photos {
                var random = poolSampler.random(photo: index)
                let wanted = poolDemand.draw(&random)
                guard wanted > 0 else { continue }
                let photo = photoSampler.photo(index, of: member, workspace)
                poolSampler.choose(wanted, for: photo, workspace, into: &chosen, &random)
                for position in chosen {
                    let group = workspace.groups[position]
                    let added = poolSampler.added(photo, joined: workspace.joined[position], group: group, &random)
                    try visit(group, index, added)
                }
            }
        }
    }

    /// Eleven digits, as photo sites have them, unique and in no order.
    func photoIdentifier(_ photo: Int) -> Int {
        // An odd factor permutes the numbers below 2³².
        let number = UInt32(truncatingIfNeeded: photo) &* 2_654_435_769 &+ UInt32(truncatingIfNeeded: parameters.seed)
        return 50_000_000_000 + Int(number)
    }
}
