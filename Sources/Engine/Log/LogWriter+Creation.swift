package import ShaleBase
package import ShalePlatform

/// Creating a log's file.
extension LogWriter {
    /// Creates the log `name`, reserves `preallocate` bytes for it and writes its header. Neither the file nor its name
    /// is synced. With `preallocate` 0 the file grows by its writes; otherwise space is reserved ahead, in steps of
    /// ``LogSpace/growthBounds``.
    package convenience init(
        directory: any Directory, name: String, number: UInt64, kind: LogKind, previous: LogPredecessor,
        preallocate: UInt64, isMapped: Bool = false
    ) throws(IOFailure) {
        let file = try LogWriter.prepareFile(in: directory, name: name, preallocate: preallocate)
        try self.init(
            file: file, number: number, kind: kind, previous: previous, preallocated: preallocate, isMapped: isMapped)
    }

    /// Creates a log's file ahead of its use, because creating a file and reserving its space takes too long while
    /// writers wait.
    package static func prepareFile(
        in directory: any Directory, name: String, preallocate: UInt64
    ) throws(IOFailure) -> any WritableFile {
        let file = try directory.create(name)
        do {
            if preallocate > 0 { try file.preallocate(preallocate) }
        } catch {
            throw closed(file, after: error)
        }
        return file
    }

    /// Writes the header of a new log.
    static func writeHeader(
        _ header: LogHeader, to file: any WritableFile, in buffer: MutableBytes
    ) throws(IOFailure) {
        let bytes = buffer.slice(0, LogFormat.headerSize)
        header.encode(into: bytes)
        do { try file.write(bytes.bytes, at: 0) } catch { throw closed(file, after: error) }
    }

    /// Closes a file whose creation failed with `failure`, and returns `failure`. An error of closing adds nothing,
    /// because the file holds no data.
    private static func closed(_ file: any WritableFile, after failure: IOFailure) -> IOFailure {
        do { try file.close() } catch { return failure }
        return failure
    }
}
