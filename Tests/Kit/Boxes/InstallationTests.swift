#if Encryption
    import ShaleKit
    import Testing

    /// Restricted values end with their installation, whichever scope is used first and wherever the directory is
    /// copied.
    @Suite struct InstallationTests {
        private enum Touch: CaseIterable { case readShared, readUser, writeShared, writeUser }

        /// The accesses in every order. In the original, the first access decided which values were erased.
        private static let orders: [[Touch]] = permutations(Touch.allCases)

        private static func permutations(_ all: [Touch]) -> [[Touch]] {
            guard all.count > 1 else { return [all] }
            return all.indices.flatMap { index in
                var rest = all
                let first = rest.remove(at: index)
                return permutations(rest).map { [first] + $0 }
            }
        }

        private func shared(_ box: DataBox) -> Compartment { box.compartment("Session", .restricted) }
        private func users(_ box: DataBox) -> Compartment { box.compartment("Session", .restricted, per: "ada") }

        @Test func everyOrderOfFirstTouchesFindsNothing() throws {
            let fixture = BoxFixture()
            for order in Self.orders {
                try fixture.launch { (box) throws in
                    try shared(box).set("old", forKey: "k")
                    try users(box).set("old", forKey: "k")
                }
                try fixture.uninstall()
                try fixture.launch { (box) throws in
                    for touch in order {
                        switch touch {
                        case .readShared: #expect(try shared(box).value(forKey: "k", as: String.self) == nil)
                        case .readUser: #expect(try users(box).value(forKey: "k", as: String.self) == nil)
                        case .writeShared: try shared(box).set("new", forKey: "other")
                        case .writeUser: try users(box).set("new", forKey: "other")
                        }
                    }
                }
                try fixture.launch { (box) throws in
                    #expect(try shared(box).value(forKey: "other", as: String.self) == "new")
                    #expect(try users(box).value(forKey: "other", as: String.self) == "new")
                }
                #expect(try fixture.restrictedCount() == 2, "the old ones are gone from the vault")
                try fixture.uninstall()
            }
        }

        @Test func anInstallationStaysTheSame() throws {
            let fixture = BoxFixture()
            let first = try fixture.launch { try $0.store.installGeneration().id }
            try fixture.launch { (box) throws in
                try shared(box).set("x", forKey: "k")
                // The installation stays the same even if the application empties its store.
                try box.store.removeAll()
            }
            try fixture.launch { (box) throws in
                #expect(try box.store.installGeneration().id == first)
                #expect(try shared(box).value(forKey: "k", as: String.self) == "x")
            }
            try fixture.uninstall()
            #expect(try fixture.launch { try $0.store.installGeneration().id } != first)
        }

        @Test func anotherApplicationsValuesStay() throws {
            let fixture = BoxFixture()
            for (application, path) in [("mail", "/mail"), ("chat", "/chat")] {
                try fixture.launch(application, at: path) { (box) throws in
                    try shared(box).set(application, forKey: "k")
                    try users(box).set(application, forKey: "k")
                }
            }
            try fixture.uninstall("/mail")
            try fixture.launch("mail", at: "/mail") { (box) throws in
                #expect(try shared(box).value(forKey: "k", as: String.self) == nil)
            }
            try fixture.launch("chat", at: "/chat") { (box) throws in
                #expect(try shared(box).value(forKey: "k", as: String.self) == "chat")
                #expect(try users(box).value(forKey: "k", as: String.self) == "chat")
            }
            #expect(try fixture.restrictedCount("mail") == 0 && fixture.restrictedCount("chat") == 2)
        }

        @Test func twoApplicationsMayHaveOneVaultOpen() throws {
            let fixture = BoxFixture()
            let vault = try fixture.openVault()
            let mail = try fixture.openBox(vault, "mail", at: "/mail")
            let chat = try fixture.openBox(vault, "chat", at: "/chat")
            try shared(mail).set("m", forKey: "k")
            try shared(chat).set("c", forKey: "k")
            #expect(try shared(mail).value(forKey: "k", as: String.self) == "m")
            #expect(try shared(chat).value(forKey: "k", as: String.self) == "c")
            try mail.close()
            try chat.close()
            try vault.close()
        }

        @Test func aCopiedDirectoryIsTheSameInstallation() throws {
            let fixture = BoxFixture()
            try fixture.launch { try shared($0).set("x", forKey: "k") }
            try fixture.copy(BoxFixture.data, to: "/copy")
            try fixture.launch(at: "/copy") { (box) throws in
                #expect(try shared(box).value(forKey: "k", as: String.self) == "x")
            }
            // Removing the original changes nothing, because no new installation has started.
            try fixture.uninstall()
            try fixture.launch(at: "/copy") { (box) throws in
                #expect(try shared(box).value(forKey: "k", as: String.self) == "x")
            }
        }

        @Test func aDirectoryPutBackFindsWhatNobodyErased() throws {
            let fixture = BoxFixture()
            try fixture.launch { try shared($0).set("x", forKey: "k") }
            try fixture.copy(BoxFixture.data, to: "/backup")
            try fixture.uninstall()
            try fixture.copy("/backup", to: BoxFixture.data)
            try fixture.launch { (box) throws in #expect(try shared(box).value(forKey: "k", as: String.self) == "x") }
            // A new installation in between erases the value permanently.
            try fixture.uninstall()
            try fixture.launch { _ in }
            try fixture.uninstall()
            try fixture.copy("/backup", to: BoxFixture.data)
            try fixture.launch { (box) throws in #expect(try shared(box).value(forKey: "k", as: String.self) == nil) }
        }

        @Test func withoutTheDataDirectoryTheVaultTellsNothing() throws {
            let fixture = BoxFixture()
            try fixture.launch { try shared($0).set("needle", forKey: "k") }
            let id = try fixture.launch { try $0.store.installGeneration().id }
            let vault = try fixture.openVault()
            let path: [EntryKey] = ["box", "app", "restricted", EntryKey(id), "shared", "Session"]
            let sealed = try #require(try vault.backend.secret(at: SecretAddress(path, "k")))
            // Reads with the vault's key but without the key of the generation.
            let isThere = sealed.indices.contains { sealed[$0...].starts(with: Array("needle".utf8)) }
            #expect(!isThere && sealed.count > 40)
            try vault.close()
        }
    }
#endif
