// `import CoreData` also shows Foundation, as it does on Apple's platforms.

@_exported public import Foundation
