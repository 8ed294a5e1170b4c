import CLZ4
import CZstd
import ShaleBase

/// Compresses blocks with contexts that are made once and reused. Not thread-safe: each writer has its own compressor.
///
/// Compression never fails. A block that does not shrink by an eighth, or for which memory is missing, is stored
/// uncompressed.
@safe
final class Compressor {
    private let codec: BlockCodec
    /// The dictionary loaded into the context.
    private var loaded: BlockDictionary?
    private let zstd: OpaquePointer?
    private let lz4: UnsafeMutableRawPointer?

    init(_ codec: BlockCodec) {
        self.codec = codec
        switch codec {
        case .none:
            unsafe zstd = nil
            unsafe lz4 = nil
        case .lz4:
            unsafe zstd = nil
            unsafe lz4 = UnsafeMutableRawPointer.allocate(byteCount: Int(LZ4_sizeofState()), alignment: 16)
        case .zstd(let level):
            unsafe lz4 = nil
            unsafe zstd = ZSTD_createCCtx()
            if let context = unsafe zstd {
                // Sizes are in the index and checksums in the block trailer, so frames carry neither.
                unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)
                unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0)
                unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 0)
                // The block's slice determines the dictionary.
                unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_dictIDFlag, 0)
            }
        }
    }

    deinit {
        unsafe ZSTD_freeCCtx(zstd)
        unsafe lz4?.deallocate()
    }

    /// Appends `raw` to `output`, compressed if that is worthwhile, and returns the codec used. Only zstd uses a
    /// dictionary.
    func append(_ raw: Bytes, _ dictionary: BlockDictionary? = nil, to output: inout ByteBuffer) -> StoredCodec {
        // The capacity offered is the largest result that is kept, so that one rule serves both libraries.
        let room = raw.count - raw.count / 8 - 1
        let start = output.count
        if room > 0, codec != .none {
            use(dictionary)
            let length = compress(raw, into: output.extend(room))
            output.count = start + length
            if length > 0 { return codec == .lz4 ? .lz4 : loaded == nil ? .zstd : .zstdDictionary }
        }
        output.append(raw)
        return .none
    }

    /// The search parameters for blocks with a dictionary, unless the level is above 5: greedy, 16 candidates for each
    /// match of 5 bytes or more.
    ///
    /// zstd's own levels are tuned for larger input: level 3 finds a fifth less, level 6 finds no more in twice the
    /// time. ShaleEngine.docc, "Compression dictionaries", has the figures.
    private static let dictionarySearch: [(ZSTD_cParameter, Int32)] = [
        (ZSTD_c_compressionLevel, 5), (ZSTD_c_strategy, Int32(ZSTD_greedy.rawValue)), (ZSTD_c_hashLog, 17),
        (ZSTD_c_chainLog, 16), (ZSTD_c_searchLog, 4), (ZSTD_c_minMatch, 5),
    ]
    /// The smallest dictionary for ``dictionarySearch``. For smaller ones zstd searches differently, and finds less
    /// with these parameters than at level 3.
    private static let searchedBytesMin = 16 << 10

    /// Sets the search parameters for a dictionary of `dictionaryBytes`, 0 without one. A parameter of 0 takes the
    /// level's value.
    private func setSearch(_ context: OpaquePointer, _ level: Int32, dictionaryBytes: Int) {
        let isTuned = dictionaryBytes >= Compressor.searchedBytesMin && level <= 5
        let standard = dictionaryBytes > 0 ? max(level, 3) : level
        for (parameter, value) in Compressor.dictionarySearch {
            let other = parameter == ZSTD_c_compressionLevel ? standard : 0
            unsafe ZSTD_CCtx_setParameter(context, parameter, isTuned ? value : other)
        }
    }

    private func use(_ dictionary: BlockDictionary?) {
        guard dictionary?.identifier != loaded?.identifier, let context = unsafe zstd, case .zstd(let level) = codec
        else { return }
        loaded = dictionary
        // A block that did not shrink leaves an unfinished session, in which zstd rejects another dictionary.
        unsafe ZSTD_CCtx_reset(context, ZSTD_reset_session_only)
        let raw = dictionary?.bytes
        unsafe setSearch(context, level, dictionaryBytes: raw?.count ?? 0)
        let result = unsafe ZSTD_CCtx_loadDictionary(context, raw?.start, raw?.count ?? 0)
        // Only a lack of memory can fail here. The context then has no dictionary, and its frames are marked
        // accordingly.
        if ZSTD_isError(result) != 0 { loaded = nil }
    }

    /// Returns the compressed length, or 0 if the result does not fit.
    private func compress(_ raw: Bytes, into target: MutableBytes) -> Int {
        if let lz4 = unsafe lz4 {
            let length = unsafe LZ4_compress_fast_extState(
                lz4, raw.characters, target.characters, Int32(raw.count), Int32(target.count), 1)
            return max(0, Int(length))
        }
        guard let context = unsafe zstd else { return 0 }
        let length = unsafe ZSTD_compress2(context, target.start, target.count, raw.start, raw.count)
        return ZSTD_isError(length) == 0 ? length : 0
    }
}

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
        case .valueCode:
            throw ParseFailure("a block with a value code is not split")
        }
    }
}

extension Bytes {
    /// The memory as C's `const char *`.
    var characters: UnsafePointer<CChar> { unsafe start.assumingMemoryBound(to: CChar.self) }
}

extension MutableBytes {
    /// The memory as C's `char *`.
    var characters: UnsafeMutablePointer<CChar> { unsafe start.assumingMemoryBound(to: CChar.self) }
}
