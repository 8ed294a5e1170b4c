import Shale
import ShaleBase

/// Cuts a JSON array that arrives in pieces into the texts of its elements. Used by one thread.
///
/// It checks what is around the elements. An element ends where its brackets are closed, or at a character that can't
/// belong to it; the reader of the element checks its syntax.
struct JSONArraySplitter {
    /// The longest element, the size of the longest value of a store.
    static let elementBytesMax = 32 << 20

    private enum State {
        case start
        /// Behind the opening bracket: an element or the end follows.
        case first
        /// Behind a comma: an element follows.
        case next
        case inElement
        /// Behind an element: a comma or the end follows.
        case between
        case end
    }

    private var state = State.start
    private var element: [UInt8] = []
    private var depth = 0
    private var isInString = false
    private var isEscaped = false

    /// Takes a piece, and calls `body` with each element that ends in it.
    ///
    /// - Throws: `.codecFailure` if the text is no array; `.invalidArgument` for an element above 32 MiB; the errors of
    ///   `body`.
    mutating func take(
        _ piece: some Sequence<UInt8>, _ body: ([UInt8]) throws(StorageError) -> Void
    ) throws(StorageError) {
        for byte in piece {
            guard state == .inElement else {
                try takeOutside(byte)
                continue
            }
            let isPart = takeInside(byte)
            guard element.count <= JSONArraySplitter.elementBytesMax else {
                throw .invalid("an element is longer than \(JSONArraySplitter.elementBytesMax) bytes")
            }
            guard state == .between else { continue }
            try body(element)
            element.removeAll(keepingCapacity: true)
            if !isPart { try takeOutside(byte) }
        }
    }

    /// Throws `.codecFailure` unless the array has ended.
    func finish() throws(StorageError) {
        guard state == .end else { throw JSONArraySplitter.failure("the text ends inside the array") }
    }

    private mutating func takeOutside(_ byte: UInt8) throws(StorageError) {
        if [0x20, 0x0a, 0x0d, 0x09].contains(byte) { return }
        switch (state, byte) {
        case (.start, UInt8(ascii: "[")): state = .first
        case (.first, UInt8(ascii: "]")), (.between, UInt8(ascii: "]")): state = .end
        case (.between, UInt8(ascii: ",")): state = .next
        case (.first, _), (.next, _):
            guard ![UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}")].contains(byte) else {
                throw JSONArraySplitter.failure("an element is missing")
            }
            state = .inElement
            // An element has one character at least, so it can't end here.
            _ = takeInside(byte)
        default: throw JSONArraySplitter.failure("the text is no array, or more than one")
        }
    }

    /// Takes a byte of an element. Sets the state if the element ends; returns false if the byte is not part of it.
    private mutating func takeInside(_ byte: UInt8) -> Bool {
        if isInString {
            element.append(byte)
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
                if depth == 0 { state = .between }
            }
            return true
        }
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            if depth > 0 { depth -= 1 } else { state = .between }
            guard state == .inElement else { return false }
            element.append(byte)
            if depth == 0 { state = .between }
            return true
        case UInt8(ascii: ","), 0x20, 0x0a, 0x0d, 0x09:
            guard depth > 0 else {
                state = .between
                return false
            }
        default: break
        }
        element.append(byte)
        return true
    }

    static func failure(_ problem: String, cause: (any Error)? = nil) -> StorageError {
        StorageError(.codecFailure, "the data is no JSON array: \(problem)", cause: cause)
    }
}
