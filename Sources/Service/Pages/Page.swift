import Answers
import Basics
import HTTP
import Model

/// A page for operators, before it is framed.
struct Page: Sendable {
    /// The chapter that the navigation marks; nil for a page outside all chapters.
    var chapter: Chapter?
    /// The title, which is also the heading.
    var title: String
    /// A short line below the heading; nil for none.
    var subtitle: HTML?
    /// The content below the heading.
    var content: HTML

    init(_ title: String, in chapter: Chapter? = nil, subtitle: HTML? = nil, _ content: HTML) {
        (self.title, self.chapter, self.subtitle, self.content) = (title, chapter, subtitle, content)
    }

    /// The chapters of the navigation, in its order.
    enum Chapter: String, CaseIterable {
        case overview = "Overview"
        case versions = "Versions"
        case groups = "Groups"
        case map = "Map"
        case curation = "Curation"
        case experiments = "Experiments"
        case jobs = "Jobs"
        case data = "Data"
        case decisions = "Decisions"

        /// The path of the chapter's first page.
        var path: String { self == .overview ? "/admin" : "/admin/\(rawValue.lowercased())" }
    }

    /// The header fields that every page has.
    ///
    /// The policy allows the daemon's own files, and pictures from the site's own address. It allows no inline script
    /// or style, no other site and no frame.
    private static func headers(_ photos: PagePhotos?) -> HTTPHeaders {
        [
            "Content-Type": "text/html; charset=utf-8",
            "Content-Security-Policy": """
            default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'\(photos.map { " \($0.origin)" } ?? ""); \
            connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'
            """,
            "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin",
            "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
        ]
    }

    /// Returns the page as a response.
    ///
    /// - Parameter forms: the forms of the request's session; nil for a page outside a session, without navigation.
    func response(_ forms: PageForms?, status: HTTPStatus = .ok) -> HTTPResponse {
        HTTPResponse(status: status, headers: Self.headers(forms?.photos), body: Array(document(forms).text.utf8))
    }

