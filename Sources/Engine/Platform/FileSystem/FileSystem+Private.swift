package import ShaleBase

extension FileSystem {
    /// Opens a directory by path. Creates missing directories on the way with mode 0700, durably.
    package func openPrivateDirectory(_ path: String) throws(IOFailure) -> any Directory {
        do throws(IOFailure) {
            return try openDirectory(path, create: true)
        } catch {
            guard error.isMissing, let parent = FileName.parent(of: path) else { throw error }
            _ = try openPrivateDirectory(parent)
            return try openDirectory(path, create: true)
        }
    }
}

extension FileName {
    /// Returns the path of the directory that holds `path`; `nil` at the top.
    package static func parent(of path: String) -> String? {
        var path = Substring(path)
        while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
        guard let slash = path.lastIndex(of: "/") else { return path == "." ? nil : "." }
        guard slash != path.startIndex else { return path == "/" ? nil : "/" }
        return String(path[..<slash])
    }

    /// Returns the last component of a path.
    package static func last(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }
}
