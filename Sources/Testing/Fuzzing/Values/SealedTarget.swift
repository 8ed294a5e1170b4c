import Shale
import ShaleBase

extension FuzzTarget {
    /// Input: a stored value. Only the cipher reads authenticated data; this target tests the parts in plain text.
    static let sealed = FuzzTarget(
        "sealed", "the envelope of an encrypted value",
        seeds: {
            let nonceAndTag = [UInt8](repeating: 9, count: 40)
            return [
                SealedEnvelope.header(codec: 1, dataKey: 1, .empty, room: 0) + nonceAndTag,
                SealedEnvelope.header(codec: 200, dataKey: .max, .empty, room: 0) + nonceAndTag + [1, 2, 3],
                [0, 3, 10, 0, 1, 8, 1, 2, 3, 4, 5, 6, 7, 8, 3, 1, 0, 0, 0] + nonceAndTag, [0, 1, 3, 1, 0, 0, 0],
            ]
        }
    ) { input in
        try unsafe input.span.bytes.withUnsafeBytes { (buffer) throws(FuzzFinding) in
            let value = unsafe Bytes(buffer)
            let parsed: SealedEnvelope
            do throws(StorageError) {
                parsed = try SealedEnvelope(value)
            } catch {
                return try requireTyped(error, namesPosition: false)
            }
            let header = SealedEnvelope.header(
                codec: parsed.codec, dataKey: parsed.dataKey, parsed.headerExtension, room: 0)
            try require(header + parsed.sealed.array() == input, "a sealed value is not canonical")
        }
    }

    /// Input: a byte that selects the kind, then a namespace's options or the store's record of its master key. The
    /// manifest's checksums protect both.
    static let catalogue = FuzzTarget(
        "catalogue", "options of namespaces, and what a store knows of its master key", seeds: CatalogueTarget.seeds
    ) { input in
        guard let kind = input.first else { return }
        let record = Array(input.dropFirst())
        let written: [UInt8]
        do throws(StorageError) {
            written = try CatalogueTarget.writtenAgain(kind, record)
        } catch {
            return try requireTyped(error, namesPosition: false)
        }
        // Fields of a later version are skipped, so only the second encoding must be stable.
        try require(
            try CatalogueTarget.writtenAgain(kind, written) == written, "a record changes when it is written again")
    }
}

private enum CatalogueTarget {
    static func writtenAgain(_ kind: UInt8, _ record: [UInt8]) throws(StorageError) -> [UInt8] {
        kind & 1 == 0 ? try CatalogueOptions(bytes: record).bytes : try KeyRecord(bytes: record).bytes
    }

    static func seeds() -> [[UInt8]] {
        func field(_ tag: UInt8, _ bytes: [UInt8]) -> [UInt8] { [tag, 0, UInt8(bytes.count), 0, 0, 0] + bytes }
        let key: [UInt8] = [1, 0, 0, 0, 1] + [UInt8](repeating: 5, count: 72)
        let options = field(1, [1]) + field(2, [0, 1, 0, 0, 0, 0, 0, 0]) + field(3, Array("1.2".utf8)) + field(4, [1])
        let record =
            field(1, [UInt8](repeating: 3, count: 16)) + field(2, [1, 0, 0, 0]) + field(3, [1]) + field(4, [7, 7])
            + field(5, [UInt8](repeating: 5, count: 40))
        let bound = field(7, [2, 0, 0, 0, 1, 1] + [UInt8](repeating: 5, count: 72)) + field(8, [1])
        return [
            [0], [0] + options, [0] + options + field(5, key), [0] + options + field(5, key) + bound, [1] + record,
            [0] + field(9, []), [1],
        ]
    }
}
