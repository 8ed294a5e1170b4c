import Foundation

/// A cluster of `tools/cluster`, which tests disturb.
package struct LoopbackCluster: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The path of its configuration.
    package let configuration: String

    /// The cluster that the environment variable SHALE_CLUSTER_CONFIGURATION names; `nil` without it.
    package static let current = Ring.setting("SHALE_CLUSTER_CONFIGURATION").map(LoopbackCluster.init)

    private init(configuration: String) { self.configuration = configuration }

    private var directory: URL { URL(fileURLWithPath: configuration).deletingLastPathComponent() }

    /// Runs `tools/cluster` with this cluster.
    package func run(_ arguments: String...) async throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        guard try await output(root.appendingPathComponent("tools/cluster").path, arguments) != nil else {
            throw Failure(description: "tools/cluster \(arguments.joined(separator: " ")) failed")
        }
    }

    /// Returns what a command of the cluster's administrator prints; `nil` if it fails.
    package func administer(_ arguments: String...) async throws -> String? {
        let keyring = directory.appendingPathComponent("admin.keyring").path
        return try await output("ceph", ["--conf", configuration, "--keyring", keyring] + arguments)
    }

    /// Waits until the monitor has all OSDs up, so that two replicas are never missing at once.
    package func waitUntilAllAreUp() async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            let text = try await administer("osd", "stat", "--format", "json")
            if text?.contains("\"num_up_osds\":3") ?? false { return }
            guard ContinuousClock.now < deadline else { throw Failure(description: "the OSDs did not come back") }
        }
    }

    /// Returns what a program prints; `nil` if it fails.
    private func output(_ program: String, _ arguments: [String]) async throws -> String? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        let variables = ["SHALE_CLUSTER": directory.path]
        process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
        let output = Pipe()
        process.standardOutput = output
        let status = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Int32, any Error>) in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        return status == 0 ? text : nil
    }
}
