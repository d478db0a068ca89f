/// Figures in the text format of Prometheus (0.0.4): a family's help, its type, its samples.
struct MetricsText {
    /// Labels of a sample, in their order.
    typealias Labels = [(name: String, value: String)]

    private(set) var bytes: [UInt8] = []

    /// A figure that goes up and down.
    mutating func gauge(_ name: String, _ help: String, _ value: some CustomStringConvertible, _ labels: Labels = []) {
        begin(name, help, type: "gauge")
        sample(name, labels, value)
    }

    /// A figure that only grows.
    mutating func counter(_ name: String, _ help: String, _ value: UInt64) {
        begin(name, help, type: "counter")
        sample(name, [], value)
    }

    /// Figures that only grow, one for each value of a label.
    mutating func counters(
        _ name: String, _ help: String, by label: String, _ samples: some Sequence<(value: String, count: UInt64)>
    ) {
        begin(name, help, type: "counter")
        for (value, count) in samples { sample(name, [(label, value)], count) }
    }

    /// Figures that only grow, one for each set of labels.
    mutating func counters(_ name: String, _ help: String, _ samples: some Sequence<(Labels, UInt64)>) {
        begin(name, help, type: "counter")
        for (labels, count) in samples { sample(name, labels, count) }
    }

    /// Histograms of durations, one for each set of labels; those that counted nothing are left out.
    mutating func histograms(_ name: String, _ help: String, _ samples: some Sequence<(Labels, Histogram)>) {
        begin(name, help, type: "histogram")
        for (labels, histogram) in samples {
            let (cumulative, sum) = histogram.reading
            guard let count = cumulative.last, count > 0 else { continue }
            for (bound, count) in zip(Histogram.boundLabels + ["+Inf"], cumulative) {
                sample("\(name)_bucket", labels + [("le", bound)], count)
            }
            sample("\(name)_sum", labels, sum)
            sample("\(name)_count", labels, count)
        }
    }

    private mutating func begin(_ name: String, _ help: String, type: String) {
        bytes.append(contentsOf: "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n".utf8)
    }

    private mutating func sample(_ name: String, _ labels: Labels, _ value: some CustomStringConvertible) {
        bytes.append(contentsOf: name.utf8)
        if !labels.isEmpty {
            bytes.append(UInt8(ascii: "{"))
            for (index, label) in labels.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                bytes.append(contentsOf: "\(label.name)=\"".utf8)
                append(labelValue: label.value)
                bytes.append(UInt8(ascii: "\""))
            }
            bytes.append(UInt8(ascii: "}"))
        }
        bytes.append(contentsOf: " \(value)\n".utf8)
    }

    private mutating func append(labelValue: String) {
        for byte in labelValue.utf8 {
            switch byte {
            case UInt8(ascii: "\n"): bytes.append(contentsOf: "\\n".utf8)
            case UInt8(ascii: "\\"), UInt8(ascii: "\""): bytes += [UInt8(ascii: "\\"), byte]
            default: bytes.append(byte)
            }
        }
    }
}

/// Something with figures to tell: a part of the daemon, asked at every scrape, on a thread that answers requests.
protocol MetricSource: Sendable {
    /// Writes its families, each whole and no other's.
    func write(to text: inout MetricsText)
}
