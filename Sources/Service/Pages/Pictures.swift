import Basics
import Experiments
import Foundation
import Model
import Recommendation

/// A chart of numbers in a row: bars with their values, or a line; with a table of the same numbers behind it.
struct Chart {
    /// A number with the name of its place; a place without a number is hatched.
    struct Point {
        var name: String
        /// The label below the place; empty for none.
        var label: String
        var value: Double?
        /// An event at the place, drawn as an upright line; nil for nothing.
        var event: String?
    }

    private let title: String
    private let points: [Point]
    /// The present value, and what is to be said of it, which stand above a line; nil draws bars.
    private let present: (value: HTML, note: HTML)?
    /// The width of the picture and the height of the greatest value.
    private static let (width, height) = (336, 80)

    init(_ title: String, _ points: [Point], present: (value: HTML, note: HTML)? = nil) {
        (self.title, self.points, self.present) = (title, points, present)
    }

    var html: HTML {
        let head = present.map { present -> HTML in
            "<figcaption>\(title) <b>\(present.value)</b> \(present.note)</figcaption>"
        }
        let rows = points.map { point -> [HTML] in
            ["\(point.name)\(point.event.map { ", \($0)" } ?? "")", point.value.map { .decimals($0, 1) } ?? "–"]
        }
        return """
            <figure class="chart">\(head)<svg viewBox="0 -16 \(Self.width) \(Self.height + 36)" role="img" \
            aria-label="\(title)">\(points.indices.map(place))\(present.map { _ in line })</svg>
            <details><summary>The numbers<span class="unseen">: \(title)</span></summary>\
            \(HTML.table(title, ["Name", "#Value"], rows))</details></figure>
            """
    }

    /// Draws a place: its label, its event, and its bar or the lack of a value.
    private func place(_ index: Int) -> HTML {
        let (point, step) = (points[index], Self.width / max(1, points.count))
        let (left, middle) = (index * step, index * step + step / 2)
        let event = point.event.map { event -> HTML in
            "<line class=\"event\" x1=\"\(middle)\" y1=\"0\" x2=\"\(middle)\" y2=\"\(Self.height)\"><title>\(event)</title></line>"
        }
        let label = Self.words(
            point.label, x: present == nil ? middle : left, y: Self.height + 14, isMiddle: present == nil)
        guard let value = point.value else {
            let strokes = stride(from: 0, to: Self.height, by: 8).map { y -> HTML in
                "M\(left) \(y + 8)L\(left + step) \(y)"
            }
            return "<path class=\"gap\" d=\"\(strokes)\"/>\(label)\(event)"
        }
        guard present == nil else { return "\(label)\(event)" }
        let top = y(value)
        return """
            <rect class="bar" x="\(left + 4)" y="\(top)" width="\(step - 8)" height="\(Self.height - top)"/>\
            \(Self.words(HTML.decimals(value, 1).text, x: middle, y: top - 4, isMiddle: true))\(label)
            """
    }

    /// The line through all values, broken at gaps, and the greatest value as the scale.
    private var line: HTML {
        let step = Self.width / max(1, points.count)
        let path = points.indices.map { index -> HTML in
            guard let value = points[index].value else { return "" }
            let isFirst = index == 0 || points[index - 1].value == nil
            // A value between two gaps is a dot, which a line of no length with round ends draws.
            return "\(isFirst ? "M" : "L")\(index * step + step / 2) \(y(value))\(if: isFirst, "h0")"
        }
        return
            "<path class=\"line\" d=\"\(path)\"/>\(Self.words(HTML.decimals(greatest, 1).text, x: 0, y: -4, isMiddle: false))"
    }

    private var greatest: Double { max(1, points.compactMap(\.value).max() ?? 1) }

    private func y(_ value: Double) -> Int { Self.height - Int((value / greatest * Double(Self.height)).rounded()) }

    private static func words(_ text: String, x: Int, y: Int, isMiddle: Bool) -> HTML {
        "<text x=\"\(x)\" y=\"\(y)\"\(if: isMiddle, " text-anchor=\"middle\"")>\(text)</text>"
    }
}

/// A picture of differences with their intervals around a line of no difference; the page has a table of the same.
struct IntervalPicture {
    /// A difference and its interval.
    struct Bar {
        var name: String
        var middle: Double
        var interval: Interval
        /// Whether the bar stands out.
        var isMain: Bool
    }

    private let title: String
    private let bars: [Bar]
    /// The greatest difference on either side that is drawn; bars are cut there.
    private let reach: Double

