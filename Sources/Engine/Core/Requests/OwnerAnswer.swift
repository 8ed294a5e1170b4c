import ShaleBase

/// The answer of a store's owner to a request. The owner rewrites it as the work goes on.
struct OwnerAnswer: Equatable {
    enum State: Equatable {
        /// The owner does another request first.
        case waiting
        case running(CompactionProgress)
        case done(OwnerWorkReport)
        case failed(code: StorageError.Code, message: String)

        /// True if the answer does not change any more.
        var isLast: Bool {
            switch self {
            case .waiting, .running: false
            case .done, .failed: true
            }
        }
    }

    let state: State

    static let file = CheckedFile(magic: "SHALEANS")
    /// Bounded, so that an answer takes one block of the file system.
    static let bytesMax = 4096
    private static let textBytesMax = 1024

    init(_ state: State) { self.state = state }

    /// The content of the file: state u8 (0 waiting, 1 running, 2 done, 3 failed), then read and total bytes u64, or
    /// the fields of the report i64, or code and message as u32 length and UTF-8.
    func encoded() -> [UInt8] {
        var buffer = ByteBuffer()
        switch state {
        case .waiting: buffer.append(0 as UInt8)
        case .running(let progress):
            buffer.append(1 as UInt8)
            buffer.append(progress.readBytes)
            buffer.append(progress.totalBytes)
        case .done(let report):
            buffer.append(2 as UInt8)
            for figure in report.figures { buffer.append(figure) }
        case .failed(let code, let message):
            buffer.append(3 as UInt8)
            for text in [code.rawValue, message] {
                let bytes = Array(text.utf8.prefix(OwnerAnswer.textBytesMax))
                buffer.append(UInt32(bytes.count))
                buffer.append(bytes)
            }
        }
        return OwnerAnswer.file.wrap(buffer.bytes.array())
    }

    /// Parses the content of an answer's file. Throws `.corruption` or `.newerFormat`: the owner may be writing it.
    init(_ bytes: [UInt8], file: String) throws(StorageError) {
        let content = try OwnerAnswer.file.unwrap(bytes, file: file)
        do throws(ParseFailure) {
            self = try unsafe content.span.bytes.withUnsafeBytes { (buffer) throws(ParseFailure) in
                var reader = ByteReader(unsafe Bytes(buffer))
                return try OwnerAnswer(&reader)
            }
        } catch {
            throw .corruption("the answer does not parse: \(error.reason)", file: file, offset: 0)
        }
    }

    /// Returns the answer in `bytes`; `nil` if the owner is writing it.
    static func readable(_ bytes: [UInt8], file: String) -> OwnerAnswer? {
        do throws(StorageError) { return try OwnerAnswer(bytes, file: file) } catch { return nil }
    }

    private init(_ reader: inout ByteReader) throws(ParseFailure) {
        switch try reader.u8("the state") {
        case 0: state = .waiting
        case 1:
            state = .running(
                CompactionProgress(readBytes: try reader.u64("the progress"), totalBytes: try reader.u64("the total")))
        case 2:
            var figures: [Int64] = []
            for _ in 0..<OwnerWorkReport.figureCount { figures.append(try reader.i64("a figure")) }
            state = .done(OwnerWorkReport(figures))
        case 3:
            let code = try reader.string32(limit: OwnerAnswer.textBytesMax, "the code")
            let message = try reader.string32(limit: OwnerAnswer.textBytesMax, "the message")
            state = .failed(
                code: StorageError.Code(rawValue: String(decoding: code, as: UTF8.self)),
                message: String(decoding: message, as: UTF8.self))
        default: throw ParseFailure("the state is unknown")
        }
        guard reader.isAtEnd else { throw ParseFailure("bytes follow its end") }
    }
}
