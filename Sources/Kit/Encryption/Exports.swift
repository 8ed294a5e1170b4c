// The store and its errors belong to this module's interface.
@_exported public import Shale
