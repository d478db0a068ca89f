import Foundation
import TestSupport
import Testing

@Suite("A daemon that is told to stop behind a load balancer", .aFewAtATime)
struct DrainTests {
    @Test("Its readiness fails while it still answers; a second signal ends it")
    func drain() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let daemon = try await RunningDaemon(workspace, "--drain-seconds", "600")
        try await daemon.wait { !$0.degraded }
        daemon.command.send(SIGTERM)
        let isDraining = await RunningDaemon.poll { (try? daemon.get("/readyz").status) == 503 }
        #expect(isDraining, "\(daemon.command.errors)")
        #expect(try daemon.get("/readyz").text.contains("was told to stop"))
        // New connections are taken, too.
        #expect(try daemon.get("/v1/users/laura-100/recommendations").status == 200)
        #expect(try daemon.get("/healthz").status == 200)
        let run = await daemon.end()
        #expect(run.exitCode == 0, "\(run.testDescription)")
    }
}
