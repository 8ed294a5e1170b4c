import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Lists of ``PurgeablePath``s as applications ship them.
enum PurgeablePathList {
    private static let binaryMagic = Array("bplist".utf8)
    /// An XML property list starts with one, and no JSON does.
    private static let xmlStart = UInt8(ascii: "<")

    static func parse(_ list: Data) throws(StorageError) -> [PurgeablePath] {
        let isBinary = list.starts(with: binaryMagic)
        if isBinary { try BinaryPropertyListChecker.check(list.bytes) }
        do {
            if isBinary || list.first == xmlStart {
                return try PropertyListDecoder().decode([PurgeablePath].self, from: list)
            }
            return try JSONDecoder().decode([PurgeablePath].self, from: list)
        } catch {
            throw StorageError(.codecFailure, "a list of purgeable paths does not decode", cause: error)
        }
    }
}
