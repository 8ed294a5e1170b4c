#if Encryption
    import ShaleKit
    import ShalePlatform
    import Testing

    /// Properties of structs in a data box.
    @Suite struct StoredInBoxTests {
        /// The globals of an application.
        private final class App: Sendable {
            let box: DataBox
            let user = Locked<String?>(nil)
            init(_ box: DataBox) { self.box = box }
            var userID: String? { user.withLock { $0 } }
        }

        private struct Settings: Sendable {
            @Stored<String, Compartment> var theme: String
            @Stored<String?, Compartment> var token: String?

            init(_ app: App) {
                _theme = Stored(wrappedValue: "light", "theme", in: app.box.compartment("Settings", .standard))
                _token = Stored("token", in: app.box.compartment("Settings", .vault, per: app.userID))
            }
        }

        /// The globals of an application whose types are isolated to the main actor.
        @MainActor private final class Screen {
            nonisolated let box: DataBox
            var title = ""
            init(_ box: DataBox) { self.box = box }
        }

        @MainActor private struct ScreenSettings {
            @Stored<String, Compartment> var theme: String
            @Stored<String?, Compartment> var token: String?

            init(_ screen: Screen) {
                _theme = Stored(wrappedValue: "light", "theme", in: screen.box.compartment("Settings", .standard))
                _token = Stored(
                    "token", in: screen.box.compartment("Settings", .vault, per: screen.box.store.currentUser))
            }
        }

        @Test @MainActor func anActorUsesThemWithoutWaiting() throws {
            try BoxFixture().launch { (box) throws in
                let settings = ScreenSettings(Screen(box))
                settings.theme = "dark"
                #expect(settings.theme == "dark" && settings.token == nil)
                try box.store.signIn("ada")
                settings.token = "t"
                #expect(try settings.token == "t" && settings.$token.get() == "t")
                box.store.signOut()
                #expect(settings.token == nil)
            }
        }

        @Test func theUserIsAskedForEachTime() throws {
            try BoxFixture().launch { (box) throws in
                let app = App(box)
                let settings = Settings(app)
                #expect(settings.theme == "light" && settings.token == nil)
                settings.theme = "dark"
                settings.token = "lost"
                #expect(box.health.failures.map(\.error.code) == [.noCurrentUser])
                app.user.withLock { $0 = "ada" }
                settings.token = "a"
                app.user.withLock { $0 = "bob" }
                #expect(settings.token == nil && Settings(app).theme == "dark")
                app.user.withLock { $0 = "ada" }
                #expect(try settings.$token.get() == "a")
            }
        }

        @Test func manyThreadsMayUseThem() async throws {
            let fixture = BoxFixture()
            let vault = try fixture.openVault()
            let box = try fixture.openBox(vault)
            let app = App(box)
            app.user.withLock { $0 = "ada" }
            let settings = Settings(app)
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        for _ in 0..<20 {
                            settings.token = "\(number)"
                            #expect(settings.token?.count == 1)
                        }
                    }
                }
            }
            #expect(box.health.failedReads == 0 && box.health.failedWrites == 0)
            try box.close()
            try vault.close()
        }
    }
#endif
