import Model

extension PhotoRecommender {
    /// Reasons by group index.
    typealias Reasons = [UInt32: [PhotoSuggestion.Reason]]

    /// The groups of photos that share a pool with the photo.
    func companionReasons(_ photo: PhotoContext) -> Reasons {
        photo.companions.filter { $0.value.share > 0 }.mapValues { companions in
            [
                .init(
                    evidence: .sharedPools(photos: companions.photos),
                    contribution: weights.sharedPools * companions.share)
            ]
        }
    }

    /// The groups suggested by a photo's tags, its location and its owner.
    func contentReasons(_ photo: PhotoContext) -> Reasons {
        var reasons = tagReasons(photo.tags)
        reasons.merge(placeReasons(photo.place)) { $0 + $1 }
        reasons.merge(ownerReasons(photo)) { $0 + $1 }
        return reasons
    }

    /// The cosine between a photo's tags, all with the same weight, and a group's tags.
    private func tagReasons(_ tags: [String]) -> Reasons {
        // Tags without groups are left out, so that they do not weaken the others.
        let known = Set(tags.map { Term.normalized($0) }).sorted().compactMap { tag in
            let postings = model.groups(withTag: tag)
            return postings.isEmpty ? nil : (tag: tag, postings: postings.prefix(Self.postingLimit))
        }
        var found: [UInt32: [(tag: String, weight: Double)]] = [:]
        for (tag, postings) in known {
            for posting in postings { found[posting.group, default: []].append((tag, Double(posting.weight))) }
        }
        let length = Double(known.count).squareRoot()
        return found.mapValues { tags in
            let telling = tags.enumerated().sorted {
                $0.element.weight != $1.element.weight
                    ? $0.element.weight > $1.element.weight : $0.offset < $1.offset
            }
            let cosine = tags.reduce(0) { $0 + $1.weight } / length
            return [.init(evidence: .tags(telling.map(\.element.tag)), contribution: weights.tags * cosine)]
        }
    }

    /// The weight of the photo's own cell, or half the weight of an adjacent cell, whichever is greater.
    private func placeReasons(_ place: PlaceCell?) -> Reasons {
        guard let place else { return [:] }
        var reasons: Reasons = [:]
        for cell in [place] + place.neighbours {
            for posting in model.groups(at: cell).prefix(Self.postingLimit) {
                let contribution = weights.place * Double(posting.weight) * (cell == place ? 1 : 0.5)
                guard contribution > reasons[posting.group]?[0].contribution ?? 0 else { continue }
                reasons[posting.group] = [.init(evidence: .place(cell), contribution: contribution)]
            }
        }
        return reasons
    }

    /// The groups with other photos of the owner, by their share, and those that the owner is a member of.
    private func ownerReasons(_ photo: PhotoContext) -> Reasons {
        var reasons: Reasons = [:]
        for group in photo.ownerMemberships.union(photo.ownerGroups.keys) {
            let (photos, isMember) = (photo.ownerGroups[group] ?? 0, photo.ownerMemberships.contains(group))
            var contribution = isMember ? weights.ownerMembership : 0
            contribution += weights.ownerPhotos * photo.ownerShare(ofPhotos: photos)
            guard contribution > 0 else { continue }
            reasons[group] = [
                .init(evidence: .owner(photos: photos, isMember: isMember), contribution: contribution)
            ]
        }
        return reasons
    }
}
