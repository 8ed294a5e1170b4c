// Public names of lower layers that are part of this module's interface: errors, ranges, ids, the time source.
@_exported public import ShaleBase
@_exported public import ShalePlatform
