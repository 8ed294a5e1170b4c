/// An unretained reference to an engine, for calls that should not count references: all threads would write the
/// reference count in every operation.
///
/// The owner of this value must keep the engine alive for longer: a ``NamespaceState`` holds its core, which holds the
/// engine.
@safe
struct BorrowedEngine: @unchecked Sendable {
    private let reference: Unmanaged<Engine>

    init(_ engine: Engine) { unsafe reference = Unmanaged.passUnretained(engine) }

    @inline(__always)
    func with<R>(_ body: (Engine) throws(StorageError) -> R) throws(StorageError) -> R {
        let result = unsafe reference._withUnsafeGuaranteedRef { engine in
            Result { () throws(StorageError) in try body(engine) }
        }
        return try result.get()
    }
}
