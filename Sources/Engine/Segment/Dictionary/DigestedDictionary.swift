import CZstd
import ShaleBase

/// A dictionary in zstd's form for decompression: made once, used by any number of threads.
@safe
final class DigestedDictionary: @unchecked Sendable {
    /// The identifier of the ``BlockDictionary`` with the same content.
    let identifier: UInt64
    let context: OpaquePointer

    /// Copies `raw`. Throws if `raw` is not a whole dictionary, because zstd would accept any bytes as raw content.
    init(_ raw: Bytes) throws(ParseFailure) {
        guard unsafe ZDICT_getDictID(raw.start, raw.count) != 0,
            let context = unsafe ZSTD_createDDict(raw.start, raw.count)
        else { throw ParseFailure("a dictionary is not one of zstd's") }
        unsafe self.context = context
        identifier = XXH3.hash(raw)
    }

    deinit { unsafe ZSTD_freeDDict(context) }

    var memoryBytes: Int { unsafe ZSTD_sizeof_DDict(context) }
}