    private func document(_ forms: PageForms?) -> HTML {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(title) · Coterie</title>
        <link rel="stylesheet" href="/admin/files/pages.css">
        <link rel="icon" href="/admin/files/icon.svg">
        <script type="module" src="/admin/files/pages.js"></script>
        </head>
        <body>
        <a class="skip" href="#content">Skip to the content</a>
        \(forms.map(header))
        <div id="said" role="status"></div>
        <main id="content" tabindex="-1">
        <h1><bdi>\(title)</bdi></h1>
        \(subtitle.map { "<p class=\"subtitle\">\($0)</p>" as HTML })
        \(content)
        </main>
        \(if: forms != nil, "<footer>Times are in UTC.</footer>")
        </body>
        </html>

        """
    }

    private func header(_ forms: PageForms) -> HTML {
        let links = Chapter.allCases.map { chapter -> HTML in
            let mark: HTML = chapter == self.chapter ? " aria-current=\"page\"" : ""
            return "<li><a href=\"\(chapter.path)\"\(mark)>\(chapter.rawValue)</a></li>"
        }
        return """
            <header>
            <a class="brand" href="/admin">Coterie</a>
            <nav aria-label="Chapters"><ul>\(links)</ul></nav>
            <form class="search" role="search" action="/admin/search">
            <label for="search-words" class="unseen">Search groups, members and photos</label>
            <input id="search-words" name="q" type="search" maxlength="200" placeholder="Group, member or photo" \
            aria-keyshortcuts="/" data-complete="title">
            <button>Search</button>
            </form>
            \(forms.canSignOut ? forms.form(nil, "/admin/sign-out", "<button class=\"plain\">Sign out</button>") : "")
            </header>
            """
    }
}

/// The forms of one session: each carries the secret that only pages of the session know.
struct PageForms: Sendable {
    let secret: String
    /// Whether somebody has signed in, and can sign out.
    let canSignOut: Bool
    /// The scopes of who has signed in; none for everything.
    var scopes: Set<Scope> = []
    /// The pictures that pages may show; nil for none.
    var photos: PagePhotos?

    /// Returns a form that posts its fields, or nothing if the session lacks the scope.
    ///
    /// - Parameters:
    ///   - scope: the scope of the form's endpoint; nil if it needs none.
    ///   - done: the words after the change; the script then sends the form, and the page stays. Nil if it may not.
    ///   - undo: the fields that take the change back, sent to the same path; none if nothing can.
    ///   - seen: the state that the form was drawn from; it is refused in any other. Nil if it is taken in all.
    func form(
        _ scope: Scope?, _ path: String, _ content: HTML, done: String? = nil, undo: [(String, String)] = [],
        seen: String? = nil
    ) -> HTML {
        if let scope, !scopes.allowAdmin(scope) { return "" }
        let query = undo.map { "\($0)=\(HTML.segment($1))" }.joined(separator: "&")
        let words: HTML? = done.map { " data-done=\"\($0)\"\(if: !undo.isEmpty, " data-undo=\"\(query)\"")" }
        return """
            <form method="post" action="\(path)"\(words)><input type="hidden" name="\(PageSessions.secretField)" \
            value="\(secret)">\(seen.map { "<input type=\"hidden\" name=\"seen\" value=\"\($0)\">" })\
            \(content)</form>
            """
    }
}

extension HTML {
    /// A table with a caption, which scrolls sideways where it is too wide.
    ///
    /// On a narrow page each row is a block of named cells. The roles then keep it a table for screen readers.
    ///
    /// - Parameters:
    ///   - columns: the headings; one that begins with `#` is of numbers.
    ///   - rows: the cells of each row, one for each column.
    ///   - marks: the ids by which the script knows the rows; none if it need not.
    static func table(_ caption: String, _ columns: [String], _ rows: [[HTML]], marks: [String] = []) -> HTML {
        guard !rows.isEmpty else { return "<p class=\"nothing\">\(caption): none.</p>" }
        let areNumbers = columns.map { $0.hasPrefix("#") }
        let headings = zip(columns, areNumbers).map { name, isNumber -> HTML in
            "<th role=\"columnheader\" scope=\"col\"\(cellClass(isNumber))>\(isNumber ? String(name.dropFirst()) : name)</th>"
        }
        let lines = rows.enumerated().map { index, row -> HTML in
            let mark: HTML? = index < marks.count ? " data-id=\"\(marks[index])\"" : nil
            let cells = row.enumerated().map { column, cell -> HTML in
                let name = columns[column].drop { $0 == "#" }
                return "<td role=\"cell\" data-name=\"\(name)\"\(cellClass(areNumbers[column]))>\(cell)</td>"
            }
            return "<tr role=\"row\"\(mark)>\(cells)</tr>\n"
        }
        return """
            <div class="scroll" tabindex="0" role="region" aria-label="\(caption)">
            <table role="table"><caption>\(caption)</caption>
            <thead role="rowgroup"><tr role="row">\(headings)</tr></thead>
            <tbody role="rowgroup">
            \(lines)</tbody></table></div>
            """
    }

    /// The table of an answer's rows, with the columns that their fields declare.
    ///
    /// - Parameter cell: returns another form of a cell, given the row's place, the column's title and the text.
    static func table(
        _ caption: String, _ table: AnswerTable, cell: (Int, String, String) -> HTML? = { _, _, _ in nil }
    ) -> HTML {
        .table(
            caption, table.headings.map { ($0.isNumber ? "#" : "") + $0.title.withCapital },
            table.rows.enumerated().map { place, row in
                zip(table.headings, row).map { cell(place, $0.title, $1) ?? "\($1)" }
            })
    }

    private static func cellClass(_ isNumber: Bool) -> HTML { isNumber ? " class=\"number\"" : "" }

    /// The fields of a form with one button; in a row of a table, its words for screen readers end with the row's id.
    static func fields(_ fields: [(String, String)], _ label: String, of id: String = "", isPlain: Bool = true) -> HTML
    {
        let hidden = fields.map { name, value -> HTML in "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">" }
        return """
            \(hidden)<button\(if: isPlain, " class=\"plain\"") data-key="\(label) \(id)">\(label)\
            \(if: !id.isEmpty, "<span class=\"unseen\"> \(id)</span>")</button>
            """
    }

    /// A list of facts, each a name and a value.
    static func facts(_ facts: [(name: String, value: HTML)]) -> HTML {
        let lines = facts.map { fact -> HTML in "<div><dt>\(fact.name)</dt><dd>\(fact.value)</dd></div>\n" }
        return "<dl class=\"facts\">\n\(lines)</dl>"
    }

    /// A link to a group's page, by title, with the id behind it where they differ.
    static func group(_ id: String, title: String) -> HTML {
        let link = name(of: id, title)
        return title.isEmpty || title == id ? link : "\(link) <small><bdi>\(id)</bdi></small>"
    }

    /// A link to a group's page, by title, or by id if it has none.
    static func name(of id: String, _ title: String) -> HTML {
        "<a href=\"/admin/groups/\(segment(id))\"><bdi>\(Formats.name(id, title))</bdi></a>"
    }

    /// A number with some digits behind the point, or with two significant ones if it is small.
    ///
    /// Whole numbers, and those from 100 on, have none behind it.
    ///
    /// - Parameter digits: 1 or 2.
    static func decimals(_ value: some BinaryFloatingPoint, _ digits: Int = 2) -> HTML {
        let size = abs(Double(value))
        guard size < 1e15 else { return "–" }
        let text =
            switch size {
            case _ where size >= 100 || size == size.rounded(): Int(size.rounded()).grouped
            case ..<0.0001: "<0.0001"
            case ..<(digits > 1 ? 0.1 : 1): Formats.significant(size, 2)
            default: Formats.fixed(size, digits)
            }
        return "\(value < 0 ? "−" : "")\(text)"
    }

    /// A share in percent, or a dash for nil.
    static func percent(_ share: Double?, digits: Int = 1) -> HTML {
        "\(share.map { Formats.percent($0, digits: digits) } ?? "–")"
    }

    /// A link to a version's page, by the time at which it was made; its name follows, small.
    static func version(_ manifest: Manifest) -> HTML {
        let name = manifest.version.description
        return """
            <a href="/admin/versions/\(name)">\(day(manifest.createdAtMilliseconds, hasYear: false))</a> \
            <small>\(name)</small>
            """
    }

    /// The names of the months, and of the days of the week.
    static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

    /// A time in UTC as people say it, "27 Nov 2026, 19:55", marked up for programs.
    static func day(_ milliseconds: Int64, hasYear: Bool = true, hasTime: Bool = true) -> HTML {
        guard let time = UnixTime(seconds: milliseconds / 1000)?.description else { return "\(milliseconds)" }
        let date = CalendarDate(unixMilliseconds: milliseconds)
        return """
            <time datetime="\(time)" title="\(time)">\(date.day) \(months[date.month - 1])\
            \(if: hasYear, " \(date.year)")\(if: hasTime, ", \(time.dropFirst(11).prefix(5))")</time>
            """
    }

    /// A length of time in its largest fitting unit.
    static func span(seconds: Int64) -> String { seconds < 100 ? "\(seconds) s" : Formats.seconds(Double(seconds)) }
}
