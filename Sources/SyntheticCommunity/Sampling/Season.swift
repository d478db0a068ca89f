/// How the interest in a theme changes over the year.
enum Season: Int, CaseIterable, Decodable {
    case none, spring, summer, autumn, winter, christmas, darkMonths

    init(from decoder: any Decoder) throws { self = try decoder.namedCase() }

    /// Weights of January to December in the northern hemisphere; they mean the middle of the month.
    var monthlyWeights: [Double] {
        switch self {
        case .none: [0.9, 0.9, 1, 1.05, 1.1, 1.05, 1.05, 1.05, 1.05, 1.05, 0.95, 0.95]
        case .spring: [0.2, 0.5, 2.6, 4.2, 1.6, 0.4, 0.25, 0.2, 0.2, 0.2, 0.2, 0.2]
        case .summer: [0.3, 0.3, 0.45, 0.7, 1.2, 2.2, 2.9, 2.7, 1.4, 0.6, 0.3, 0.3]
        case .autumn: [0.2, 0.2, 0.2, 0.2, 0.25, 0.3, 0.35, 0.5, 1.8, 4.6, 3, 0.5]
        case .winter: [3.2, 2.6, 1.3, 0.4, 0.2, 0.15, 0.15, 0.15, 0.2, 0.4, 1.2, 2.8]
        case .christmas: [0.9, 0.15, 0.1, 0.1, 0.1, 0.1, 0.1, 0.15, 0.2, 0.4, 2.4, 7.5]
        case .darkMonths: [2, 2, 2.2, 0.9, 0.2, 0.1, 0.1, 0.4, 1.7, 2, 1.8, 1.9]
        }
    }

    /// Christmas is in December everywhere; what depends on the sun is half a year later in the south.
    var followsTheSun: Bool { self != .christmas }

    /// The weight of a day, interpolated between the middles of two months.
    ///
    /// - Parameters:
    ///   - dayOfYear: from 0 on 1 January.
    ///   - southern: whether the location is south of the equator.
    func weight(dayOfYear: Int, southern: Bool) -> Double {
        let shift = southern && followsTheSun ? 6.0 : 0
        let position = Double(dayOfYear) * 12 / 365.25 + 11.5 + shift
        let month = Int(position)
        let fraction = position - Double(month)
        let weights = monthlyWeights
        return weights[month % 12] * (1 - fraction) + weights[(month + 1) % 12] * fraction
    }
}

/// At what hours of the local day something happens.
enum HourPattern: Int, CaseIterable, Decodable {
    case online, daylight, twilight, night

    init(from decoder: any Decoder) throws { self = try decoder.namedCase() }

    /// Weights of the 24 hours, from midnight.
    var weights: [Double] {
        switch self {
        case .online: [3, 2, 1, 1, 1, 1, 2, 3, 4, 4, 4, 4, 5, 5, 4, 4, 5, 6, 7, 8, 9, 9, 7, 5]
        case .daylight: [0, 0, 0, 0, 0, 1, 3, 5, 6, 7, 8, 8, 7, 7, 8, 9, 9, 9, 8, 5, 2, 1, 0, 0]
        case .twilight: [0, 0, 0, 0, 1, 4, 7, 6, 3, 1, 0, 0, 0, 0, 0, 0, 2, 5, 8, 9, 9, 6, 2, 0]
        case .night: [6, 4, 2, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 4, 7, 8, 9, 9, 9, 8]
        }
    }
}
