// `import Groot` has always been enough: it shows Core Data, and the calls on ValueTransformer are Graft's.

@_exported public import CoreData
@_exported public import Foundation
@_exported public import Graft
