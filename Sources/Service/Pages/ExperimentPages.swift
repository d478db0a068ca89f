import Answers
import Basics
import Evaluation
import Experiments
import HTTP
import Model
import ModelStore

extension Endpoint {
    private static let name = Parameter("name", .identifier, "The experiment's name")

    static let experimentPages = [
        Endpoint(page: "experiments-page", "/admin/experiments", handler: Responder.experimentsPage),
        // A report reads what all members of the experiment were shown and did.
        Endpoint(
            page: "experiment-page", "/admin/experiments/{name}", path: [name], threads: .batch,
            handler: Responder.experimentPage),
        Endpoint(form: "experiment-start-form", "/admin/experiments", .operate) { (call, fields) throws(Problem) in
            let definition = try ExperimentDefinition(fields, call.listSettings)
            try call.changeExperiments { register in
                register.start(definition, atMilliseconds: call.responder.now())
            }
            call.noted(.start, .experiment, definition.name, after: definition.arms.map(\.name).joined(separator: ", "))
            call.note("started the experiment \(definition.name)")
            return "/admin/experiments/\(HTML.segment(definition.name))"
        },
        Endpoint(form: "experiment-stop-form", "/admin/experiments/{name}/stop", .operate, path: [name]) {
            (call, fields) throws(Problem) in
            let name = call.path["name"]
            guard fields["sure"] == "yes" else {
                throw .badForm("tick the box first: a stopped experiment cannot go on")
            }
            try call.changeExperiments { register in
                register.stop(name, atMilliseconds: call.responder.now()) ? nil : "no experiment \"\(name)\" runs"
            }
            call.noted(.stop, .experiment, name)
            call.note("stopped the experiment \(name)")
            return "/admin/experiments/\(HTML.segment(name))"
        },
    ]
}

extension Call {
    fileprivate var register: ExperimentRegister {
        get throws(Problem) {
            try orStoreProblem { () throws(Failure) in try Self.register(try responder.follower.store.experiments())
            }
        }
    }

    /// The settings of lists that an experiment may change.
    fileprivate var listSettings: [ListSetting] { ListSetting.all(of: state.snapshot?.relations ?? .standard) }

    private static func register(_ text: [UInt8]?) throws(Failure) -> ExperimentRegister {
        guard let register = ExperimentRegister(encoded: text) else {
            throw Failure(.unavailable, "the experiments of the store are damaged, or of a newer program")
        }
        return register
    }

    /// Changes the experiments of the store; another process may change them meanwhile, so the change is retried.
    ///
    /// - Parameter change: returns an error message, or nil on success.
    fileprivate func changeExperiments(_ change: (inout ExperimentRegister) -> String?) throws(Problem) {
        let store = responder.follower.store
        for _ in 0..<10 {
            let known = try orStoreProblem { () throws(Failure) in try store.experiments() }
            var register = try orStoreProblem { () throws(Failure) in try Self.register(known) }
            if let problem = change(&register) { throw .badForm(problem) }
            let text = register.encoded
            if try orStoreProblem({ () throws(Failure) in try store.setExperiments(text, replacing: known) }) {
                responder.lists.experiments?.board.poll()
                return
            }
        }
        throw .badForm("others change the experiments of the store all the time: try again")
    }
}

extension ExperimentDefinition {
    /// Reads an experiment with one changed setting from a form.
    ///
    /// - Parameter settings: the settings that an arm may change.
    fileprivate init(_ fields: FormFields, _ settings: [ListSetting]) throws(Problem) {
        guard let value = Double(fields["value"]) else {
            throw .badForm("the value is \"\(fields["value"])\": give a number such as 0.5")
        }
        guard let measure = Measure(rawValue: fields["decides"]) else {
            throw .badForm("\"\(fields["decides"])\" is no measure")
        }
        var plan = ExperimentPlan(decides: measure)
        if !fields["members"].isEmpty {
            plan.memberCount = Int(fields["members"])
            guard plan.memberCount != nil else {
                throw .badForm("the members are \"\(fields["members"])\": give a number")
            }
            guard let percent = Double(fields["effect"]) else {
                throw .badForm("the smallest difference is \"\(fields["effect"])\": give percent, such as 5")
            }
            plan.effect = percent / 100
        }
        self.init(
            fields["name"], arms: [Arm("control"), Arm("changed", settings: [fields["setting"]: value])], plan: plan)
        if !fields["ends"].isEmpty {
            guard let end = UnixTime(fields["ends"]) else {
                throw .badForm("the last day is \"\(fields["ends"])\": give a day such as 2026-12-31")
            }
            endsAt = end.seconds
        }
        if let problem = problem(settings: settings) { throw .badForm(problem) }
    }
}

extension Responder {
    /// Shows the started experiments with their arms, and a form for another one.
    @Sendable
    fileprivate static func experimentsPage(_ call: Call) throws(Problem) -> Page {
        let rows = try call.register.entries.reversed().map { entry -> [HTML] in
            let name = entry.definition.name
            return [
                "<a href=\"/admin/experiments/\(HTML.segment(name))\"><bdi>\(name)</bdi></a>",
                "\(entry.definition.arms.map(\.name).joined(separator: ", "))", .day(entry.startedAtMilliseconds),
                state(of: entry, at: call.responder.now()),
            ]
        }
        return Page(
            "Experiments", in: .experiments,
            """
            \(HTML.table("Experiments of the store", ["Experiment", "Arms", "Started", "State"], rows))
            \(if: call.allows(.operate), startForm(call))
            """)
    }

