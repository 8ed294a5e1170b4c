/// An engine that somebody else keeps alive, for calls that should not count references to it: the count is one word that
/// all threads would write in every operation.
///
/// Whoever holds one also holds, longer than it, what keeps the engine: a ``NamespaceState`` its core.
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
