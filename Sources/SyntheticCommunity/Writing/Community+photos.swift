extension Community {
    /// How many of 1000 photos tell where they were taken.
    static let locatedPermille = 600

    func writePhotos<Failure: Error>(
        _ line: inout LineBuffer, _ sink: (borrowing [UInt8]) throws(Failure) -> Void
    ) throws(Failure) -> Int {
        var tags: [String] = []
        try forEachOwner(isDated: false) { (user, member, workspace, photos) throws(Failure) in
            let owner = memberNaming.identifier(of: user)
            for index in photos {
                let photo = photoSampler.photo(index, of: member, workspace)
                var random = EntityRandom(seed: parameters.seed, stream: .photoText, entity: index)
                let isLocated = random.chance(Self.locatedPermille)
                line.append(photoIdentifier(index))
                line.appendTab()
                line.append(owner)
                line.append(photo.isPrivate ? "\tprivate\t" : "\tpublic\t")
                timeline.append(photo.taken, to: &line)
                line.appendTab()
                timeline.append(photo.uploaded, to: &line)
                line.appendTab()
                collectTags(of: photo, isLocated: isLocated, into: &tags, &random)
                for (position, tag) in tags.enumerated() {
                    if position > 0 { line.appendSemicolon() }
                    line.append(tag)
                }
                line.appendTab()
                appendCoordinates(of: photo, isLocated: isLocated, to: &line, &random)
                try endLine(&line, sink)
            }
        }
        return parameters.photos
    }

    /// One or two tags of the subject, up to four of the theme, the place if it is told; none twice.
    private func collectTags(
        of photo: Photo, isLocated: Bool, into tags: inout [String], _ random: inout EntityRandom
    ) {
        tags.removeAll(keepingCapacity: true)
        // Some people never tag.
        if random.chance(80) { return }
        let narrow = 1 + random.below(2)
        tags.append(contentsOf: Theme.all[photo.theme].subjects[photo.subject].tags.prefix(narrow))
        let wide = Theme.all[photo.theme].tags
        let turn = random.below(wide.count)
        for step in 0..<(1 + random.below(4)) {
            let tag = wide[(turn + step) % wide.count]
            if !tags.contains(tag) { tags.append(tag) }
        }
        if isLocated, random.chance(600) {
            let tag = Self.placeTags[photo.place]
            if !tags.contains(tag) { tags.append(tag) }
        }
    }

    private static let placeTags = Place.all.map(\.tag)

    /// The sum of two draws in each direction: denser in the middle.
    private func appendCoordinates(
        of photo: Photo, isLocated: Bool, to line: inout LineBuffer, _ random: inout EntityRandom
    ) {
        guard isLocated else { return line.appendTab() }
        let radius = Place.all[photo.place].radius
        let north = random.below(radius) + random.below(radius) - radius
        let east = random.below(radius) + random.below(radius) - radius
        line.append(hundredThousandths: Place.all[photo.place].latitude + north)
        line.appendTab()
        line.append(hundredThousandths: Place.all[photo.place].longitude + east)
    }
}
