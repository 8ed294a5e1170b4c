#if Encryption
    import ShaleBoxes
    import ShaleSimulation
    import Testing

    /// A1: a crash at any call of a reinstallation's first launch. Whatever it left, the next launch finds nothing of the old
    /// installation in the restricted scope, everything of the vault, and what this installation had made durable.
    @Suite struct A1CrashTests {
        private static let policies: [(name: String, policy: CrashPolicy)] = [
            ("drop all", .dropAll), ("keep all", .keepAll), ("names only", .namesOnly), ("random", .random),
            ("kill", .processKill),
        ]

        private struct Crash {
            let files: SimulatedFileSystem
            let isWritten: Bool
            let place: String
        }

        private static func fill(_ box: DataBox, _ value: String) throws {
            for scope in [BoxScope.vault, .restricted] {
                try box.compartment("Session", scope).set(value, forKey: value)
                try box.compartment("Session", scope, per: "ada").set(value, forKey: value)
            }
        }

        @Test func aCrashInBetweenBringsNothingBack() throws {
            let files = SimulatedFileSystem(seed: 5)
            let fixture = BoxFixture(files)
            try fixture.launch { try Self.fill($0, "old") }
            try fixture.uninstall()
            var crashes: [Crash] = []
            var isWritten = false
            files.willPerform = { kind, path in
                guard OperationSet.changes.contains(kind) else { return }
                // Looked into afterwards: an opening can't wait for one inside it.
                let (name, policy) = Self.policies[crashes.count % Self.policies.count]
                crashes.append(
                    Crash(
                        files: files.crashClone(policy, seed: UInt64(crashes.count)), isWritten: isWritten,
                        place: "\(name), before \(kind.rawValue) \(path)"))
            }
            try fixture.launch { (box) throws in
                try Self.fill(box, "new")
                isWritten = true
            }
            files.willPerform = nil
            #expect(crashes.count > 50)
            for crash in crashes {
                do {
                    try Self.verify(crash)
                } catch {
                    Issue.record("\(crash.place): \(error)")
                }
            }
        }

        private static func verify(_ crash: Crash) throws {
            try BoxFixture(crash.files).launch { (box) throws in
                for user in [nil, "ada"] {
                    func value(_ scope: BoxScope, _ key: String) throws -> String? {
                        let compartment =
                            user.map { box.compartment("Session", scope, per: $0) } ?? box.compartment("Session", scope)
                        return try compartment.value(forKey: key, as: String.self)
                    }
                    #expect(try value(.restricted, "old") == nil, "\(crash.place)")
                    #expect(try value(.vault, "old") == "old", "\(crash.place)")
                    guard crash.isWritten else { continue }
                    #expect(try value(.vault, "new") == "new", "\(crash.place)")
                    #expect(try value(.restricted, "new") == "new", "\(crash.place)")
                }
            }
        }
    }
#endif
