// The public names of the layers below belong to this module's interface: errors, ranges, ids, the time source.
@_exported public import ShaleBase
@_exported public import ShalePlatform