    private static func state(of entry: ExperimentRegister.Entry, at now: Int64) -> HTML {
        if let stopped = entry.stoppedAtMilliseconds { return "stopped \(HTML.day(stopped))" }
        if entry.runs(atMilliseconds: now) { return "<span class=\"good\">runs</span>" }
        return now / 1000 < entry.definition.startsAt ?? .min ? "waits" : "over"
    }

    private static func startForm(_ call: Call) -> HTML {
        let settings = call.listSettings.map { setting -> HTML in
            let bounds = "\(setting.bounds.lowerBound) to \(setting.bounds.upperBound)"
            return "<option value=\"\(setting.name)\">\(setting.name): \(setting.meaning), \(bounds)</option>"
        }
        let measures = Measure.allCases.filter { !$0.isGuardrail }.map { measure -> HTML in
            "<option value=\"\(measure.rawValue)\">\(measure.rawValue)</option>"
        }
        return """
            <h2>Start an experiment</h2>
            <p>Half of the members get lists with one changed setting. A started experiment cannot be changed. Others are \
            defined in a file, and started with <code>coterie experiment start</code>.</p>
            \(call.forms.form(.operate, "/admin/experiments", """
                <div class="stack">
                <label>Name <input name="name" maxlength="64" pattern="[a-z0-9_\\-]+" required \
                title="Letters of a to z, digits, - and _"></label>
                <label>Setting <select name="setting">\(settings)</select></label>
                <label>Value <input name="value" inputmode="decimal" maxlength="20" required></label>
                <label>Measure that decides <select name="decides">\(measures)</select></label>
                <label>Ends with so many members <input name="members" inputmode="numeric" maxlength="10"></label>
                <label>Smallest difference worth finding, in percent <input name="effect" inputmode="decimal" \
                maxlength="10"></label>
                <label>Or ends on the day <input name="ends" type="date"></label>
                <button>Start</button>
                </div>
                """))
            """
    }

    /// Shows an experiment: its arms, whether it can be trusted, and what it has found so far.
    @Sendable
    fileprivate static func experimentPage(_ call: Call) throws(Problem) -> Page {
        let name = call.path["name"]
        guard let entry = try call.register[name] else {
            throw Problem(
                status: .notFound, title: "Unknown experiment", detail: "no experiment \"\(name)\" was started")
        }
        let now = call.responder.now()
        let community = call.responder.community
        let start = entry.beginsAtMilliseconds
        let outcomes = try call.reading { () throws(Failure) in
            // What a daemon recorded and has not sent is not known.
            let senders = try DaemonReport.all(in: call.responder.follower.store, .senders)
            let known = senders.map(\.sentUntilMilliseconds).reduce(now, min)
            return now < start ? nil : try community?.outcomes(of: entry, atMilliseconds: known)
        }
        let report: HTML =
            outcomes.map { entry.definition.isInterleaved ? votes(entry, $0) : comparisons(entry, $0) }
            ?? (now < start
                ? "<p>It begins \(HTML.day(start)).</p>"
                : "<p>This daemon lacks the data of other daemons: <code>coterie experiment report</code> has them.</p>")
        return Page(
            name, in: .experiments,
            subtitle: "\(state(of: entry, at: now)), started \(HTML.day(entry.startedAtMilliseconds))",
            """
            \(report)
            \(arms(entry.definition))
            \(decisions(call, about: .experiment, name))
            \(if: entry.stoppedAtMilliseconds == nil && call.allows(.operate), stopForm(call, name))
            """)
    }

    private static func stopForm(_ call: Call, _ name: String) -> HTML {
        """
        <h2>Stop it</h2>
        <p>All members then get the usual lists again. A stopped experiment cannot go on.</p>
        \(call.forms.form(.operate, "/admin/experiments/\(HTML.segment(name))/stop", """
            <div class="line"><label><input type="checkbox" name="sure" value="yes" required> Stop it for good</label>
            <button class="plain">Stop</button></div>
            """))
        """
    }

    private static func arms(_ definition: ExperimentDefinition) -> HTML {
        let rows = definition.arms.map { arm -> [HTML] in
            let settings = arm.settings.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            return [
                "<bdi>\(arm.name)</bdi>", .decimals(arm.weight),
                "\(settings.isEmpty ? "as usual" : settings.joined(separator: ", "))",
                "\(arm.version.map(\.description) ?? "the current one")",
            ]
        }
        return .table("Arms", ["Arm", "#Weight", "Settings", "Version"], rows)
    }

    private static func course(
        _ entry: ExperimentRegister.Entry, _ course: ExperimentCourse, _ count: Int, _ arms: HTML = ""
    ) -> HTML {
        let plan = entry.definition.plan
        var members: HTML = "\(count.grouped)\(arms)"
        if let wanted = plan?.memberCount {
            members = "\(count.grouped) of \(wanted.grouped) members\(arms)"
            if course.stage == .running, count > 0, count < wanted {
                // In floating point, as one member of a million in a second is years away.
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
        let head: HTML = "\(course(entry, report.course, count, " (\(arms))"))\(health(report.health, report.course))"
        guard report.distrust == nil else { return head }
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
        return """
            \(head)
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
        let head: HTML = "\(course(entry, outcomes.course, outcomes.members.count))\(health(checks, outcomes.course))"
        guard checks.distrust == nil else { return head }
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
        return """
            \(head)
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
