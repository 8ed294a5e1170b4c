import Foundation

/// What `tools/support/with-keyring` has put on the session bus for these tests. Nothing when they were started without it: the keyring of
/// whoever runs them is none of their business.
enum Keyring {
    enum State: String {
        case unlocked, locked, absent, silent
        case noService = "no-service"
        case noBus = "no-bus"
    }

    static let state = ProcessInfo.processInfo.environment["SHALE_KEYRING"].flatMap(State.init)

    static let isUnlocked = state == .unlocked
}
