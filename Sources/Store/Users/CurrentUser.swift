import ShalePlatform

/// Who is signed in, and who wants to know when that changes. Thread-safe: changes happen one after the other, and every
/// stream gets all of them in that order.
final class CurrentUser: Sendable {
    private let current = Guarded<String?>(nil)
    private let hub = StreamHub<UserEvent>(.unbounded)

    var id: String? { current.withLock { $0 } }

    func events() -> AsyncStream<UserEvent> { hub.stream() }

    func change(to id: String?) {
        current.withLock { current in
            let event: UserEvent
            switch (current, id) {
            case (nil, nil): return
            case (nil, let new?): event = .signedIn(new)
            case (let old?, nil): event = .signedOut(old)
            // Two ids are the same user when their UTF-8 is; `==` also says so of texts that only look the same.
            case (let old?, let new?):
                event = old.utf8.elementsEqual(new.utf8) ? .renewed(new) : .switched(from: old, to: new)
            }
            current = id
            // Under the lock: the order of events is that of the changes.
            hub.send(event)
        }
    }
}
