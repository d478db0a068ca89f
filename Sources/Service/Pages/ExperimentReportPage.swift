import Answers
import Basics
import Evaluation
import Experiments
import ModelStore

/// The report on a page of an experiment.
extension Responder {
    /// Shows what an experiment has found so far: first about the measure that decides, and whether to trust it.
    static func report(on entry: ExperimentRegister.Entry, _ outcomes: ExperimentOutcomes) -> HTML {
        entry.definition.isInterleaved ? votes(entry, outcomes) : comparisons(entry, outcomes)
    }

    /// Shows the command that has the data of all daemons, and up to when each has sent its own.
    ///
    /// The query names the daemons that never come back, which the command then leaves out.
    static func elsewhere(_ name: String, _ call: Call) throws(Problem) -> HTML {
        let senders = try call.orStoreProblem { () throws(Failure) in
            try DaemonReport.all(in: call.responder.follower.store, .senders)
        }
        let gone = Set(senders.map(\.name)).intersection(call.parameters.list("gone"))
        let now = call.responder.now()
        let rows = senders.map { sender -> [HTML] in
            let (silence, isGone) = ((now - sender.sentUntilMilliseconds) / 1000, gone.contains(sender.name))
            let others = gone.symmetricDifference([sender.name]).sorted().joined(separator: ";")
            let link: HTML = """
                <a href="?\(if: !others.isEmpty, "gone=\(HTML.segment(others))")">\(isGone ? "wait for it" : "leave it out")</a>
                """
            return [
                "<bdi>\(sender.name)</bdi>", .day(sender.sentUntilMilliseconds),
                silence > 60
                    ? "<span class=\"bad\">silent for \(HTML.span(seconds: silence))</span>"
                    : "<span class=\"good\">sends</span>", isGone || silence > 60 ? link : "–",
            ]
        }
        let options = gone.sorted().map { " --gone \(ShellWords.quoted($0))" }.joined()
        let known = senders.filter { !gone.contains($0.name) }.map(\.sentUntilMilliseconds).min()
        return """
            <p>This daemon lacks the data of other daemons. On the machine with the catalog, run \
            <code>coterie experiment report \(ShellWords.quoted(name)) --take-changes\(options)</code>\
            \(known.map { ". It then knows all until \(HTML.day(min(now, $0)))" as HTML }).</p>
            \(HTML.table("Daemons that send what they record", ["Daemon", "Has sent all until", "State", "If its journal is lost"], rows))
            """
    }

    private static func course(
        _ entry: ExperimentRegister.Entry, _ course: ExperimentCourse, _ count: Int, _ arms: HTML = ""
    ) -> HTML {
        let plan = entry.definition.plan
        var members: HTML = "\(count.grouped)\(arms)"
        if let wanted = plan?.memberCount {
            members = "\(count.grouped) of \(wanted.grouped) members\(arms)"
            if course.stage == .running, count > 0, count < wanted {
                // Floating point, because one member of a million in a second is years away.
                let length = Double(course.now - course.startedAt) * Double(wanted) / Double(count)
                let end = Double(course.startedAt) + length
                if end < 4e12 { members = "\(members), at this pace until \(HTML.day(Int64(end), hasTime: false))" }
            }
        }
        let end = entry.definition.endsAt.map { end -> HTML in "on \(HTML.day(end * 1000))" }
        let ends: HTML =
            switch (plan?.memberCount, end) {
            case (nil, nil): "–"
            case (nil, let end?): end
            case (_?, nil): "with these members"
            case (_?, let end?): "with these members or \(end)"
            }
        return .facts([
            ("Stage", "\(course.stage.words)"), ("Day", "\(course.dayCount)"), ("Known until", .day(course.now)),
            ("Members", members),
            ("Decides", "\(plan?.decides.rawValue ?? "–")"),
            ("Ends", ends),
        ])
    }

    private static func health(_ checks: [ExperimentCheck], _ course: ExperimentCourse) -> HTML {
        // On the first day, nobody may have asked for a list yet.
        let isNew = course.stage == .running && course.dayCount == 1
        let alarms = checks.filter { $0.state == .alarm }
        let (mark, words) =
            if let first = alarms.first, isNew, alarms.count == 1, first.name == "members" {
                ("warning", "Not decided yet: \(first.seen)")
            } else {
                checks.distrust.map { ("bad", "Do not trust this: \($0)") }
                    ?? ("good", "Nothing speaks against the numbers below")
            }
        let verdict: HTML = "<p class=\"\(mark)\" id=\"verdict\">\(words).</p>"
        let rows = checks.map { check -> [HTML] in
            let state: HTML =
                switch check.state {
                case .good: "<span class=\"good\">good</span>"
                case .note: "note"
                case .alarm: "<span class=\"bad\">alarm</span>"
                }
            return ["\(check.name)", state, "\(check.expected)", "\(check.seen)"]
        }
        return """
            \(verdict)
            <details><summary>What was checked</summary>\
            \(HTML.table("Checks", ["Check", "State", "Expected", "Seen"], rows))</details>
            """
    }

