// What all tests share is there in each file.

@_exported public import TestSupport
