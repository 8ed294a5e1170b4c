import Foundation
import ShalePlatform
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

#if os(Linux)
    /// Declared in <sys/fsuid.h>, which the C library's module omits. Returns the previous user.
    @_silgen_name("setfsuid") private func setFileSystemUser(_ user: UInt32) -> CInt
#endif

/// Runs code that is subject to file permissions, even if the tests run as root, whom the kernel refuses nothing.
///
/// On Linux, root becomes another user for file system checks only, on one thread only. The kernel then removes root's
/// file privileges from that thread and the threads that it starts. Other tests continue as root, which `seteuid` would
/// prevent.
package enum Unprivileged {
    /// False for root on other systems, where such tests are skipped.
    package static var isPossible: Bool {
        #if os(Linux)
            return true
        #else
            return geteuid() != 0
        #endif
    }

    private static let nobody: UInt32 = 65534

    private struct Failure: Error {}

    /// Runs `body` on a separate thread and waits for its end. Files that it creates belong to the other user.
    package static func run<R: Sendable>(_ body: @escaping @Sendable () throws -> R) throws -> R {
        let outcome = Outcome<R>()
        let thread = try WorkerThread.start(name: "unprivileged") {
            outcome.result.withLock { result in
                result = Result {
                    try giveUpPrivileges()
                    return try body()
                }
            }
        }
        thread.join()
        guard let result = outcome.result.withLock({ $0 }) else { throw Failure() }
        return try result.get()
    }

    /// Runs `body` like ``run(_:)``, with a new directory of the other user, which is removed afterwards.
    package static func runInFolder<R: Sendable>(
        _ body: @escaping @Sendable (_ folder: String) throws -> R
    ) throws -> R {
        let files = FileManager.default
        // Root's own temporary directory may be closed to other users.
        let parent = geteuid() == 0 ? "/tmp" : files.temporaryDirectory.path
        let folder = parent + "/shale-locked-\(UUID().uuidString)"
        try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
        if geteuid() == 0 { try files.setAttributes([.ownerAccountID: Int(nobody)], ofItemAtPath: folder) }
        let result = Result { try run { try body(folder) } }
        try files.removeItem(atPath: folder)
        return try result.get()
    }

    /// Runs `body` while no user has permissions for the file or directory `place`.
    package static func withoutPermissions<R>(for place: String, _ body: () throws -> R) throws -> R {
        let files = FileManager.default
        guard let mode = try files.attributesOfItem(atPath: place)[.posixPermissions] else { throw Failure() }
        try files.setAttributes([.posixPermissions: 0], ofItemAtPath: place)
        let result = Result { try body() }
        try files.setAttributes([.posixPermissions: mode], ofItemAtPath: place)
        return try result.get()
    }

    private final class Outcome<R: Sendable>: Sendable {
        let result = Mutex<Result<R, any Error>?>(nil)
    }

    private static func giveUpPrivileges() throws {
        #if os(Linux)
            guard geteuid() == 0 else { return }
            _ = setFileSystemUser(nobody)
            // The second call returns the user that the first one set.
            guard setFileSystemUser(nobody) == CInt(nobody) else { throw Failure() }
        #endif
    }
}
