// Collections, stores, namespaces, keys and errors are part of this module's interface.
@_exported public import Shale
@_exported public import ShaleCollections
