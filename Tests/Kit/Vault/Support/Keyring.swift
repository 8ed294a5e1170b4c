import Foundation

/// The state of the keyring that `tools/support/with-keyring` has put on the session bus for these tests.
///
/// It is `nil` if the tests run without that tool: they must not touch the user's own keyring.
enum Keyring {
    enum State: String {
        case unlocked, locked, absent, silent
        case noService = "no-service"
        case noBus = "no-bus"
    }

    static let state = ProcessInfo.processInfo.environment["SHALE_KEYRING"].flatMap(State.init)

    static let isUnlocked = state == .unlocked
}
