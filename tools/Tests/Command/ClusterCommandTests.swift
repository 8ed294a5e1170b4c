import ArgumentParser
import ShaleCluster
import Testing

@testable import ShaleCommand

/// The commands for clusters, without a cluster.
@Suite struct ClusterCommandTests {
    @Test func placesOnAClusterAreParsed() throws {
        let place = try #require(ClusterPlace(argument: "rados:pool/a/b"))
        #expect(place.pool == "pool" && place.namespace == "a/b")
        #expect(ClusterPlace(argument: "rados:pool")?.namespace == nil)
        for wrong in ["", "pool/a", "rados:", "rados:/a", "rados:pool/", "RADOS:pool/a"] {
            #expect(ClusterPlace(argument: wrong) == nil, "\(wrong)")
        }
    }

    @Test func aCopyHasOneTargetAndItsOwnOptions() throws {
        let sandbox = try Sandbox()
        try sandbox.shale("put", sandbox.store, "n", "k", "v", "--create")
        let store = sandbox.store
        for line in [
            ["copy", store], ["copy", store, "n", "--to", "rados:p/n", "--from", "rados:p/n"],
            ["copy", store, "--to", "rados:p/n"], ["copy", store, "n", "--into", "x"],
            ["copy", store, "--into", "x", "--verify"], ["copy", store, "n", "--from", "rados:p/n", "--shards", "2"],
            ["copy", store, "n", "--to", "p/n"], ["copy", store, "n", "--to", "rados:p"],
            ["copy", store, "n", "--to", "rados:p/n", "--partition-separator", "ab"],
            ["copy", store, "n", "--to", "rados:p/n", "--partition-separator", "/", "--partition-bytes", "2"],
            ["copy", store, "n", "--to", "rados:p/n", "--cluster-timeout", "0"], ["cluster", "reclaim", "rados:p"],
        ] {
            #expect(try sandbox.run(line).status == 64, "\(line)")
        }
        let absent = try sandbox.run(["copy", store, "none", "--to", "rados:p/n"])
        #expect(absent.status == 1 && absent.errors.contains("none"))
        #expect(try sandbox.run(["copy", "\(sandbox.path)/none", "n", "--to", "rados:p/n"]).status == 5)
    }

    @Test func theCommandSaysWhyItReachesNoCluster() throws {
        let sandbox = try Sandbox()
        let missing = "\(sandbox.path)/none.conf"
        let done = try sandbox.shale("cluster", "status", "rados:p", "--cluster-configuration", missing, "--json")
        #if RADOS
            #expect(done.status == 5 && done.errors.contains("\"missing\""))
        #else
            #expect(done.status == 64 && done.errors.contains("SHALE_RADOS=1"))
        #endif
        #expect(done.output.isEmpty)
    }

    @Test func aNewNamespaceHasTheShardsThatItsEntriesNeed() throws {
        let options = try LayoutOptions.parse([])
        #expect(options.layout(.standard, entries: 100, bytes: 1_000).shards == 16)
        #expect(options.layout(.standard, entries: 3_000_000, bytes: 1_000).shards == 21)
        #expect(options.layout(.standard, entries: 100, bytes: 70_000_000_000).shards == 101)
        let named = try LayoutOptions.parse(["--shards", "3", "--partition-separator", "/"])
        let layout = named.layout(
            NamespaceOptions(isPurgeable: true, timeToLive: .seconds(5)), entries: 3_000_000, bytes: 1)
        #expect(layout.shards == 3 && layout.partitioning == .separator(47))
        #expect(layout.isPurgeable && layout.timeToLive == .seconds(5) && !layout.isEncrypted)
    }
}
