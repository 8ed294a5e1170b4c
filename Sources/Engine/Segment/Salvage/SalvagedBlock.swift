package import ShaleBase

/// The entries of one verified block, borrowed while this object lives.
package final class SalvagedBlock {
    private let block: DataBlock

    /// Takes over the caller's reference.
    init(_ block: DataBlock) { self.block = block }

    deinit { block.release() }

    package var count: Int { block.count }

    /// Replaces the content of `buffer` by the encoded key of an entry.
    package func key(_ index: Int, into buffer: inout ByteBuffer) {
        buffer.removeAll()
        buffer.append(block.prefix)
        buffer.append(block.suffix(index))
    }

    package func trailer(_ index: Int) -> Trailer { block.trailer(index) }
    package func expiry(_ index: Int) -> Int64 { block.expiry(index) }
    package func value(_ index: Int) -> Bytes { block.value(index) }
}
