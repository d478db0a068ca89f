import Foundation
import TestSupport
import Testing

/// Generates a Python client from a daemon's own description, and uses it.
@Suite("A generated client", .aFewAtATime)
struct PythonClientTests {
    /// A virtual environment with the generator; nil if it cannot be had.
    private static let environment = PythonEnvironment.folder(
        "python-client", test: #""$0/bin/openapi-python-client" --version"#,
        installing: "openapi-python-client==0.29.1")

    private static let program = """
        import sys
        from coterie_client import AuthenticatedClient, Client
        from coterie_client.api.administration import hide_group
        from coterie_client.api.groups import similar_groups
        from coterie_client.api.members import (forget_member, interests, record_interactions, recommendations,
            recommendations_of_members, state_interests)
        from coterie_client.api.operation import readiness
        from coterie_client.models import (InteractionBatch, Interests, ListBatch, MemberLists, NewInteraction,
            NewInteractionKind, Problem, Readiness, Recommendations, Recorded, Removal, SimilarGroups,
            SimilarGroupsBy, StatedInterests)
        from coterie_client.types import UNSET

        address, service, admin = sys.argv[1:]
        user = "laura-100"
        ready = readiness.sync(client=Client(base_url=address))
        assert isinstance(ready, Readiness) and ready.status == "ready" and ready.missing == [], ready

        with AuthenticatedClient(base_url=address, token=service) as site:
            similar = similar_groups.sync("macro-mondays", client=site, by=SimilarGroupsBy.MEMBERS, limit=3)
            assert isinstance(similar, SimilarGroups) and len(similar.neighbours) == 3, similar
            assert similar.neighbours[0].score >= similar.neighbours[1].score > 0, similar

            unknown = similar_groups.sync_detailed("no-such-group", client=site)
            assert unknown.status_code == 404 and isinstance(unknown.parsed, Problem), unknown
            assert unknown.parsed.type_ == "urn:coterie:problem:unknown-group" and unknown.parsed.near, unknown

            page = recommendations.sync(user, client=site, limit=5, topics="seasons;snow;nature")
            assert isinstance(page, Recommendations) and page.user_id == user and page.known, page
            page = recommendations.sync(user, client=site, limit=5)
            assert [row.rank for row in page.recommendations] == [1, 2, 3, 4, 5] and page.next_, page
            rest = recommendations.sync(user, client=site, limit=5, after=page.next_)
            assert rest.recommendations[0].rank == 6, rest

            first = page.recommendations[0].group_id
            joined = NewInteraction(id="python-1", kind=NewInteractionKind.JOIN, group_id=first, position=1)
            recorded = record_interactions.sync(user, client=site, body=InteractionBatch([joined]))
            assert isinstance(recorded, Recorded) and recorded.recorded == 1, recorded
            after = recommendations.sync(user, client=site, limit=20)
            assert first not in [row.group_id for row in after.recommendations], after

            stated = state_interests.sync(user, client=site, body=StatedInterests(["owls"]))
            assert isinstance(stated, Interests) and stated.interests == ["owls"], stated
            denied = interests.sync_detailed(user, client=site)
            assert denied.status_code == 403 and denied.parsed.status == 403, denied

            lists = recommendations_of_members.sync(client=site, body=ListBatch([user, "", "nobody-yet"], limit=2))
            assert isinstance(lists, MemberLists) and len(lists.lists) == 3, lists
            own, wrong, new = lists.lists
            assert isinstance(own.list_, Recommendations) and len(own.list_.recommendations) == 2, own
            assert wrong.problem.status == 400 and wrong.list_ is UNSET, wrong
            assert not new.list_.known and new.problem is UNSET, new

        with AuthenticatedClient(base_url=address, token=admin) as owner:
            assert hide_group.sync(first, client=owner).hidden
            removal = forget_member.sync(user, client=owner)
            assert isinstance(removal, Removal) and removal.pending, removal

        with AuthenticatedClient(base_url=address, token=service) as site:
            assert isinstance(recommendations.sync(user, client=site), Problem)
        print("all is well")
        """

    @Test(
        "Is typed, and does what the description says",
        .enabled(if: environment != nil, "python3-venv, pip or the network is missing"))
    func client() async throws {
        let environment = try #require(Self.environment)
        let workspace = try Workspace()
        try await workspace.publishSample()
        try await workspace.succeed("token", "--new-key", "--keys", "keys.json")
        let daemon = try await RunningDaemon(workspace, "--keys", "keys.json")
        try await daemon.wait { $0.status == "ready" }
        let service = try await workspace.succeed("token", "--service", "--scope", "lists", "--keys", "keys.json")
        let admin = try await workspace.succeed("token", "--admin", "--keys", "keys.json")
        let description = try daemon.get("/openapi.json").text
        let path = try workspace.write(description, to: "openapi.json")
        let program = try workspace.write(Self.program, to: "program.py")
        let script = try workspace.write(
            """
            set -euo pipefail
            export PATH="\(environment)/bin:$PATH"
            timeout 60 openapi-python-client generate --fail-on-warning --meta none --path "\(path)" \\
                --output-path "\(workspace.path("coterie_client"))"
            timeout 60 python "\(program)" "http://127.0.0.1:\(daemon.port)" \\
                "\(try #require(service.lines.first))" "\(try #require(admin.lines.first))"
            """, to: "script.sh")
        let run = try await RunningCommand(
            "/bin/bash", [script], environment: workspace.environment, input: nil, in: workspace.folder
        ).wait()
        #expect(run.exitCode == 0 && run.text.contains("all is well"), "\(run.testDescription)")
    }
}
