@_exported import Shale
