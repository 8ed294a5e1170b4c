package import ShaleBase
package import ShalePlatform

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif
/// Copies trees between file systems, so that real tools can inspect a simulated state, and the simulation can use a
/// real one.
package enum DirectoryCopy {
    /// Copies everything below `source` into `target`, where the names must be free. Syncs nothing.
    package static func copy(_ source: any Directory, to target: any Directory) throws(IOFailure) {
        for name in try source.list() {
            if let file = try openFile(source, name) {
                defer { file.close() }
                let copy = try target.create(name)
                try file.copy(to: copy)
                try copy.close()
            } else {
                let inner = try target.openDirectory(name, create: true)
                try DirectoryCopy.copy(try source.openDirectory(name, create: false), to: inner)
            }
        }
    }

    /// Opens a file; `nil` for a directory.
    private static func openFile(_ directory: any Directory, _ name: String) throws(IOFailure) -> (any ReadableFile)? {
        do throws(IOFailure) {
            return try directory.open(name)
        } catch {
            if error.errorNumber == EISDIR { return nil }
            throw error
        }
    }
}
