#if RADOS
    import CRados

    /// The name of the only attribute that objects of namespaces have.
    let attributeName = "shale"

    /// Passes bytes in the form that librados takes. The address is valid, and not nil, during the call, which copies
    /// the bytes.
    func withText(_ bytes: [UInt8], _ body: (UnsafePointer<CChar>, Int) -> Void) {
        unsafe bytes.withUnsafeBytes { (buffer) in
            guard let base = buffer.baseAddress else {
                var nothing: CChar = 0
                return unsafe body(&nothing, 0)
            }
            unsafe body(base.assumingMemoryBound(to: CChar.self), buffer.count)
        }
    }

    /// Passes byte strings in the form that librados takes: addresses and lengths. Valid during the call, which copies
    /// the bytes.
    func withTexts(
        _ texts: [[UInt8]], _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<Int>) -> Void
    ) {
        if texts.count == 1 {
            return unsafe withText(texts[0]) { (text, count) in
                var (address, length): (UnsafePointer<CChar>?, Int) = unsafe (text, count)
                unsafe body(&address, &length)
            }
        }
        var ranges: [Range<Int>] = []
        var bytes: [UInt8] = []
        for text in texts {
            ranges.append(bytes.count..<bytes.count + text.count)
            bytes += text
        }
        // Never empty, so that there is an address.
        bytes.append(0)
        unsafe bytes.withUnsafeBytes { unsafe RadosTexts($0, ranges).with(body) }
    }

    /// Byte strings in one buffer, in the form that librados takes. Valid as long as the buffer.
    @safe
    struct RadosTexts {
        private let addresses: [UnsafePointer<CChar>?]
        private let lengths: [Int]

        init(_ bytes: UnsafeRawBufferPointer, _ ranges: some Collection<Range<Int>>) {
            unsafe addresses = ranges.map {
                unsafe UnsafeRawBufferPointer(rebasing: bytes[$0]).baseAddress?.assumingMemoryBound(to: CChar.self)
            }
            lengths = ranges.map { $0.count }
        }

        func with(_ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<Int>) -> Void) {
            unsafe addresses.withUnsafeBufferPointer { (addresses) in
                unsafe lengths.withUnsafeBufferPointer { (lengths) in
                    guard let addresses = addresses.baseAddress, let lengths = lengths.baseAddress else { return }
                    unsafe body(addresses, lengths)
                }
            }
        }
    }
#endif
