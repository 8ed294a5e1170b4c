// Errors, ranges, durability, statistics and the raw engine are part of this module's interface.
@_exported public import ShaleEngine
