import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Parses lists of ``PurgeablePath``s that applications ship.
enum PurgeablePathList {
    private static let binaryMagic = Array("bplist".utf8)
    /// The first byte of an XML property list. No JSON text starts with it.
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
            throw StorageError(.codecFailure, "a list of purgeable paths can't be decoded", cause: error)
        }
    }
}