    init(_ title: String, _ bars: [Bar]) {
        (self.title, self.bars) = (title, bars)
        // One very uncertain measure must not hide all others.
        let widths = bars.map { max(abs($0.interval.lower), abs($0.interval.upper)) }.filter(\.isFinite).sorted()
        let usual = widths.isEmpty ? 0.1 : widths[widths.count / 2] * 2
        let main = bars.filter(\.isMain).map { max(abs($0.interval.lower), abs($0.interval.upper)) }.max() ?? 0
        reach = max(0.01, min(max(usual, main * 1.1), widths.last ?? 0.1))
    }

    /// The picture, or nothing without bars.
    var html: HTML {
        guard !bars.isEmpty else { return "" }
        let shapes = bars.enumerated().map { index, bar -> HTML in
            let y = 34 + index * 26
            let kind: HTML = bar.isMain ? " main" : ""
            return """
                <text x="8" y="\(y + 4)">\(bar.name)</text>\
                <line class="interval\(kind)" x1="\(x(bar.interval.lower))" y1="\(y)" x2="\(x(bar.interval.upper))" \
                y2="\(y)"/><circle class="estimate\(kind)" cx="\(x(bar.middle))" cy="\(y)" r="4"/>
                """
        }
        let height = 30 + bars.count * 26
        let marks = [-1.0, -0.5, 0, 0.5, 1].map { part -> HTML in
            let place = x(part * reach)
            return """
                <line class="\(part == 0 ? "zero" : "tick")" x1="\(place)" y1="20" x2="\(place)" y2="\(height)"/>\
                <text x="\(place)" y="14" text-anchor="\(part == 1 ? "end" : "middle")">\(Formats.difference(part * reach))</text>
                """
        }
        return """
            <figure><svg viewBox="0 0 640 \(height + 6)" role="img" aria-label="\(title)" class="intervals">\
            <g>\(marks)</g>\(shapes)</svg><figcaption>\(title). The table below has the numbers.</figcaption></figure>
            """
    }

    private func x(_ difference: Double) -> Int {
        430 + Int((200 * max(-1, min(1, difference / reach))).rounded())
    }
}

extension RelationTable {
    /// Returns the number of members of a group; 0 if no relation is of memberships.
    func membersOf(_ group: UInt32, in model: VisibleModel) -> Double {
        first { $0.role == .membership }.map { Double(model.size(of: Int(group), in: $0.relation)) } ?? 0
    }
}

/// A picture of a group's neighbourhood: dots that lie near each other if they share neighbours.
struct NeighbourhoodPicture {
    /// The most neighbours in the picture.
    static let limit = 24

    private struct Dot {
        var id, title: String
        var radius: Double
        /// The number of the dot's colour, 0 for the group in question.
        var colour: Int
        var x, y: Double

        /// The title, or the id of a group without one.
        var name: String { Formats.name(id, title) }
    }

    private let dots: [Dot]
    private let lines: [(from: Int, to: Int)]

    /// Draws a group and its best neighbours; nil if it has none.
    ///
    /// The places come from a fixed number of steps of the spring model of Fruchterman and Reingold (1991), from a
    /// circle. The same version always gives the same picture.
    init?(of group: UInt32, in recommender: Recommender) {
        let model = recommender.model
        let near = recommender.similar(to: group, limit: Self.limit).map(\.group)
        guard !near.isEmpty else { return nil }
        let groups = [group] + near
        let neighbours = groups.map { group in
            Set(recommender.similar(to: group, limit: Self.limit).map(\.group)).union([group])
        }
        var weights: [[Double]] = groups.map { _ in groups.map { _ in 0 } }
        var lines: [(from: Int, to: Int)] = []
        for first in groups.indices {
            for second in groups.indices where second > first {
                let shared = neighbours[first].intersection(neighbours[second]).count
                let all = neighbours[first].union(neighbours[second]).count
                weights[first][second] = Double(shared) / Double(all)
                weights[second][first] = weights[first][second]
                if neighbours[first].contains(groups[second]) || neighbours[second].contains(groups[first]) {
                    lines.append((first, second))
                }
            }
        }
        self.lines = lines
        let places = Self.places(weights)
        let sizes = groups.map { group in recommender.relations.membersOf(group, in: model) }
        let greatest = max(1, sizes.max() ?? 1)
        var colours: [String: Int] = [:]
        dots = groups.enumerated().map { index, group in
            let topic = model.topics(of: Int(group)).first ?? ""
            let colour = index == 0 ? 0 : colours[topic] ?? (colours.count % 6 + 1)
            if index > 0 { colours[topic] = colour }
            return Dot(
                id: model.id(of: Int(group)), title: model.title(of: Int(group)),
                radius: 5 + 13 * (sizes[index] / greatest).squareRoot(), colour: colour,
                x: places[index].x, y: places[index].y)
        }
    }

