/// The names and identifiers of users.
struct MemberNaming {
    private let seed: UInt64
    /// Identifiers are numbered 0 ..< `span`, a power of 36 well above the number of users.
    private let span: Int
    private let digits: Int
    private let firstSlugs: [[UInt8]]

    init(users: Int, seed: UInt64) {
        self.seed = seed
        var digits = 3
        var span = 36 * 36 * 36
        while span < users * 3 {
            digits += 1
            span *= 36
        }
        self.span = span
        self.digits = digits
        firstSlugs = PersonalNames.first.map { Array(PlainText.slug($0).utf8) }
    }

    /// The user's name: several users may have the same.
    func appendName(of user: Int, to line: inout LineBuffer) {
        let (first, last) = names(of: user)
        line.append(PersonalNames.first[first])
        line.append(" ")
        line.append(PersonalNames.last[last])
    }

    /// The first name and a number in base 36: unique.
    func identifier(of user: Int) -> [UInt8] {
        var identifier = firstSlugs[names(of: user).first]
        identifier.append(UInt8(ascii: "-"))
        // The factor is prime to 36 and so to the span: no two users get the same number.
        let offset = Int(truncatingIfNeeded: seed % UInt64(span))
        var number = (user &* 25_214_903_917 &+ offset) % span
        for _ in 0..<digits {
            identifier.append(Self.alphabet[number % 36])
            number /= 36
        }
        return identifier
    }

    private static let alphabet = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)

    private func names(of user: Int) -> (first: Int, last: Int) {
        var random = EntityRandom(seed: seed, stream: .identifier, entity: user)
        return (random.below(PersonalNames.first.count), random.below(PersonalNames.last.count))
    }
}
