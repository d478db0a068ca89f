import Basics
import Model

/// The quality of the versions' lists, as lines over the last versions and as a table.
struct VersionQuality {
    private let qualities: [Manifest.Quality]
    /// The stored versions, by name.
    private let versions: [VersionName: Manifest]

    init(_ manifests: [Manifest]) {
        qualities = Manifest.qualities(in: manifests)
        versions = Dictionary(manifests.map { ($0.version, $0) }) { $1 }
    }

    var html: HTML {
        let heading: HTML = "<h2>How good lists were</h2>"
        guard !qualities.isEmpty else {
            return
                "\(heading)<p class=\"nothing\">The next recompute measures the lists of the version that serves.</p>"
        }
        return """
            \(heading)
            <p>The next recompute makes the lists of some members anew, as of the time of a version, and looks which of the \
            first \(QualityFigures.length) groups they joined since. All figures are percent.</p>
            \(if: qualities.contains { $0.figures != nil }, "<div class=\"charts\">\(QualityFigures.all.map(chart))</div>")
            \(HTML.table(
                "Lists by version",
                [
                    "Version", "#Members", "#Joins", "#Hit rate", "#95% interval", "#Of popular groups",
                    "#Joins of other groups", "#Memberships without a time", "#Old ones with a new time", "Note",
                ], qualities.reversed().map(row)))
            """
    }

    /// Returns the hit rate of a version's lists in words, or nil if it was not measured.
    func words(of version: VersionName) -> HTML? {
        qualities.first { $0.version == version }.map { "\($0.words)" }
    }

    private func chart(_ figure: (name: String, title: String, value: any KeyPath<QualityFigures, Double> & Sendable))
        -> HTML
    {
        let values = qualities.map { $0.figures?[keyPath: figure.value] }
        let points = zip(qualities, values).map { quality, value in
            Chart.Point(name: "version \(quality.version)", label: "", value: value.map { $0 * 100 })
        }
        let before = values.dropLast().last.flatMap(\.self).map { "\(Formats.percent($0)) in the version before" }
        return Chart(
            figure.title, points,
            present: (.percent(values.last.flatMap(\.self)), "\(before ?? "")")
        ).html
    }

    private func row(_ quality: Manifest.Quality) -> [HTML] {
        let figures = quality.figures
        // The page of a stored version has what it would change, and the button that makes it serve.
        return [
            versions[quality.version].map(HTML.version) ?? "\(quality.version.description)",
            "\(quality.members.grouped)", "\(quality.joins.grouped)", .percent(figures?.hitRate),
            "\(figures?.intervalWords ?? "–")", .percent(figures?.popularHitRate),
            "\(quality.joinsOfOtherGroups.grouped)", "\(quality.joinsWithoutTime.grouped)",
            "\(quality.joinsWithNewTime.map(\.grouped) ?? "–")", "\(figures == nil ? quality.words : "")",
        ]
    }
}
