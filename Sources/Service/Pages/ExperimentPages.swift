import Basics
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
            page: "experiment-page", "/admin/experiments/{name}", path: [name],
            parameters: [Parameter("gone", .list(of: nil), "The daemons that the report does not wait for")],
            threads: .batch, handler: Responder.experimentPage),
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
            try orStoreProblem { () throws(Failure) in try responder.follower.store.experimentRegister() }
        }
    }

    /// The settings of lists that an experiment may change.
    fileprivate var listSettings: [ListSetting] { ListSetting.all(of: state.snapshot?.relations ?? .standard) }

    /// Changes the experiments of the store.
    ///
    /// - Parameter change: returns an error message, or nil on success.
    fileprivate func changeExperiments(_ change: (inout ExperimentRegister) -> String?) throws(Problem) {
        let problem = try orStoreProblem { () throws(Failure) in
            try responder.follower.store.changeExperiments(change)
        }
        if let problem { throw .badForm(problem) }
        responder.lists.experiments?.board.poll()
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
            now < start ? nil : try community?.outcomes(of: entry, atMilliseconds: now)
        }
        let report: HTML =
            if let outcomes {
                report(on: entry, outcomes)
            } else { now < start ? "<p>It begins \(HTML.day(start)).</p>" : try elsewhere(name, call) }
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
}
