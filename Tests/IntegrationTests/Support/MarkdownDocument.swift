import Foundation
import Testing

/// `README.md` or an article of the documentation, as its tests look at it.
struct MarkdownDocument: Sendable, CustomTestStringConvertible {
    /// A fenced block of code.
    struct Block {
        /// What stands behind the fence, such as `sh`.
        var language: String
        /// The line of the fence, from 1 on.
        var line: Int
        var lines: [String]
        /// The HTML comment right before it, such as `not run: takes minutes`.
        var mark: String?

        /// Why it is not run, if it is marked so.
        var reasonNotToRun: String? { mark.flatMap { $0.hasPrefix("not run: ") ? String($0.dropFirst(9)) : nil } }
        /// The program without which it is not run, if it is marked so.
        var neededProgram: String? { mark.flatMap { $0.hasPrefix("needs: ") ? String($0.dropFirst(7)) : nil } }
    }

    /// The path from the root of the checkout.
    let name: String
    let lines: [String]
    let blocks: [Block]

    init(name: String, text: String) {
        self.name = name
        lines = text.trimmingCharacters(in: .newlines).components(separatedBy: "\n")
        blocks = Self.blocks(of: lines)
    }

    /// A file of the checkout.
    init(_ name: String) throws {
        self.init(name: name, text: try String(contentsOfFile: "\(Checkout.root)/\(name)", encoding: .utf8))
    }

    static let catalog = "Sources/coterie/Documentation.docc"

    /// `README.md` and all articles.
    static let all: [MarkdownDocument] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: "\(Checkout.root)/\(catalog)")) ?? []
        let articles = files.filter { $0.hasSuffix(".md") }.sorted().map { "\(catalog)/\($0)" }
        return (["README.md"] + articles).compactMap { try? MarkdownDocument($0) }
    }()

    var testDescription: String { name }

    /// The lines outside of fenced blocks.
    var prose: [String] {
        var isInside = false
        return lines.filter { line in
            let isFence = line.hasPrefix("```")
            if isFence { isInside.toggle() }
            return !isFence && !isInside
        }
    }

    /// What stands between backticks.
    var codeSpans: [String] { prose.flatMap { line in line.matches(of: /`([^`]+)`/).map { String($0.output.1) } } }

    /// Where links lead, but for those with a scheme.
    var relativeLinks: [String] {
        prose.flatMap { line in line.matches(of: /\]\(([^)]+)\)/).map { String($0.output.1) } }
            .filter { !$0.contains(":") }
    }

    private static func blocks(of lines: [String]) -> [Block] {
        var blocks: [Block] = []
        var open: Block?
        for (index, line) in lines.enumerated() {
            if var block = open {
                if line == "```" {
                    blocks.append(block)
                    open = nil
                } else {
                    block.lines.append(line)
                    open = block
                }
            } else if line.hasPrefix("```") {
                let before = index > 0 ? lines[index - 1].wholeMatch(of: /<!-- (.+) -->/) : nil
                open = Block(
                    language: String(line.dropFirst(3)), line: index + 1, lines: [],
                    mark: before.map { String($0.output.1) })
            }
        }
        return blocks + (open.map { [$0] } ?? [])
    }
}
