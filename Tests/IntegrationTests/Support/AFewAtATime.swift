import Testing

/// Lets few integration tests run at a time: each starts processes, which share the machine with all other tests.
struct AFewAtATime: TestTrait, SuiteTrait, TestScoping {
    private static let permits = Permits(8)

    var isRecursive: Bool { true }

    /// Tests and each of their cases, not the suites around them.
    func scopeProvider(for test: Test, testCase: Test.Case?) -> AFewAtATime? { testCase == nil ? nil : self }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        await Self.permits.take()
        do {
            try await function()
        } catch {
            await Self.permits.giveBack()
            throw error
        }
        await Self.permits.giveBack()
    }

    /// Permits that are waited for in the order of asking.
    private actor Permits {
        private var free: Int
        private var waiting: [CheckedContinuation<Void, Never>] = []

        init(_ count: Int) { free = count }

        func take() async {
            guard free == 0 else {
                free -= 1
                return
            }
            await withCheckedContinuation { waiting.append($0) }
        }

        func giveBack() {
            if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
        }
    }
}

extension Trait where Self == AFewAtATime {
    /// Few of these tests run at a time.
    static var aFewAtATime: AFewAtATime { AFewAtATime() }
}
