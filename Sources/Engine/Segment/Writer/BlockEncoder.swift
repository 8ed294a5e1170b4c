import ShaleBase

/// The stored form of a namespace's data blocks.
struct BlockForm {
    /// The dictionary for zstd.
    var dictionary: BlockDictionary?
    /// True if blocks are split.
    var splits = false
    /// The value code of split blocks; `nil` if their pages are compressed as a whole.
    var code: ValueCode?

    fileprivate var method: SplitBlockEncoder.Method {
        code.map { .code($0) } ?? .pages(dictionary)
    }
}

/// Encodes raw data blocks in their stored form. Keeps its memory and contexts; not thread-safe.
final class BlockEncoder {
    /// An encoded block. A split one has room for its trailer after the key part, another one has none.
    struct Block {
        var codec = StoredCodec.none
        /// 0 if the block is not split.
        var keyPartLength = 0
    }

    let compressor: Compressor
    private let splitter: SplitBlockEncoder

    init(_ codec: BlockCodec) {
        compressor = Compressor(codec)
        splitter = SplitBlockEncoder(compressor)
    }

    /// Appends the encoded form of a raw block of `count` entries.
    ///
    /// - Throws: If the block is split and `raw` is not valid. Nothing has been appended then.
    func append(
        _ raw: Bytes, count: Int, _ form: BlockForm, to output: inout ByteBuffer
    ) throws(ParseFailure) -> Block {
        if form.splits {
            if let block = try splitter.append(raw, count: count, form.method, to: &output) {
                return Block(codec: block.codec, keyPartLength: block.keyPartLength)
            }
        }
        return Block(codec: compressor.append(raw, form.dictionary, to: &output))
    }
}
