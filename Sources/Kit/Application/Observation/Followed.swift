import Observation
import Shale
import ShalePlatform

/// The content of an observable object, and the ways to observe and read it.
struct FollowedContent<Content: Sendable>: Sendable {
    /// The content before the first read, and while no user is signed in.
    let absent: Content
    /// True to read on a separate thread, for reads of many entries.
    let readsOnThread: Bool
    let subscribe: @Sendable (Store.Namespace) throws(StorageError) -> Store.Changes
    let read: @Sendable (Store.Namespace) throws(StorageError) -> Content
}

/// The content of an observable object: read when the object is made, and again after each change.
///
/// Belongs to the actor whose isolation it was made with, and is used only there.
///
/// 1. The subscription begins before the first read, so that no change is missed.
/// 2. A change is received on the actor and read afterwards, so the content is at least as new as that change. With a
///    subscription of capacity 1 all changes that come while the actor is busy lead to at most two reads.
/// 3. The task that waits for changes holds the object and its actor weakly, and the end of the object ends the
///    subscription. So the task keeps neither alive, also if the actor owns the object.
/// 4. A change of the user makes another subscription. What the earlier one still delivers is ignored, because it has
///    another number.
@Observable
final class Followed<Content: Sendable> {
    private(set) var content: Content
    /// True once the content has been read.
    private(set) var hasRead = false
    private(set) var error: StorageError?
    private(set) var hasEnded = false

    @ObservationIgnored private let place: any NamespacePlace
    @ObservationIgnored private let source: FollowedContent<Content>
    /// The namespace whose content is shown, or the error if there is none.
    @ObservationIgnored private(set) var namespace: Result<Store.Namespace, StorageError>
    @ObservationIgnored private var subscription: FollowedSubscription?
    @ObservationIgnored private var userTask: Task<Void, Never>?
    /// The number of the subscription.
    @ObservationIgnored private var number = 0

    init(_ place: any NamespacePlace, _ source: FollowedContent<Content>, isolation: isolated any Actor) {
        self.place = place
        self.source = source
        content = source.absent
        namespace = .failure(StorageError(.noCurrentUser, "no user is signed in"))
        // Before the user is read, so that no change of it is missed.
        let events = place.userEvents
        bind(isolation)
        guard let events else { return }
        let object = ConfinedReference(self, isolation)
        userTask = Task { await Followed.followUser(events, object) }
    }

    deinit {
        subscription?.end()
        userTask?.cancel()
    }

    /// Ends the observation. The content stays.
    func end() {
        subscription?.end()
        userTask?.cancel()
        if !hasEnded { hasEnded = true }
    }

    /// Reads the content again, on the caller's thread.
    func refresh() {
        guard case .success(let namespace) = namespace else { return }
        receive(Result { () throws(StorageError) in try source.read(namespace) })
    }

    /// Notes an error of a write.
    func note(_ error: StorageError, _ access: Store.Health.Access, ofKey key: String = "") {
        self.error = error
        record(error, access)
    }

    /// Clears the error after a success.
    func noteSuccess() {
        if error != nil { error = nil }
    }

    private func record(_ error: StorageError, _ access: Store.Health.Access) {
        switch namespace {
        case .success(let namespace): namespace.record(error, access, ofKey: "")
        case .failure: place.record(error, access, ofKey: "")
        }
    }

    // MARK: Subscriptions

    /// Subscribes to the namespace of this moment and reads it.
    private func bind(_ isolation: any Actor) {
        subscription?.end()
        subscription = nil
        number += 1
        do throws(StorageError) {
            let namespace: Store.Namespace
            do throws(StorageError) {
                namespace = try place.namespace()
                self.namespace = .success(namespace)
            } catch {
                self.namespace = .failure(error)
                throw error
            }
            let changes = try source.subscribe(namespace)
            let object = ConfinedReference(self, isolation)
            let (source, number) = (source, number)
            let task = Task { await Followed.follow(changes, namespace, source, object, number) }
            subscription = FollowedSubscription(changes: changes, task: task)
            if !source.readsOnThread { refresh() }
        } catch {
            show(source.absent)
            // The absence of a user is a state, not a failure.
            if error.code == .noCurrentUser { return noteSuccess() }
            note(error, .read)
        }
    }

