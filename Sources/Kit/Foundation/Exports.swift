@_exported public import Shale
