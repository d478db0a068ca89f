import Model

/// A layout of all groups on a map, on which groups lie near their neighbours.
///
/// It starts from two smooth directions of the graph of neighbours. Then neighbours attract each other, and random
/// groups repel each other, as in LargeVis (Tang et al. 2016). At last crowded places get a little more room. Numbers
/// are only added, multiplied, divided and rooted, in one order: each processor gives the same places.
struct MapLayout {
    /// The number of a group's best neighbours that attract it.
    static let neighbourLimit = 15
    /// The rounds in which the start is smoothed: with many more, only whole components would differ.
    private static let smoothingRounds = 16
    /// The rounds in which groups move, each by less than before.
    private static let movingRounds = 70
    /// The number of random groups that repel a group while a neighbour attracts it.
    private static let repellingGroups = 2
    /// The side of a group's share of the map, in the unit in which forces are written.
    private static let groupSide: Float = 1.2
    /// The longest way of a group in one step, on each axis.
    private static let longestStep: Float = 4
    /// The shares of the even places, on a full map and on the emptiest: of 0 clusters are dots, of 1 there are none.
    private static let evenShares: ClosedRange<Float> = 0.15...0.7
    /// The part of a map with places that counts as full.
    private static let fullPart: Float = 0.5
    /// The least number of groups in a region, and the most regions.
    private static let (leastRegion, mostRegions) = (16, 64)

    private struct Point {
        var x, y: Float
    }

    /// The groups on the map, ascending.
    private let groups: [Int]
    /// The pairs of neighbours, as positions in `groups`.
    private let links: [(from: Int, to: Int)]
    private var points: [Point] = []
    private var regions: [UInt32]
    private var random = SplitMix64(seed: 1)
    private let groupCount: Int
    /// The side of the square in which all points are.
    private let side: Float

    /// - Parameters:
    ///   - lists: the best neighbours of each group; a group without any lies beside the map.
    ///   - progress: receives the number of rounds that are done, and of all.
    init(_ lists: [[UInt32]], progress: (Int, Int) -> Void = { _, _ in }) {
        groupCount = lists.count
        let groups = lists.indices.filter { !lists[$0].isEmpty }
        var positions = [Int?](repeating: nil, count: lists.count)
        for (position, group) in groups.enumerated() { positions[group] = position }
        links = groups.enumerated().flatMap { from, group in
            lists[group].prefix(Self.neighbourLimit).compactMap { other in positions[Int(other)].map { (from, $0) } }
        }
        self.groups = groups
        side = Self.groupSide * Float(max(1, groups.count)).squareRoot()
        regions = [UInt32](repeating: 0, count: groups.count)
        start()
        for round in 0..<Self.movingRounds {
            move(rate: 1 - Float(round) / Float(Self.movingRounds))
            progress(round + 1, Self.movingRounds)
        }
        spread()
    }

    /// The place of each group; nil for a group beside the map.
    var places: [MapPlace?] {
        var places = [MapPlace?](repeating: nil, count: groupCount)
        // A little less, so that rounding leaves no place outside.
        let scale = Float(MapPlace.extent - 1) / side * 0.99999
        for (position, group) in groups.enumerated() {
            places[group] = MapPlace(
                x: UInt32(points[position].x * scale), y: UInt32(points[position].y * scale), region: regions[position])
        }
        return places
    }

    /// Puts the groups into a square, in the order of two smooth directions of the graph.
    ///
    /// The directions come from some rounds of the power method: each takes the mean of a group and its neighbours.
    private mutating func start() {
        var degrees = [Double](repeating: 0, count: groups.count)
        for link in links {
            degrees[link.from] += 1
            degrees[link.to] += 1
        }
        let roots = degrees.map { max(1, $0).squareRoot() }
        // The greatest direction of all is the same everywhere, and tells nothing.
        var known = [Self.scaled(roots)]
        for _ in 0..<2 {
            var direction = groups.map { _ in Double(random.next() >> 40) / Double(1 << 24) - 0.5 }
            for _ in 0..<Self.smoothingRounds {
                var next = direction
                for link in links {
                    let weight = roots[link.from] * roots[link.to]
                    next[link.from] += direction[link.to] / weight
                    next[link.to] += direction[link.from] / weight
                }
                for other in known {
                    let share = Self.product(next, other)
                    for position in next.indices { next[position] -= share * other[position] }
                }
                direction = Self.scaled(next)
            }
            known.append(direction)
        }
        points = groups.map { _ in Point(x: 0, y: 0) }
        for (axis, direction) in known.dropFirst().enumerated() {
            let values = zip(direction, roots).map { $0 / $1 }
            let order = values.indices.sorted { (values[$0], $0) < (values[$1], $1) }
            for (rank, position) in order.enumerated() {
                let place = Float(rank) / Float(groups.count) * side
                if axis == 0 { points[position].x = place } else { points[position].y = place }
            }
        }
    }

