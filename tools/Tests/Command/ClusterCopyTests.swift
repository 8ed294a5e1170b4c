#if RADOS
    import Foundation
    import Shale
    import ShaleEncryption
    import Testing

    @testable import ShaleCommand

    /// Copies between a store and a cluster of `tools/cluster`. Enabled by SHALE_CLUSTER_CONFIGURATION.
    @Suite(
        .enabled(if: ProcessInfo.processInfo.environment["SHALE_CLUSTER_CONFIGURATION"] != nil), .serialized)
    struct ClusterCopyTests {
        private let sandbox: Sandbox
        private let place = "rados:shale/copied-\(UUID().uuidString)"

        init() throws {
            sandbox = try Sandbox()
            let store = try Store(at: sandbox.store)
            let carts = store.common["carts"]
            for number in 0..<2_000 { try carts.set("item \(number)", forKey: "u\(number % 9)/\(number)") }
            try carts.set(1.5, forKey: "purgeable", options: .purgeable)
            let large = Data(repeating: 7, count: 300_000)
            try carts.set(large, forKey: "large", options: .expires(after: .seconds(9_000)))
            try store.close()
        }

        @discardableResult
        private func run(_ line: String..., environment: [String: String] = [:]) throws -> Sandbox.Outcome {
            let user = ["SHALE_CLUSTER_USER": "shale"].merging(environment) { $1 }
            return try sandbox.run(line, environment: user)
        }

        @Test func aNamespaceGoesToAClusterAndComesBack() throws {
            let sent = try run(
                "copy", sandbox.store, "carts", "--to", place, "--shards", "4", "--partition-separator", "/",
                "--verify", "--json")
            #expect(sent.status == 0, "\(sent.errors)")
            #expect(try sent.json()["written"] as? Int == 2_002)
            let verification = try #require(try sent.json()["verification"] as? [String: Any])
            #expect(verification["isEqual"] as? Bool == true)
            #expect(verification["sourceDigest"] as? String == verification["targetDigest"] as? String)
            let again = try run("copy", sandbox.store, "carts", "--to", place, "--json")
            #expect(try again.json()["written"] as? Int == 0)
            let other = "\(sandbox.path)/other"
            let back = try run("copy", other, "carts", "--from", place, "--verify")
            #expect(back.status == 0 && back.output.contains("both sides are equal"), "\(back.errors)")
            #expect(try run("diff", sandbox.store, other).status == 0)
            #expect(try run("copy", sandbox.store, "carts", "--to", place, "--shards", "5").status == 5)
            let absent = try run("copy", other, "x", "--from", "rados:shale/none")
            #expect(absent.status == 1 && absent.errors.contains("no namespace none"))
        }

        @Test func aDifferenceThatACopyLeavesIsReported() throws {
            #expect(try run("copy", sandbox.store, "carts", "--to", place).status == 0)
            #expect(try run("delete", sandbox.store, "carts", "large").status == 0)
            #expect(try run("put", sandbox.store, "carts", "u1/1", "changed").status == 0)
            let done = try run("copy", sandbox.store, "carts", "--to", place, "--verify")
            #expect(done.status == 1 && done.output.contains("\n+ large"), "\(done.output) \(done.errors)")
            let json = try run("copy", sandbox.store, "carts", "--to", place, "--verify", "--json")
            let verification = try #require(try json.json()["verification"] as? [String: Any])
            #expect(verification["differenceCount"] as? Int == 1)
            #expect((verification["differences"] as? [[String: Any]])?.first?["place"] as? String == "target")
        }

        @Test func anInterruptedCopyIsContinued() throws {
            let store = try Store(at: sandbox.store)
            for number in 0..<30_000 { try store.common["carts"].set(number, forKey: "more/\(number)") }
            try store.close()
            let process = Process()
            process.executableURL = Sandbox.command
            process.arguments = ["copy", sandbox.store, "carts", "--to", place]
            process.environment = ProcessInfo.processInfo.environment.merging(["SHALE_CLUSTER_USER": "shale"]) { $1 }
            process.standardError = FileHandle.nullDevice
            try process.run()
            let isBegun = try eventually { try run("cluster", "status", place).status == 0 }
            #expect(isBegun)
            usleep(300_000)
            process.interrupt()
            process.waitUntilExit()
            #expect(process.terminationStatus == 130)
            let rest = try run("copy", sandbox.store, "carts", "--to", place, "--verify", "--json")
            #expect(rest.status == 0)
            let written = try #require(try rest.json()["written"] as? Int)
            #expect(written > 0 && written <= 32_002)
        }

        @Test func encryptedValuesNeedTheirKey() throws {
            let key = ["SHALE_KEY": String(repeating: "5a", count: 32)]
            let put = ["put", sandbox.store, "carts", "secret", "--encrypted"]
            #expect(try sandbox.run(put, input: "hidden", environment: key).status == 0)
            #expect(try run("copy", sandbox.store, "carts", "--to", place).status == 4)
            let sent = try run("copy", sandbox.store, "carts", "--to", place + "-2", "--verify", environment: key)
            #expect(sent.status == 0, "\(sent.errors)")
            let other = "\(sandbox.path)/other"
            #expect(try run("copy", other, "carts", "--from", place + "-2", environment: key).status == 0)
            #expect(try run("get", other, "carts", "secret", "--reveal", environment: key).output == "hidden\n")
            #expect(try run("copy", "\(sandbox.path)/third", "carts", "--from", place + "-2").status == 4)
        }

        @Test func theKeysOfANamespaceChange() throws {
            let old = ["SHALE_KEY": String(repeating: "5a", count: 32)]
            let new = ["SHALE_KEY": String(repeating: "77", count: 32)]
            let put = ["put", sandbox.store, "carts", "secret", "--encrypted"]
            #expect(try sandbox.run(put, input: "hidden", environment: old).status == 0)
            #expect(try run("copy", sandbox.store, "carts", "--to", place, environment: old).status == 0)
            let changed = try run("cluster", "change-data", place, "--json", environment: old)
            #expect(changed.status == 0, "\(changed.errors)")
            #expect(try changed.json()["rewritten"] as? Int == 1)
            #expect(try run("cluster", "change-data", place, environment: new).status == 4)
            let both = old.merging(["NEW": String(repeating: "77", count: 32)]) { $1 }
            let master = try run("cluster", "change-master", place, "--new-key-env", "NEW", environment: both)
            #expect(master.status == 0, "\(master.errors)")
            let other = "\(sandbox.path)/other"
            #expect(try run("copy", other, "carts", "--from", place, environment: old).status == 4)
            #expect(try run("copy", other, "carts", "--from", place, environment: new).status == 0)
            #expect(try run("get", other, "carts", "secret", "--reveal", environment: new).output == "hidden\n")
        }

        @Test func theStatusShowsHealthAndLayout() throws {
            #expect(
                try run("copy", sandbox.store, "carts", "--to", place, "--shards", "2", "--partition-bytes", "3").status
                    == 0)
            let done = try run("cluster", "status", place, "--json")
            #expect(done.status == 0, "\(done.errors)")
            let json = try done.json()
            #expect((json["status"] as? String)?.hasPrefix("HEALTH_") == true && json["pool"] as? String == "shale")
            let namespace = try #require(json["namespace"] as? [String: Any])
            #expect(namespace["shards"] as? Int == 2 && namespace["partitioning"] as? String == "first-bytes")
            #expect(try run("cluster", "status", "rados:shale/none").status == 1)
            #expect(try run("cluster", "status", "rados:none").status == 5)
            #expect(try run("cluster", "status", "rados:shale").output.contains("pool shale"))
        }

        @Test func aPassReportsWhatItRemoves() throws {
            #expect(try run("copy", sandbox.store, "carts", "--to", place, "--shards", "2").status == 0)
            let dry = try run("cluster", "reclaim", place, "--dry-run", "--json")
            #expect(dry.status == 0, "\(dry.errors)")
            #expect(try dry.json()["examined"] as? Int == 2_002)
            #expect(try dry.json()["entries"] as? Int == 0)
            let done = try run("cluster", "reclaim", place)
            #expect(done.status == 0 && done.output.hasPrefix("removed 0 entries"))
        }
    }
#endif