    private static func comparisons(_ entry: ExperimentRegister.Entry, _ outcomes: ExperimentOutcomes) -> HTML {
        let report = ExperimentReport(
            entry.definition, outcomes.members, course: outcomes.course, facts: outcomes.facts)
        let names = report.definition.arms.map(\.name)
        let arms = zip(names, report.memberCounts).map { "\($0) \($1)" }.joined(separator: ", ")
        let count = report.memberCounts.reduce(0, +)
        let course = course(entry, report.course, count, " (\(arms))")
        let health = health(report.health, report.course)
        guard report.distrust == nil else { return "\(health)\(course)" }
        let tuning = report.plannedTuningCount
        func role(_ measure: Measure) -> String {
            measure == report.decides ? " (decides)" : measure.isGuardrail ? " (guardrail)" : ""
        }
        let bars = report.comparisons.compactMap { comparison -> IntervalPicture.Bar? in
            guard let effect = comparison.relative else { return nil }
            return IntervalPicture.Bar(
                name: "\(comparison.measure.rawValue)\(role(comparison.measure)), \(names[comparison.arm])",
                middle: effect.difference, interval: effect.alwaysValidInterval(tuningCount: tuning),
                isMain: comparison.measure == report.decides)
        }
        let rows = report.comparisons.map { comparison -> [HTML] in
            let isFinal = report.course.isFinal(comparison.measure)
            let always = comparison.relative?.alwaysValidInterval(tuningCount: tuning)
            let p = isFinal ? comparison.adjustedPValue ?? comparison.absolute?.pValue : nil
            return [
                "\(comparison.measure.rawValue)\(role(comparison.measure))", "<bdi>\(names[comparison.arm])</bdi>",
                .decimals(comparison.control), .decimals(comparison.value),
                comparison.relative.map { "\(Formats.difference($0.difference))" } ?? "–",
                always.map { "\(Formats.difference($0.lower)) to \(Formats.difference($0.upper))" } ?? "–",
                p.map { .decimals($0) } ?? "–",
                conclusion(
                    report.conclusion(of: comparison, tuningCount: tuning), comparison.measure, report.course),
            ]
        }
        let answers = zip(report.comparisons, rows).filter { $0.0.measure == report.decides }.map { _, row -> HTML in
            "<p><strong>\(row[0]), \(row[1]): \(row[7])</strong></p>"
        }
        return """
            \(answers)\(health)\(course)
            \(IntervalPicture("Difference from \(names[0]), with always-valid bounds", bars).html)
            \(HTML.table(
                "Measures", [
                    "Measure", "Arm", "#\(names[0])", "#Arm's", "#Difference", "#Always valid", "#p", "Conclusion",
                ], rows))
            """
    }

    private static func conclusion(_ conclusion: Conclusion, _ measure: Measure, _ course: ExperimentCourse) -> HTML {
        switch conclusion {
        case .more: measure.isGuardrail ? "<span class=\"bad\">more: harm</span>" : "<span class=\"good\">more</span>"
        case .less: measure.isGuardrail ? "<span class=\"good\">less</span>" : "<span class=\"bad\">less: harm</span>"
        case .undecided, .tooEarly: open(conclusion, course)
        }
    }

    /// Says that nothing is decided: not yet, or not at all.
    private static func open(_ conclusion: Conclusion, _ course: ExperimentCourse) -> HTML {
        course.stage == .running
            ? "not decided yet" : conclusion == .tooEarly ? "too little has happened" : "no difference found"
    }

    private static func votes(_ entry: ExperimentRegister.Entry, _ outcomes: ExperimentOutcomes) -> HTML {
        let definition = entry.definition
        let checks = ExperimentReport.interleavedHealth(
            outcomes.members, course: outcomes.course, facts: outcomes.facts)
        let course = course(entry, outcomes.course, outcomes.members.count)
        let health = health(checks, outcomes.course)
        guard checks.distrust == nil else { return "\(health)\(course)" }
        let names = definition.arms.map(\.name)
        let tuning = definition.plan?.memberCount ?? InterleavingVotes.usualTuningCount
        let all = [(Measure.clicks, outcomes.votes.clicks), (Measure.joins, outcomes.votes.joins)]
        let error = definition.plan == nil ? ExperimentReport.error / 2 : ExperimentReport.error
        let isFinal = outcomes.course.stage == .ended
        let bars = all.map { measure, votes in
            IntervalPicture.Bar(
                name: "by \(measure.rawValue)", middle: votes.secondPart - 0.5,
                interval: votes.alwaysValidInterval(tuningCount: tuning).moved(by: -0.5),
                isMain: measure == definition.plan?.decides)
        }
        let rows = all.map { measure, votes -> [HTML] in
            let interval = votes.alwaysValidInterval(tuningCount: tuning)
            let found = votes.conclusion(isFinal: isFinal, tuningCount: tuning, error: error)
            let conclusion: HTML =
                switch found {
                case .more: "\(names[1]) is better"
                case .less: "\(names[0]) is better"
                case .undecided, .tooEarly: open(found, outcomes.course)
                }
            return [
                "\(measure.rawValue)", "\(votes.first)", "\(votes.second)", "\(votes.neither)",
                "\(Formats.percent(interval.lower)) to \(Formats.percent(interval.upper))", conclusion,
            ]
        }
        let answers = zip(all, rows).filter { $0.0.0 == definition.plan?.decides }.map { _, row -> HTML in
            "<p><strong>\(row[0]) (decides): \(row[5])</strong></p>"
        }
        return """
            \(answers)\(health)\(course)
            \(IntervalPicture("Votes for \(names[1]) beyond one half, with always-valid bounds", bars).html)
            \(HTML.table(
                "Members who prefer a list",
                ["By", "#\(names[0])", "#\(names[1])", "#Neither", "#Part of \(names[1]), always valid", "Conclusion"],
                rows))
            """
    }
}

extension Interval {
    fileprivate func moved(by step: Double) -> Interval { Interval(lower: lower + step, upper: upper + step) }
}
