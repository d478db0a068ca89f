import Foundation

/// Virtual environments of Python for tests, each made once for all runs.
enum PythonEnvironment {
    /// An environment with Selenium and axe-core; nil if it or the browser cannot be had.
    static let browser = folder(
        "browser", needing: ["chromium", "chromedriver"],
        test: #""$0/bin/python" -c 'import selenium, axe_playwright_python'"#,
        installing: "selenium==4.51.0", "--no-deps axe-playwright-python==0.1.8")

    /// Returns the folder of an environment, or nil if it cannot be had.
    ///
    /// Without a network this takes seconds: pip neither waits nor tries again.
    ///
    /// - Parameters:
    ///   - name: the name of the environment.
    ///   - tools: programs that must be on the PATH.
    ///   - test: a command that succeeds if the environment is whole; `$0` is the folder.
    ///   - packages: the arguments of each run of `pip install`.
    static func folder(_ name: String, needing tools: [String] = [], test: String, installing packages: String...)
        -> String?
    {
        let folder = NSTemporaryDirectory() + "coterie-\(name)-\(getuid())"
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        let needs = tools.map { "command -v \($0) && " }.joined()
        let installs = packages.map {
            " &&\n    timeout 200 \"$0/bin/pip\" install --quiet --retries 0 --timeout 20 \($0)"
        }
        process.arguments = [
            "-c", "\(needs){ \(test) || { timeout 60 python3 -m venv \"$0\"\(installs.joined()); }; }", folder,
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        process.waitUntilExit()
        return process.terminationStatus == 0 ? folder : nil
    }
}
