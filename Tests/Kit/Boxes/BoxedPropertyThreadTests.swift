#if Encryption
    import ShaleKit
    import Testing

    /// An owner that has only properties of the box.
    private final class Session: DataBoxOwner, @unchecked Sendable {
        let dataBox: DataBox
        @Boxed(.standard) var userId: String?
        @Boxed(.vault, per: \.userId) var name: String?
        @Boxed(.restricted, per: \.userId) var version: String?
        @Boxed(.standard) var count = 0
        init(_ box: DataBox) { dataBox = box }
    }

    /// Properties of one object on many threads, while the user changes.
    @Suite struct BoxedPropertyThreadTests {
        @Test func manyThreadsMayUseOneObject() async throws {
            let fixture = BoxFixture()
            let vault = try fixture.openVault()
            let box = try fixture.openBox(vault)
            let users = ["ada", "bob"]
            for user in users {
                try box.compartment("Session", .vault, per: user).set(user, forKey: "name")
                try box.compartment("Session", .restricted, per: user).set(user, forKey: "version")
            }
            try box.compartment("Session", .standard).set("ada", forKey: "userId")
            // All threads look up the names of the properties at the same time.
            let session = Session(box)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { for round in 0..<80 { session.userId = users[round % 2] } }
                for number in 0..<6 {
                    group.addTask {
                        for round in 0..<20 {
                            // A value that was read for a user is written for the same user, even if another user has
                            // signed in meanwhile.
                            for access in [session.$name, session.$version] {
                                let value = try #require(try access.get())
                                try access.set(value)
                            }
                            #expect(users.contains(session.name ?? ""))
                            session.count = number * 100 + round
                            #expect(session.count % 100 < 20)
                        }
                    }
                }
                try await group.waitForAll()
            }
            for user in users {
                #expect(try box.compartment("Session", .vault, per: user).value(forKey: "name") == user)
                #expect(try box.compartment("Session", .restricted, per: user).value(forKey: "version") == user)
            }
            #expect(box.health.failedReads == 0 && box.health.failedWrites == 0)
            try box.close()
            try vault.close()
        }
    }
#endif
