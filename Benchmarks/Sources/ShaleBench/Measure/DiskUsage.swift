#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The bytes that a directory tree occupies, as `du` counts them, including preallocated space.
enum DiskUsage {
    static func bytes(of directory: String) throws -> Int {
        var sum = 0
        for path in try FileManager.default.subpathsOfDirectory(atPath: directory) {
            var status = stat()
            // A file may vanish during the walk: the engine deletes in the background.
            if unsafe lstat(directory + "/" + path, &status) == 0 { sum += Int(status.st_blocks) * 512 }
        }
        return sum
    }
}
