// Stores, namespaces, keys, values and errors are part of this module's interface.
@_exported public import Shale
