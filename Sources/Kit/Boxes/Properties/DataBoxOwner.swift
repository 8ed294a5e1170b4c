#if Encryption
    /// A class whose properties are values of a ``DataBox``.
    ///
    /// ```swift
    /// final class Session: DataBoxOwner {
    ///     let dataBox: DataBox
    ///     @Stored(.standard) var userId: String?
    ///     @Stored(.vault, per: \.userId) var token: String?
    ///     @Stored(.standard, per: \.userId) var theme = "light"
    /// }
    /// ```
    /// See ``StoredProperty`` for what properties do, and ``BoxValue`` for structs.
    public protocol DataBoxOwner: AnyObject {
        /// The box of the properties. It must always be the same, for every thread that uses them.
        var dataBox: DataBox { get }

        /// The name of the compartments that hold the properties. Default: the name of the class. If you rename the
        /// class, return the old name here.
        static var dataBoxName: String { get }
    }

    extension DataBoxOwner {
        public static var dataBoxName: String { String(describing: Self.self) }

        /// The property wrapper of this class, written `@Stored(…)`.
        public typealias Stored<Value: Sendable> = StoredProperty<Self, Value>
    }
#endif
