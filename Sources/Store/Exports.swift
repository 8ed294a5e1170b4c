// Errors, ranges, durability, statistics and the raw engine belong to this module's interface.
@_exported public import ShaleEngine
