#if Encryption && os(Linux)
    import TestSupport
    import Testing

    @testable import ShaleVault

    /// An unusable keyring causes an error with the reason, at once or after the time limit, without a prompt for
    /// the user.
    @Suite struct SecretServiceStateTests {
        private static let limit = Duration.seconds(2)
        /// The additional time that a busy machine may take.
        private static let patience = Duration.seconds(30)

        private static let expected: [Keyring.State: StorageError.Code] = [
            .locked: .locked, .absent: .missing, .silent: .unavailable, .noService: .unavailable,
            .noBus: .unavailable,
        ]

        @Test func withoutTheLibraryItIsUnavailable() {
            #expect(code { () throws(StorageError) in try LibSecret("libnone.so.0") } == .unavailable)
            // A library that exists, but is not libsecret.
            #expect(code { () throws(StorageError) in try LibSecret("libc.so.6") } == .unavailable)
        }

        @Test(.enabled(if: Keyring.state != nil, "needs tools/support/with-keyring; tools/test runs it"))
        func whatItIsIsSaidInTime() throws {
            let state = try #require(Keyring.state)
            let started = ContinuousClock.now
            let found = code { () throws(StorageError) in
                let vault = try Vault.secretService(timeLimit: Self.limit)
                try vault.close()
            }
            #expect(found == Self.expected[state])
            #expect(ContinuousClock.now - started < Self.limit + Self.patience)
        }

        /// The keyring may be locked between the check and the write. The service then asks for a prompt.
        @Test(.enabled(if: Keyring.state == .locked, "needs tools/support/with-keyring locked; tools/test runs it"))
        func aQuestionToNobodyEnds() throws {
            let library = try LibSecret.loaded.get()
            let connection = try ServiceConnection(library, limit: Self.limit)
            let started = ContinuousClock.now
            let found = code { () throws(StorageError) in
                try connection.call { (call) throws(StorageError) in
                    let keyring = try unsafe library.checked(call.deadline) {
                        unsafe library.object(
                            library.collection(
                                call.service.pointer, "default", 0, call.deadline.cancellable.pointer, $0))
                    }
                    guard let keyring else { return }
                    try call.put([1], ["path": "/a", "name": "b"], label: "c", in: keyring)
                }
            }
            #expect(found == .locked || found == .unavailable)
            #expect(ContinuousClock.now - started < Self.limit + Self.patience)
            connection.close()
        }
    }
#endif
