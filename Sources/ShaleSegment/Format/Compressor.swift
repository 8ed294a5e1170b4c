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
            }
        }
    }

    deinit {
        unsafe ZSTD_freeCCtx(zstd)
        unsafe lz4?.deallocate()
    }

    /// Appends `raw` to `output`, compressed if that is worth it, and returns how.
    func append(_ raw: Bytes, to output: inout ByteBuffer) -> StoredCodec {
        // The room offered is the largest result that is kept, so that one rule serves both libraries.
        let room = raw.count - raw.count / 8 - 1
        let start = output.count
        if room > 0, codec != .none {
            let length = compress(raw, into: output.extend(room))
            output.count = start + length
            if length > 0 { return codec == .lz4 ? .lz4 : .zstd }
        }
        output.append(raw)
        return .none
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
