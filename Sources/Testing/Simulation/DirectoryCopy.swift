package import ShaleBase
package import ShalePlatform

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif
/// Copies trees between file systems, so that a state found in the simulation can be looked at with real tools, and the
/// other way round.
package enum DirectoryCopy {
    /// Copies everything below `source` into `target`, whose names must be free. Nothing is synced.
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

    /// nil for a directory.
    private static func openFile(_ directory: any Directory, _ name: String) throws(IOFailure) -> (any ReadableFile)? {
        do throws(IOFailure) {
            return try directory.open(name)
        } catch {
            if error.errorNumber == EISDIR { return nil }
            throw error
        }
    }
}
