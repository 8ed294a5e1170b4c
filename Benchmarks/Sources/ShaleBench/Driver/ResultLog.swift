#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A result file that is being written: what was measured stays, whatever happens afterwards.
final class ResultLog {
    let path: String
    private var lines = Data()

    init(path: String) { self.path = path }

    func append(_ line: ResultLine) throws {
        lines += try line.encoded()
        try lines.write(to: URL(filePath: path))
    }
}
