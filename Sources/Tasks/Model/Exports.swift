// Points in time are part of what a task is.
@_exported public import struct TextCoding.PointInTime