    /// Returns places in a box of 640 × 400 for dots with pairwise weights from 0 to 1.
    private static func places(_ weights: [[Double]]) -> [SIMD2<Double>] {
        let count = weights.count
        var places = (0..<count).map { index -> SIMD2<Double> in
            let angle = 2 * Double.pi * Double(index) / Double(count)
            return index == 0 ? .zero : [cos(angle), sin(angle)]
        }
        func length(_ way: SIMD2<Double>) -> Double { (way * way).sum().squareRoot() }
        let ideal = 1.6 / Double(count).squareRoot()
        for step in 0..<120 {
            let reach = 0.12 * (1 - Double(step) / 120)
            let forces = (0..<count).map { first in
                (0..<count).filter { $0 != first }.reduce(SIMD2<Double>.zero) { force, second in
                    let way = places[first] - places[second]
                    let distance = max(1e-3, length(way))
                    let push = ideal * ideal / distance - weights[first][second] * distance * distance / ideal
                    return force + way / distance * push
                }
            }
            for index in 1..<max(1, count) {
                let size = max(1e-9, length(forces[index]))
                places[index] += forces[index] / size * min(size, reach)
            }
        }
        let widest = places.reduce(SIMD2(repeating: 1e-9)) { pointwiseMax($0, pointwiseMax($1, -$1)) }
        return places.map { [320, 200] + $0 / widest * [270, 165] }
    }

    /// The picture, in which each dot is a link to its group.
    var svg: HTML {
        let strokes = lines.map { line -> HTML in
            let (from, to) = (dots[line.from], dots[line.to])
            return "<line x1=\"\(Int(from.x))\" y1=\"\(Int(from.y))\" x2=\"\(Int(to.x))\" y2=\"\(Int(to.y))\"/>"
        }
        let shapes = dots.map { dot -> HTML in
            """
            <a href="/admin/groups/\(HTML.segment(dot.id))"><title>\(dot.name)</title><circle \
            class="dot dot\(dot.colour)" cx="\(Int(dot.x))" cy="\(Int(dot.y))" r="\(Int(dot.radius))"/></a>
            """
        }
        return """
            <svg viewBox="0 0 640 400" class="neighbourhood" role="group" aria-label="Neighbourhood of the group">\
            <g class="lines">\(strokes)</g>\(shapes)<g class="labels wide" aria-hidden="true">\(labels(11))</g>\
            <g class="labels narrow" aria-hidden="true">\(labels(26))</g></svg>
            """
    }

    /// Returns the names of the dots, below or above them.
    ///
    /// A name that would cover a dot or another name is left out, but for that of the group in question.
    ///
    /// - Parameter size: the height of the letters, which is greater on a narrow page.
    private func labels(_ size: Double) -> [HTML] {
        var taken = dots.map { dot in
            (left: dot.x - dot.radius, top: dot.y - dot.radius, right: dot.x + dot.radius, bottom: dot.y + dot.radius)
        }
        return dots.enumerated().compactMap { index, dot in
            let label = dot.name.count > 18 ? dot.name.prefix(17) + "…" : dot.name[...]
            // Letters of East Asia and emoji are as wide as high, others little more than half of that.
            let width = label.unicodeScalars.reduce(0.0) { $0 + ($1.value < 0x1100 ? 0.6 : 1.05) }
            let half = width * size / 2 + 2
            guard half < 318 else { return nil }
            let middle = min(max(dot.x, half + 2), 638 - half)
            let places = [dot.y + dot.radius + size + 1, dot.y - dot.radius - 4]
            for (attempt, y) in (index == 0 ? places + places : places).enumerated() {
                let box = (left: middle - half, top: y - size, right: middle + half, bottom: y + size / 4)
                let isFree = taken.allSatisfy {
                    box.right < $0.left || $0.right < box.left || box.bottom < $0.top || $0.bottom < box.top
                }
                guard isFree || attempt >= places.count, box.top > 0, box.bottom < 400 else { continue }
                taken.append(box)
                let kind: HTML = index == 0 ? " class=\"main\"" : ""
                return "<text\(kind) x=\"\(Int(middle))\" y=\"\(Int(y))\" text-anchor=\"middle\">\(label)</text>"
            }
            return nil
        }
    }
}
