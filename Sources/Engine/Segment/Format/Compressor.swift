import CLZ4
import CZstd
import ShaleBase

/// Compresses blocks with contexts that are made once and kept. One writer, one compressor: not thread-safe.
///
/// Compression never fails: what does not shrink by an eighth, or can't be compressed for lack of memory, is stored as
/// it is.
@safe
final class Compressor {
    private let codec: BlockCodec
    /// The dictionary that the context compresses with.
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
                // Sizes are in the index and sums in the block trailer: frames carry neither.
                unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)
                unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0)
                unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 0)
                // A block's slice says which dictionary it needs.
                unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_dictIDFlag, 0)
            }
        }
    }

    deinit {
        unsafe ZSTD_freeCCtx(zstd)
        unsafe lz4?.deallocate()
    }

    /// Appends `raw` to `output`, compressed if that is worth it, and returns how. Only zstd takes a dictionary.
    func append(_ raw: Bytes, _ dictionary: BlockDictionary? = nil, to output: inout ByteBuffer) -> StoredCodec {
        // The room offered is the largest result that is kept, so that one rule serves both libraries.
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

    /// How blocks are searched that have a dictionary, unless the level is higher anyway: greedily, 16 places for each match of 5
    /// bytes or more. zstd's own levels are made for larger input: 3 finds a fifth less, 6 no more in twice the time. DESIGN.md,
    /// section 17, has the figures.
    private static let dictionarySearch: [(ZSTD_cParameter, Int32)] = [
        (ZSTD_c_compressionLevel, 5), (ZSTD_c_strategy, Int32(ZSTD_greedy.rawValue)), (ZSTD_c_hashLog, 17),
        (ZSTD_c_chainLog, 16), (ZSTD_c_searchLog, 4), (ZSTD_c_minMatch, 5),
    ]
    /// Below, zstd searches in another way, with which this finds less than level 3.
    private static let searchedBytesMin = 16 << 10

    /// For a dictionary of so many bytes, 0 without one. What is 0 is as the level says.
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
        // A block that did not shrink has left a session unfinished, in which zstd refuses another dictionary.
        unsafe ZSTD_CCtx_reset(context, ZSTD_reset_session_only)
        let raw = dictionary?.bytes
        unsafe setSearch(context, level, dictionaryBytes: raw?.count ?? 0)
        let result = unsafe ZSTD_CCtx_loadDictionary(context, raw?.start, raw?.count ?? 0)
        // Only memory can be missing: then the context has none, which is what its frames say.
        if ZSTD_isError(result) != 0 { loaded = nil }
    }

    /// Returns the compressed length, or 0 when it does not fit.
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