    private static func product(_ left: [Double], _ right: [Double]) -> Double {
        zip(left, right).reduce(0) { $0 + $1.0 * $1.1 }
    }

    private static func scaled(_ vector: [Double]) -> [Double] {
        let length = max(product(vector, vector).squareRoot(), .leastNormalMagnitude)
        return vector.map { $0 / length }
    }

    /// Moves the groups of each link together, and away from random groups.
    private mutating func move(rate: Float) {
        for link in links {
            var point = points[link.from]
            let other = points[link.to]
            let (dx, dy) = (other.x - point.x, other.y - point.y)
            let pull = rate / (1 + dx * dx + dy * dy)
            let step = Point(x: Self.bounded(pull * dx), y: Self.bounded(pull * dy))
            point = Point(x: point.x + step.x, y: point.y + step.y)
            points[link.to] = kept(Point(x: other.x - step.x, y: other.y - step.y))
            for _ in 0..<Self.repellingGroups {
                let other = Int((random.next() >> 32) &* UInt64(points.count) >> 32)
                guard other != link.from else { continue }
                let (dx, dy) = (point.x - points[other].x, point.y - points[other].y)
                let square = dx * dx + dy * dy
                let push = 2 * rate / ((0.01 + square) * (1 + square))
                point = Point(x: point.x + Self.bounded(push * dx), y: point.y + Self.bounded(push * dy))
            }
            points[link.from] = kept(point)
        }
    }

    /// Returns a point, or the nearest one of the square: communities without links to others would fly apart.
    private func kept(_ point: Point) -> Point {
        Point(x: max(0, min(side, point.x)), y: max(0, min(side, point.y)))
    }

    private static func bounded(_ step: Float) -> Float { max(-longestStep, min(longestStep, step)) }

    /// Moves the points towards even places, and numbers the regions.
    ///
    /// The square is halved between equally many points, again and again, until each has a rectangle of its own.
    private mutating func spread() {
        guard !groups.isEmpty else { return }
        var regionSize = groups.count
        while regionSize / 2 >= max(Self.leastRegion, groups.count / Self.mostRegions) { regionSize /= 2 }
        var order = Array(groups.indices)
        var regionCount: UInt32 = 0
        var even = points
        func halve(_ range: Range<Int>, _ low: Point, _ high: Point, _ hasRegion: Bool) {
            var hasRegion = hasRegion
            if !hasRegion, range.count / 2 < regionSize {
                for position in order[range] { regions[position] = regionCount }
                regionCount += 1
                hasRegion = true
            }
            guard range.count > 1 else {
                even[order[range.lowerBound]] = Point(x: (low.x + high.x) / 2, y: (low.y + high.y) / 2)
                return
            }
            let isWide = high.x - low.x >= high.y - low.y
            order[range].sort {
                isWide ? (points[$0].x, $0) < (points[$1].x, $1) : (points[$0].y, $0) < (points[$1].y, $1)
            }
            let middle = range.lowerBound + range.count / 2
            let share = Float(range.count / 2) / Float(range.count)
            let cut = Point(x: low.x + (high.x - low.x) * share, y: low.y + (high.y - low.y) * share)
            let lowEnd = isWide ? Point(x: cut.x, y: high.y) : Point(x: high.x, y: cut.y)
            let highStart = isWide ? Point(x: cut.x, y: low.y) : Point(x: low.x, y: cut.y)
            halve(range.lowerBound..<middle, low, lowEnd, hasRegion)
            halve(middle..<range.upperBound, highStart, high, hasRegion)
        }
        halve(0..<order.count, Point(x: 0, y: 0), Point(x: side, y: side), false)
        let missing = max(0, 1 - takenPart / Self.fullPart)
        let share =
            Self.evenShares.lowerBound + missing * (Self.evenShares.upperBound - Self.evenShares.lowerBound)
        for position in points.indices {
            points[position].x += (even[position].x - points[position].x) * share
            points[position].y += (even[position].y - points[position].y) * share
        }
    }

    /// The part of the map with places, in squares that have four groups each on the average.
    ///
    /// It is small if communities have no links to each other.
    private var takenPart: Float {
        let count = max(1, Int((Float(points.count) / 4).squareRoot()))
        let scale = Float(count) / side
        let taken = Set(
            points.map { min(count - 1, Int($0.x * scale)) * count + min(count - 1, Int($0.y * scale)) })
        return Float(taken.count) / Float(count * count)
    }
}
