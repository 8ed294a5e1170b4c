import ShaleEngine

/// Reads the bytes of a file, of standard input (`-`), or of a compressed package list, in order and in bounded memory.
///
/// apt's own helper decompresses lists. It is on every Debian machine and knows every compression that apt uses.
final class ByteStream {
    static let chunkBytes = 256 << 10
    private static let helper = "/usr/lib/apt/apt-helper"
    private static let compressedSuffixes = [".lz4", ".xz", ".gz", ".zst", ".bz2"]

    let name: String
    /// The number of bytes delivered so far, after decompression.
    private(set) var readBytes: UInt64 = 0
    /// The total length, if it is known in advance.
    let totalBytes: UInt64?
    private let descriptor: Int32
    private let child: ChildProcess?
    private var isClosed = false
    /// The remaining bytes in memory; `nil` for a descriptor.
    private var memory: [UInt8]?
    private var pieceBytes = ByteStream.chunkBytes

    static func isCompressed(_ path: String) -> Bool { compressedSuffixes.contains(where: path.hasSuffix) }

    init(path: String) throws {
        name = path
        if path == "-" {
            descriptor = STDIN_FILENO
            child = nil
            totalBytes = nil
        } else if Self.isCompressed(path) {
            _ = close(try InputFile.descriptor(path))
            guard unsafe access(Self.helper, X_OK) == 0 else {
                throw ToolFailure.inputOutput(
                    "\(path) is compressed, and \(Self.helper), which reads it, is not installed")
            }
            let child = try ChildProcess(Self.helper, ["cat-file", path])
            self.child = child
            descriptor = child.output
            totalBytes = nil
        } else {
            child = nil
            descriptor = try InputFile.descriptor(path)
            totalBytes = Self.length(of: descriptor)
        }
    }

    /// Reads bytes that are in memory already, in pieces of at most `pieceBytes`.
    init(_ bytes: [UInt8], named name: String, pieceBytes: Int = chunkBytes) {
        self.name = name
        self.pieceBytes = pieceBytes
        memory = bytes
        descriptor = -1
        child = nil
        totalBytes = UInt64(bytes.count)
    }

    deinit { if !isClosed { closeDescriptor() } }

    /// Closes a file. A child process closes its pipe itself.
    private func closeDescriptor() { if child == nil, descriptor > STDERR_FILENO { _ = close(descriptor) } }

    private static func length(of descriptor: Int32) -> UInt64? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return UInt64(status.st_size)
    }

    /// Returns true if a read would return at once. Errors of the descriptor are left for the read to report.
    func hasInput(withinMilliseconds time: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let ready = unsafe poll(&request, 1, time)
        return ready > 0 || (ready < 0 && errno != EINTR)
    }

    /// Appends the next bytes to `buffer`. Returns false at the end, or throws there if the helper failed.
    func read(into buffer: inout [UInt8]) throws -> Bool {
        guard !isClosed else { return false }
        if let rest = memory {
            let piece = rest.prefix(pieceBytes)
            buffer.append(contentsOf: piece)
            readBytes += UInt64(piece.count)
            memory = Array(rest.dropFirst(piece.count))
            return !piece.isEmpty
        }
        let before = buffer.count
        if try readMore(into: &buffer, upTo: Self.chunkBytes, from: descriptor, named: name) {
            readBytes += UInt64(buffer.count - before)
            return true
        }
        isClosed = true
        closeDescriptor()
        if let child, try child.wait() != .exited(0) {
            throw ToolFailure.inputOutput("\(name): \(Self.helper) could not read it")
        }
        return false
    }
}

extension ByteStream {
    /// Waits for input or the end of the stream. Throws if ^C comes first.
    func wait() throws(StorageError) {
        repeat { try Interruption.checkMaking() } while !hasInput(withinMilliseconds: 100)
    }

    /// Returns the next piece; empty at the end.
    func piece() throws(StorageError) -> [UInt8] {
        var buffer: [UInt8] = []
        do {
            _ = try read(into: &buffer)
        } catch {
            throw StorageError(.ioFailure, "\(error)")
        }
        return buffer
    }
}
