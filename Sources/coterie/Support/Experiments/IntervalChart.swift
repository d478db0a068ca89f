import Basics
import Experiments

/// An SVG chart of the relative difference of each arm in a measure, day by day, with its always-valid interval.
struct IntervalChart {
    private static let (width, height) = (720.0, 360.0)
    private static let (left, top, right, bottom) = (70.0, 40.0, 20.0, 40.0)
    /// Colours that people with colour blindness can tell apart (Okabe and Ito 2008).
    private static let colours = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]

    private struct Point {
        let day: Int
        let difference: Double
        let interval: Interval
    }

    private let title: String
    private let lines: [(name: String, points: [Point])]
    private let lastDay: Int
    /// The greatest difference on either side of zero that is drawn; intervals are cut there.
    private let reach: Double

    init(_ report: ExperimentReport, _ measure: Measure, tuningCount: Int) {
        title = "\(report.definition.name): \(measure.rawValue), difference from \(report.definition.arms[0].name)"
        lastDay = report.days.last?.day ?? 0
        let lines = report.definition.arms.dropFirst().enumerated().map { index, arm in
            let points = report.days.compactMap { day in
                day.effects[index][measure].map {
                    Point(
                        day: day.day, difference: $0.difference,
                        interval: $0.alwaysValidInterval(tuningCount: tuningCount))
                }
            }
            return (name: arm.name, points: points)
        }
        self.lines = lines
        // The last intervals fit easily; the intervals of the first days are much wider, and of no interest.
        let bounds = lines.compactMap(\.points.last).flatMap { [abs($0.interval.lower), abs($0.interval.upper)] }
        reach = max(0.01, (bounds.max() ?? 0.1) * 2)
    }

    var svg: String {
        var parts = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(Self.width)) \(Int(Self.height))" \
            font-family="sans-serif" font-size="12">
            <rect width="100%" height="100%" fill="white"/>
            <text x="\(Int(Self.left))" y="20" font-size="14">\(title)</text>
            """
        ]
        for part in [-1.0, -0.5, 0, 0.5, 1] { parts.append(gridLine(part * reach)) }
        parts.append(text("day 1", x: x(0), y: Self.height - 15, anchor: "middle"))
        if lastDay > 0 {
            parts.append(text("day \(lastDay + 1)", x: x(lastDay), y: Self.height - 15, anchor: "middle"))
        }
        for (index, line) in lines.enumerated() where !line.points.isEmpty {
            let colour = Self.colours[index % Self.colours.count]
            let upper = line.points.map { pair($0.day, $0.interval.upper) }
            let lower = line.points.reversed().map { pair($0.day, $0.interval.lower) }
            let middle = line.points.map { pair($0.day, $0.difference) }
            parts.append(
                """
                <polygon points="\((upper + lower).joined(separator: " "))" fill="\(colour)" fill-opacity="0.15"/>
                <polyline points="\(middle.joined(separator: " "))" fill="none" stroke="\(colour)" stroke-width="2"/>
                <text x="\(Int(Self.left) + 10 + 140 * index)" y="36" fill="\(colour)">\(line.name)</text>
                """)
        }
        return parts.joined(separator: "\n") + "\n</svg>\n"
    }

    private func gridLine(_ value: Double) -> String {
        let y = y(value)
        let line = """
            <line x1="\(Int(Self.left))" x2="\(Int(Self.width - Self.right))" y1="\(y)" y2="\(y)" \
            stroke="\(value == 0 ? "black" : "#cccccc")"/>
            """
        return line + "\n" + text(Formats.difference(value), x: Self.left - 6, y: y + 4, anchor: "end")
    }

    private func text(_ text: String, x: Double, y: Double, anchor: String) -> String {
        "<text x=\"\(x)\" y=\"\(y)\" text-anchor=\"\(anchor)\">\(text)</text>"
    }

    private func pair(_ day: Int, _ value: Double) -> String { "\(x(day)),\(y(value))" }

    private func x(_ day: Int) -> Double {
        let span = Self.width - Self.left - Self.right
        return tenths(Self.left + span * (lastDay > 0 ? Double(day) / Double(lastDay) : 0.5))
    }

    private func y(_ value: Double) -> Double {
        let span = Self.height - Self.top - Self.bottom
        return tenths(Self.top + span * (1 - max(-1, min(1, value / reach))) / 2)
    }

    private func tenths(_ number: Double) -> Double { (number * 10).rounded() / 10 }
}
