import ShalePlatform
import ShaleSimulation
import Testing

/// The file systems that share one contract.
enum FileSystemUnderTest: String, CaseIterable, CustomTestStringConvertible {
    case posix
    case simulated

    var testDescription: String { rawValue }

    /// Runs `body` in an empty directory.
    func withDirectory(_ body: (any Directory) throws -> Void) throws {
        switch self {
        case .posix:
            let temporary = try TemporaryDirectory()
            try withExtendedLifetime(temporary) {
                try body(PosixFileSystem().openDirectory(temporary.path + "/store", create: true))
            }
        case .simulated:
            let fileSystem = SimulatedFileSystem()
            try body(fileSystem.openDirectory("store", create: true))
            #expect(fileSystem.openHandlePaths == [])
        }
    }
}
