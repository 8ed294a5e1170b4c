public import Observation
public import Shale

/// The value of a key as an observable object: a view model that follows the store.
///
/// ```swift
/// @MainActor final class Player {
///     let volume = ObservableValue(.volume, in: App.settings)
///     let draft = ObservableValue(.draft, in: App.store.currentUserNamespace("mail"))
/// }
///
/// withObservationTracking { show(player.volume.value) } onChange: { scheduleUpdate() }
/// player.volume.value = 0.5      // written through
/// ```
/// The value is read when the object is made, and again after each change by any thread: a write, a removal, a purge,
/// a truncation or a drop, and at most one second after the entry has expired. A missing key is the key's default.
/// Changes that come while the actor is busy lead to one update, and the last state is never left out. An update with
/// an equal value notifies no observer, if the type is `Equatable`.
///
/// An object belongs to one actor: the main actor, or the one that is passed as `isolation`. Reads of the store happen
/// on this actor: usually at most one block from the disk. The compiler refuses uses from elsewhere.
///
/// The observation ends with the object, with ``cancel()``, or when the store is closed. An object keeps no other
/// object alive but the namespace, and so the store's core.
///
/// ### Errors
///
/// A read that fails keeps the value shown and sets ``error``; a later success clears it. A write that fails through
/// ``value`` stores nothing and sets ``error``; ``set(_:)`` throws instead. `Store.health` records what was not thrown.
///
/// ### The current user
///
/// In a ``Shale/Store/CurrentUserNamespace`` the object follows the user. It shows the value of the new user in the
/// next turn of its actor after a sign-in. Until then, writes go to the user whose value is shown, so that a changed
/// copy of one user's value never becomes another user's. While nobody is signed in, it shows the default, and writes
/// fail with `.noCurrentUser`.
public final class ObservableValue<Value: Sendable>: Observable {
    /// The key of the value.
    public let key: Key<Value>
    private let followed: Followed<Value>

    /// Makes an observable value that belongs to the main actor.
    ///
    /// An error, such as a name that is too long, is in ``error``.
    ///
    /// - Parameters:
    ///   - key: The key. Its options apply to writes.
    ///   - place: A namespace, or ``Shale/Store/currentUserNamespace(_:)``.
    /// - Complexity: That of one read and one subscription.
    @MainActor
    public convenience init(_ key: Key<Value>, in place: some NamespacePlace) {
        self.init(key, in: place, isolation: MainActor.shared)
    }

    /// Makes an observable value that belongs to the actor `isolation`, as ``init(_:in:)`` does for the main actor.
    ///
    /// ```swift
    /// actor Mixer {
    ///     private var volume: ObservableValue<Double>?
    ///     func start() { volume = ObservableValue(.volume, in: App.settings, isolation: self) }
    /// }
    /// ```
    public init(_ key: Key<Value>, in place: some NamespacePlace, isolation: isolated any Actor) {
        self.key = key
        let content = FollowedContent(absent: key.defaultValue, readsOnThread: false) {
            (namespace) throws(StorageError) in
            try namespace.changes(for: key, capacity: 1, reportsExpiry: true)
        } read: { (namespace) throws(StorageError) in
            try namespace.value(for: key)
        }
        followed = Followed(place, content, isolation: isolation)
    }

    /// The value. Setting it writes to the store; `nil` removes the key.
    public var value: Value {
        get { followed.content }
        set {
            do throws(StorageError) { try set(newValue) } catch { followed.note(error, .write) }
        }
    }

    /// The error of the last access; `nil` after a success. After an error of a read, ``value`` may be older than the
    /// stored value.
    public var error: StorageError? { followed.error }

    /// True once the observation has ended: after ``cancel()``, or when the store was closed. The last value stays.
    public var hasEnded: Bool { followed.hasEnded }

    /// Stores a value and shows it; `nil` removes the key.
    ///
    /// - Throws: The errors of `Store.Namespace.set(_:for:options:durability:)`; `.noCurrentUser`.
    public func set(_ value: Value) throws(StorageError) {
        try followed.namespace.get().set(value, for: key)
        followed.refresh()
    }

    /// Removes the key and shows its default.
    ///
    /// - Throws: The errors of `Store.Namespace.remove(_:durability:)`; `.noCurrentUser`.
    public func remove() throws(StorageError) {
        try followed.namespace.get().remove(key)
        followed.refresh()
    }

    /// Ends the observation. Writes still go through, and reads show the last value.
    public func cancel() { followed.end() }
}
