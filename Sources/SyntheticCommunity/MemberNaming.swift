/// The names and identifiers of users.
struct MemberNaming {
    private let seed: UInt64
    /// Identifiers are numbered 0 ..< `span`, a power of 36 well above the number of users.
    private let span: Int
    private let digits: Int
    private let firstNames = Vocabulary.embedded.firstNames
    private let lastNames = Vocabulary.embedded.lastNames
    private let firstSlugs = Vocabulary.embedded.firstNames.map { Array(PlainText.slug($0).utf8) }

    init(users: Int, seed: UInt64) {
        self.seed = seed
        var digits = 3
        var span = 36 * 36 * 36
        while span < users * 3 {
            digits += 1
            span *= 36
        }
        (self.span, self.digits) = (span, digits)
    }

    /// First and last name; several users may have the same.
    func name(of user: Int) -> String {
        let (first, last) = indices(of: user)
        return "\(firstNames[first]) \(lastNames[last])"
    }

    /// The first name and a number in base 36: unique.
    func identifier(of user: Int) -> [UInt8] {
        var identifier = firstSlugs[indices(of: user).first]
        identifier.append(UInt8(ascii: "-"))
        // The factor has no divisor in common with 36, and so none with the span: no two users get the same number.
        let offset = Int(truncatingIfNeeded: seed % UInt64(span))
        var number = (user &* 25_214_903_917 &+ offset) % span
        for _ in 0..<digits {
            identifier.append(Self.alphabet[number % 36])
            number /= 36
        }
        return identifier
    }

    private static let alphabet = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)

    private func indices(of user: Int) -> (first: Int, last: Int) {
        var random = EntityRandom(seed: seed, stream: .identifier, entity: user)
        return (random.below(firstNames.count), random.below(lastNames.count))
    }
}
