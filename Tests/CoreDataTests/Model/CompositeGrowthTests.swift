// Composite types in a model's source may name each other, and each use of one is read anew: thirty of them with two elements each would be
// a thousand million attributes.

import CoreData
import Testing

@Suite struct CompositeGrowthTests {
    @Test func `composite types that double with each level are an error before they are made`() throws {
        let depth = 15
        var source =
            "<entity name='E'><attribute name='v' attributeType='Composite' composite='C0' optional='YES'/></entity>"
        for level in 0..<depth {
            let elements = ["a", "b"].map {
                "<attribute name='\($0)' optional='YES' attributeType='Composite' composite='C\(level + 1)'/>"
            }
            source += "<composite name='C\(level)'>\(elements.joined())</composite>"
        }
        source += "<composite name='C\(depth)'><attribute name='x' optional='YES' attributeType='String'/></composite>"
        // 32,768 elements of 4 KB of text; no table has room for more than 2000 columns.
        #expect(throws: ModelError.self) { try sourceModel(source) }
    }

    @Test func `composite attributes deeper than what is stored are an error, however a model is made`() throws {
        func problems(_ depth: Int) throws -> String? {
            var attribute: NSAttributeDescription = LibraryModel.attribute("x", .stringAttributeType)
            for level in 0..<depth {
                let composite = NSCompositeAttributeDescription()
                composite.name = "c\(level)"
                composite.elements = [attribute]
                attribute = composite
            }
            let entity = NSEntityDescription()
            entity.name = "E"
            entity.properties = [attribute]
            let model = NSManagedObjectModel()
            model.entities = [entity]
            do {
                _ = try Library(.inMemory, model: model)
                return nil
            } catch let error as ModelError {
                return "\(error)"
            }
        }
        #expect(try problems(32) == nil)
        #expect(try problems(33)?.contains("contains itself, or is one of more than 32") == true)
    }
}
