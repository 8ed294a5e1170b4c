#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension Node {
    /// Adds a child under a byte that has none. Returns false if the node is full; then it has to be grown.
    @inline(__always)
    func append(_ child: NodeReference, under byte: UInt8) -> Bool {
        let kind = kind
        if kind == Kind.node256 {
            publish(child, at: Node.slots256 &+ 4 &* Int(byte))
            return true
        }
        let count = childCount
        if kind == Kind.node16 {
            guard count < 16 else { return false }
            publish(child, at: Node.slots16 &+ 4 &* count)
            addToWord(count &>> 3, UInt64(byte) &<< UInt64(8 &* (count & 7)))
        } else if kind == Kind.node4 {
            guard count < 4 else { return false }
            publish(child, at: Node.slots4 &+ 4 &* count)
            let word = keyWord4 | UInt32(byte) &<< UInt32(8 &* count)
            unsafe SharedMemory.publish32(start + Node.keysOffset, word)
        } else {
            guard count < 48 else { return false }
            publish(child, at: Node.slots48 &+ 4 &* count)
            addToWord(Int(byte &>> 3), UInt64(count &+ 1) &<< UInt64(8 &* (byte & 7)))
        }
        publishChildCount(count &+ 1)
        return true
    }

    @inline(__always)
    private func addToWord(_ index: Int, _ bits: UInt64) {
        unsafe SharedMemory.publish64(start + (Node.keysOffset &+ 8 &* index), keyWord(index) | bits)
    }

    /// Returns a copy of this full node of the next kind, with room for more children. The caller publishes it. Readers
    /// inside the old node continue with its children.
    @inline(never)
    func grown(in arena: Arena) -> (node: Node, offset: UInt32) {
        let newKind = kind + 1
        let size = Node.byteCount(newKind)
        let offset = arena.allocate(size)
        let copy = unsafe Node(at: arena.address(offset))
        unsafe copy.start.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        // Only the writer changes the header's end slot, and this is the writer's thread: a plain copy sees the latest
        // value.
        unsafe memcpy(copy.start, start, Node.keysOffset)
        unsafe copy.start.storeBytes(of: newKind, as: UInt8.self)
        let count = childCount
        switch newKind {
        case Kind.node16:
            unsafe memcpy(copy.start + Node.keysOffset, start + Node.keysOffset, 4)
            unsafe memcpy(copy.start + Node.slots16, start + Node.slots4, 4 * count)
        case Kind.node48:
            for index in 0..<count {
                let byte = Int(smallKeyByte(index))
                let place = Node.keysOffset + byte
                unsafe copy.start.storeBytes(of: UInt8(index + 1), toByteOffset: place, as: UInt8.self)
            }
            copy.normaliseIndexWords()
            unsafe memcpy(copy.start + Node.slots48, start + Node.slots16, 4 * count)
        default:
            for byte in 0..<256 where index48(UInt8(byte)) != 0 {
                let child = largeChild(byte).rawValue
                unsafe copy.start.storeBytes(of: child, toByteOffset: Node.slots256 + 4 * byte, as: UInt32.self)
            }
        }
        return (copy, offset)
    }

    /// Converts the index words: they hold the byte for key byte 8·i + j in bits 8·j and up, on every byte order.
    private func normaliseIndexWords() {
        for index in 0..<32 {
            let place = Node.keysOffset + 8 * index
            let word = UInt64(littleEndian: unsafe start.load(fromByteOffset: place, as: UInt64.self))
            unsafe start.storeBytes(of: word, toByteOffset: place, as: UInt64.self)
        }
    }
}
