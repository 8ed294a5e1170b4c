import CLZ4
import CZstd
import ShaleBase

/// Decompresses blocks with a reused context. Not thread-safe: a pool lends it to one thread at a time.
@safe
final class Decompressor {
    private var context: OpaquePointer?

    deinit { unsafe ZSTD_freeDCtx(context) }

    /// Decompresses `stored` into exactly `target.count` bytes.
    ///
    /// The checksum of `stored` has been verified; this function checks that it is a valid frame of exactly this
    /// length. `dictionary` is the one that the codec needs.
    func decompress(
        _ stored: Bytes, _ codec: StoredCodec, _ dictionary: DigestedDictionary? = nil, into target: MutableBytes
    ) throws(ParseFailure) {
        switch codec {
        case .none:
            guard stored.count == target.count else { throw ParseFailure("a block has the wrong length") }
            target.copy(stored, at: 0)
        case .lz4:
            let length = unsafe LZ4_decompress_safe(
                stored.characters, target.characters, Int32(stored.count), Int32(target.count))
            guard Int(length) == target.count else { throw ParseFailure("a block does not decompress to its length") }
        case .zstd:
            if unsafe context == nil { unsafe context = ZSTD_createDCtx() }
            let length = unsafe ZSTD_decompressDCtx(context, target.start, target.count, stored.start, stored.count)
            guard length == target.count else { throw ParseFailure("a block does not decompress to its length") }
        case .zstdDictionary:
            guard let dictionary else { throw ParseFailure("a block needs a dictionary that is missing") }
            if unsafe context == nil { unsafe context = ZSTD_createDCtx() }
            let length = unsafe ZSTD_decompress_usingDDict(
                context, target.start, target.count, stored.start, stored.count, dictionary.context)
            guard length == target.count else { throw ParseFailure("a block does not decompress to its length") }
        }
    }
}
