public import Shale

/// A property that is a value in a store.
///
/// ```swift
/// enum App {
///     static let settings = store.common["settings"]
///     static let preferences = Preferences()
/// }
///
/// struct Preferences {
///     @Stored(.quality, in: App.settings) var quality
///     @Stored("theme", in: App.settings) var theme = "light"
///     @Stored("session", in: App.settings, options: .expires(after: .seconds(3600))) var session: String?
///     @Stored("draft", in: App.store.currentUserNamespace("mail")) var draft: String?
/// }
///
/// App.preferences.theme = "dark"
/// ```
/// The key is a typed `Key`, or a name beside a default. An optional property without a default is `nil` while
/// nothing is stored. Any other property reads as its initial value. Setting `nil` removes the value. Reading stores
/// nothing.
///
/// The property holds no value: all copies of a struct share the value in the store, and setting it needs no `var`.
/// Each access evaluates `in` and reads or writes once, as the subscript of a namespace does. Keep the namespace in a
/// constant, because looking it up takes as long as a read. Objects that observe a value are ``ObservableValue``s.
///
/// ### Errors
///
/// A property can't throw. A read that fails returns the default, and a write that fails stores nothing. `Store.health`
/// records both, and `DataBox.health` for values of a box. The absence of a user is a state: a read returns the default
/// and records nothing. Where an error must not pass for a default, use the projection ``StoredAccess``, which throws:
///
/// ```swift
/// try App.preferences.$theme.set("dark")          // .noSpace, .closed, .noCurrentUser, …
/// let theme = try App.preferences.$theme.get()    // a missing value is the default, an error is thrown
/// for try await theme in try App.preferences.$theme.values() { apply(theme) }
/// ```
/// ### Structs, classes, statics
///
/// Properties of structs and classes and local variables may be stored. In a class without access to its store before
/// its `init`, assign the wrapper there: `_theme = Stored(.theme, in: store.common["settings"])`. Any thread may read
/// and write; a struct of stored properties is `Sendable`.
///
/// Swift 6 accepts a static property with a wrapper only in a type that is isolated to an actor, such as
/// `@MainActor enum`, or in a module with that default. Elsewhere use a static constant of a struct, as above.
@propertyWrapper
public struct Stored<Value: Sendable, Place: StoredPlace>: Sendable {
    private let key: Key<Value>
    private let place: @Sendable () -> Place

    /// Makes a property with the name, the default, the format and the options of a typed key.
    public init(_ key: Key<Value>, in place: @autoclosure @escaping @Sendable () -> Place) {
        self.key = key
        self.place = place
    }

    /// Makes a property that is `nil` while nothing is stored.
    public init<Wrapped: Codable & Sendable>(
        _ name: String, in place: @autoclosure @escaping @Sendable () -> Place, options: ValueOptions = []
    ) where Value == Wrapped? {
        self.init(Key<Value>(name, options: options), in: place())
    }

    /// Makes a property that reads as its initial value while nothing is stored.
    public init(
        wrappedValue: Value, _ name: String, in place: @autoclosure @escaping @Sendable () -> Place,
        options: ValueOptions = []
    ) where Value: Codable {
        self.init(Key<Value>(name, default: wrappedValue, options: options), in: place())
    }

    /// Access to the value with its errors, its key and its observation.
    public var projectedValue: StoredAccess<Value, Place> { StoredAccess(place(), .success(key)) }

    /// The value. A read that fails returns the default; a write that fails stores nothing.
    public var wrappedValue: Value {
        get { projectedValue.valueOrDefault(key.defaultValue) }
        nonmutating set { projectedValue.setOrRecord(newValue) }
    }
}
