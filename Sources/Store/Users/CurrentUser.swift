import ShalePlatform

/// The signed-in user, and the streams of its changes. Thread-safe: changes happen one after the other, and every
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
            // Two ids are the same user if their UTF-8 is equal. `==` would also equate canonically equivalent texts.
            case (let old?, let new?):
                event = old.utf8.elementsEqual(new.utf8) ? .renewed(new) : .switched(from: old, to: new)
            }
            current = id
            // Sent under the lock, so that events are in the order of the changes.
            hub.send(event)
        }
    }
}
