#if Encryption && os(Linux)
    import Foundation
    import TestSupport
    import Testing

    @testable import ShaleEncryption

    /// The vault in the keyring of a session. The tests with a `VaultKind` cover the behaviour that
    /// all back ends share.
    @Suite(.enabled(if: Keyring.isUnlocked, "needs tools/support/with-keyring unlocked; tools/test runs it"))
    struct SecretServiceTests {
        /// A path that only this test uses.
        private let root: [EntryKey] = ["test", EntryKey(UUID().uuidString)]

        @Test func oneVaultReadsASecretThatAnotherStored() throws {
            let service = UUID().uuidString
            let first = try Vault.secretService()
            let second = try Vault.secretService()
            #expect(try first.store("p", account: "ada", service: service) == .stored)
            #expect(try second.password(account: "ada", service: service) == "p")
            #expect(try second.store("p", account: "ada", service: service) == .unchanged)
            try first.close()
            #expect(try second.deletePassword(account: "ada", service: service))
            try second.close()
        }

        /// The service writes and syncs its file for each removal. The time limit applies to each removal, not to all
        /// removals of a reinstallation together.
        @Test func eachOfManyThatAreRemovedHasItsTime() throws {
            let patient = try Vault.secretService(timeLimit: .seconds(120))
            let started = ContinuousClock.now
            for number in 0..<200 { try patient.set(number, at: SecretAddress(root, EntryKey("\(number)"))) }
            // A third of the time that storing took; removing all takes about as long as storing.
            let vault = try Vault.secretService(timeLimit: (ContinuousClock.now - started) / 3)
            #expect(try vault.removeAll(below: root) == 200)
            try vault.close()
            try patient.close()
        }

        @Test func aSecretThatIsTooLongIsRefused() throws {
            let vault = try Vault.secretService(timeLimit: .seconds(60))
            let address = SecretAddress(root, "x")
            let longest = [UInt8](repeating: 7, count: SecretServiceBackend.secretBytesMax)
            #expect(try vault.backend.store(longest, at: address, replacing: true) == .stored)
            #expect(try vault.backend.secret(at: address) == longest)
            let tooLong = code { () throws(StorageError) in
                try vault.backend.store(longest + [7], at: address, replacing: true)
            }
            #expect(tooLong == .invalidArgument)
            let name = EntryKey([UInt8](repeating: 0, count: SecretServiceBackend.addressBytesMax / 3))
            let far = SecretAddress(root, name)
            #expect(code { () throws(StorageError) in try vault.backend.secret(at: far) } == .invalidArgument)
            #expect(try vault.backend.removeSecret(at: address))
            try vault.close()
        }

        @Test func secretsOfOthersStay() throws {
            let connection = try ServiceConnection(try LibSecret.loaded.get(), limit: .seconds(60))
            let backend = try SecretServiceBackend(keyring: "default", timeLimit: .seconds(60))
            let foreign = [
                ServiceCall.Attribute.root: AddressText.text(root), ServiceCall.Attribute.path: "no path",
                ServiceCall.Attribute.name: "x",
            ]
            try connection.call { (call) throws(StorageError) in
                try call.put([1], foreign, label: "of another program", in: try call.keyring("default"))
            }
            #expect(try backend.store([2], at: SecretAddress(root, "x"), replacing: true) == .stored)
            #expect(try backend.addresses(at: root).count == 1)
            #expect(try backend.removeSecrets(below: root, keeping: nil) == 1)
            try connection.call { (call) throws(StorageError) in
                let left = try call.items(in: try call.keyring("default"), foreign)
                #expect(left.count == 1)
                for item in left { try call.remove(item) }
            }
            connection.close()
            try backend.close()
        }

        @Test func thereIsNoSuchKeyring() {
            #expect(code { () throws(StorageError) in try Vault.secretService(keyring: "no such") } == .missing)
            #expect(code { () throws(StorageError) in try Vault.secretService(keyring: "") } == .invalidArgument)
            #expect(
                code { () throws(StorageError) in try Vault.secretService(timeLimit: .zero) } == .invalidArgument)
        }

        @Test func theKeyringOfTheSessionIsAnother() throws {
            let session = try Vault.secretService(keyring: "session")
            let login = try Vault.secretService()
            let address = SecretAddress(root, "x")
            try session.set(1, at: address)
            #expect(try login.value(at: address, as: Int.self) == nil)
            #expect(try session.value(at: address, as: Int.self) == 1)
            #expect(try session.remove(at: address))
            try session.close()
            try login.close()
        }
    }

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
        func theStateOfTheServiceIsReportedInTime() throws {
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