    /// Shows the result of a read.
    private func receive(_ result: Result<Content, StorageError>) {
        switch result {
        case .success(let content):
            show(content)
            noteSuccess()
            if !hasRead { hasRead = true }
        case .failure(let error): note(error, .read)
        }
    }

    private func show(_ content: Content) {
        // Equal content notifies nobody: after a write through the object, its own change arrives as well.
        if !isEqual(self.content, content) { self.content = content }
    }

    /// Reads after each change until the subscription ends.
    private static func follow(
        _ changes: Store.Changes, _ namespace: Store.Namespace, _ source: FollowedContent<Content>,
        _ object: ConfinedReference<Followed>, _ number: Int
    ) async {
        var iterator = changes.makeAsyncIterator()
        var needsRead = source.readsOnThread
        while true {
            if needsRead {
                let known = source.readsOnThread ? await read(namespace, source) : nil
                guard let isolation = object.isolation,
                    await show(known, namespace, source, object, number, isolation)
                else { return }
            }
            needsRead = true
            guard await iterator.next() != nil else { break }
        }
        guard let isolation = object.isolation else { return }
        await end(object, number, isolation)
    }

    private static func read(
        _ namespace: Store.Namespace, _ source: FollowedContent<Content>
    ) async -> Result<Content, StorageError> {
        do throws(StorageError) {
            return .success(try await BlockingWork.run { (_) throws(StorageError) in try source.read(namespace) })
        } catch {
            return .failure(error)
        }
    }

    /// Shows what was read, or reads here. Returns false if nothing more is to be shown.
    private static func show(
        _ known: Result<Content, StorageError>?, _ namespace: Store.Namespace, _ source: FollowedContent<Content>,
        _ object: ConfinedReference<Followed>, _ number: Int, _ isolation: isolated any Actor
    ) -> Bool {
        guard let followed = object.value, followed.number == number, !followed.hasEnded else { return false }
        let result = known ?? Result { () throws(StorageError) in try source.read(namespace) }
        // A closed store is an end and no error.
        if case .failure(let error) = result, error.code == .closed {
            followed.end()
            return false
        }
        followed.receive(result)
        return true
    }

    private static func end(
        _ object: ConfinedReference<Followed>, _ number: Int?, _ isolation: isolated any Actor
    ) {
        guard let followed = object.value, followed.number == number ?? followed.number else { return }
        followed.end()
    }

    private static func followUser(
        _ events: AsyncStream<Store.UserEvent>, _ object: ConfinedReference<Followed>
    ) async {
        for await event in events {
            if case .renewed = event { continue }
            guard let isolation = object.isolation else { return }
            await rebind(object, isolation)
        }
        guard let isolation = object.isolation else { return }
        await end(object, nil, isolation)
    }

    private static func rebind(_ object: ConfinedReference<Followed>, _ isolation: isolated any Actor) {
        guard let followed = object.value, !followed.hasEnded else { return }
        followed.bind(isolation)
    }
}

/// A subscription and the task that waits for it.
struct FollowedSubscription: Sendable {
    let changes: Store.Changes
    let task: Task<Void, Never>

    func end() {
        changes.cancel()
        task.cancel()
    }
}

/// Weak references to an object and to the actor that it belongs to, for a task that goes to this actor before it uses
/// the object.
final class ConfinedReference<Object: AnyObject>: @unchecked Sendable {
    // `@unchecked`: never changes after `init`; the object is used only on its actor.
    private(set) weak var value: Object?
    private(set) weak var isolation: (any Actor)?

    init(_ value: Object, _ isolation: any Actor) {
        self.value = value
        self.isolation = isolation
    }
}

/// Returns true if two values of a type that is `Equatable` are equal. Values of other types never count as equal.
func isEqual<Value>(_ a: Value, _ b: Value) -> Bool {
    guard let a = a as? any Equatable else { return false }
    return isEqual(a, to: b)
}

private func isEqual<Value: Equatable>(_ a: Value, to b: Any) -> Bool { (b as? Value) == a }
