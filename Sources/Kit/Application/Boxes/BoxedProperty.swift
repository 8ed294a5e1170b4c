#if Encryption
    import ShalePlatform

    /// A class whose properties are values of a ``DataBox``.
    ///
    /// ```swift
    /// final class Session: DataBoxOwner {
    ///     let dataBox: DataBox
    ///     @Boxed(.standard) var userId: String?
    ///     @Boxed(.vault, per: \.userId) var token: String?
    ///     @Boxed(.standard, per: \.userId) var theme = "light"
    /// }
    /// ```
    /// See ``BoxedProperty`` for what properties do, and ``ShaleKit/Stored`` for structs and other classes.
    public protocol DataBoxOwner: AnyObject {
        /// The box of the properties. It must always be the same, for every thread that uses them.
        var dataBox: DataBox { get }

        /// The name of the compartments that hold the properties. Default: the name of the class. If you rename the
        /// class, return the old name here.
        static var dataBoxName: String { get }
    }

    extension DataBoxOwner {
        public static var dataBoxName: String { String(describing: Self.self) }

        /// The property wrapper of this class, written `@Boxed(…)`.
        public typealias Boxed<Value: Sendable> = BoxedProperty<Self, Value>
    }

    /// A property of a class that is a value of its ``DataBox``: written `@Boxed(…)` inside a ``DataBoxOwner``.
    ///
    /// The key is the property's name, or `key` if one is given. With `per`, the value belongs to the user whose id the
    /// other property holds; when that id changes, this property is at once another value. An optional property is
    /// `nil` while nothing is stored, and setting `nil` removes the value. Any other property reads as its initial
    /// value until it is set. Reading stores nothing.
    ///
    /// If the `per` property is `nil`, a property reads as `nil` or as its initial value, and setting it stores
    /// nothing. Properties can't throw. Where an error must not pass for a default, use the projection
    /// ``StoredAccess``, which throws:
    /// ```swift
    /// session.token = "t"                     // an error is in box.health
    /// try session.$token.set("t")             // .noCurrentUser, .noSpace, …
    /// let token = try session.$token.get()    // a missing value is nil, an error is thrown
    /// ```
    /// Any thread may read and write; if the class belongs to an actor, access it from that actor. Calls block until
    /// they are done. The object itself never changes: a class whose other properties are `Sendable` constants may be
    /// declared `@unchecked Sendable`. The compiler can't prove this, because a wrapped property is a `var`.
    ///
    /// Without `key` the first use finds the name by looking through the object's properties, once for each. Give a
    /// `key` if other threads write to other properties without a lock, or if an `unowned` property may refer to a
    /// released object.
    @propertyWrapper
    public struct BoxedProperty<Owner: DataBoxOwner, Value: Sendable> {
        private let scope: BoxScope
        private let user: KeyPath<Owner, String?>?
        private let key: PropertyKey<Value>
        private let defaultValue: Value

        /// Makes a property that is `nil` while nothing is stored.
        public init<Wrapped: Codable & Sendable>(
            _ scope: BoxScope, key: String? = nil, per user: KeyPath<Owner, String?>? = nil
        ) where Value == Wrapped? {
            self.init(scope, user, PropertyKey(key) { Key<Wrapped?>($0) }, nil)
        }

        /// Makes a property that reads as its initial value while nothing is stored.
        public init(
            wrappedValue: Value, _ scope: BoxScope, key: String? = nil, per user: KeyPath<Owner, String?>? = nil
        ) where Value: Codable {
            self.init(scope, user, PropertyKey(key) { Key<Value>($0, default: wrappedValue) }, wrappedValue)
        }

        private init(
            _ scope: BoxScope, _ user: KeyPath<Owner, String?>?, _ key: PropertyKey<Value>, _ defaultValue: Value
        ) {
            self.scope = scope
            self.user = user
            self.key = key
            self.defaultValue = defaultValue
        }

        /// Returns the access to the value for the user of this moment. The access keeps referring to that user.
        private func access(_ owner: Owner) -> StoredAccess<Value, Compartment> {
            let box = owner.dataBox
            let compartment =
                user.map { box.compartment(Owner.dataBoxName, scope, per: owner[keyPath: $0]) }
                ?? box.compartment(Owner.dataBoxName, scope)
            return StoredAccess(compartment, key.found(in: owner))
        }

        public static subscript(
            _enclosingInstance owner: Owner, wrapped wrapped: ReferenceWritableKeyPath<Owner, Value>,
            storage storage: ReferenceWritableKeyPath<Owner, Self>
        ) -> Value {
            get {
                let property = owner[keyPath: storage]
                return property.access(owner).valueOrDefault(property.defaultValue)
            }
            set { owner[keyPath: storage].access(owner).setOrRecord(newValue) }
        }

        public static subscript(
            _enclosingInstance owner: Owner, projected projected: KeyPath<Owner, StoredAccess<Value, Compartment>>,
            storage storage: ReferenceWritableKeyPath<Owner, Self>
        ) -> StoredAccess<Value, Compartment> {
            owner[keyPath: storage].access(owner)
        }

        @available(*, unavailable, message: "@Boxed is for properties of classes; see @Stored")
        public var wrappedValue: Value {
            get { defaultValue }
            nonmutating set {}
        }

        @available(*, unavailable, message: "@Boxed is for properties of classes; see @Stored")
        public var projectedValue: StoredAccess<Value, Compartment> {
            preconditionFailure("a struct has no such property")
        }
    }

    extension BoxedProperty: NamedProperty {
        var identity: AnyObject { key }
    }

    /// The key of a property: given, or the property's name, which is searched for once.
    final class PropertyKey<Value: Sendable>: Sendable {
        private let known: Locked<Key<Value>?>
        private let make: @Sendable (String) -> Key<Value>

        init(_ name: String?, _ make: @escaping @Sendable (String) -> Key<Value>) {
            known = Locked(name.map(make))
            self.make = make
        }

        /// Returns the key, or finds the property's name. Swift does not tell a property wrapper its name. A mirror of
        /// its object lists the stored properties by name, and this one is recognized by identity. The result is
        /// `.invalidArgument` if the mirror does not list it.
        func found(in owner: AnyObject) -> Result<Key<Value>, StorageError> {
            if let key = known.withLock({ $0 }) { return .success(key) }
            guard let name = search(owner) else {
                return .failure(
                    StorageError(.invalidArgument, "the name of a stored property can't be found: give it a key"))
            }
            let key = make(name)
            known.withLock { $0 = key }
            return .success(key)
        }

        private func search(_ owner: AnyObject) -> String? {
            var mirror: Mirror? = Mirror(reflecting: owner)
            while let current = mirror {
                for (label, value) in current.children {
                    guard let property = value as? any NamedProperty, property.identity === self else { continue }
                    // The storage has the property's name with an underscore before it.
                    return label.map { String($0.dropFirst()) }
                }
                mirror = current.superclassMirror
            }
            return nil
        }
    }

    protocol NamedProperty {
        /// The object that identifies the property among those of its object.
        var identity: AnyObject { get }
    }
#endif
