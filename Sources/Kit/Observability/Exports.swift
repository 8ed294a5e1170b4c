// The store and its errors are part of this module's interface.
@_exported public import Shale
