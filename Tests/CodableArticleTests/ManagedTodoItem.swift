// The same classes without any code, over Graft.

import CoreData
import Foundation
import Graft

class ManagedTodoItem: NSManagedObject, ManagedCodable {}

class ManagedTodoCompletion: NSManagedObject, ManagedCodable {}
