import CoreData
import Testing

@Suite struct MigrationErrorTests {
    // As an app on iOS 10 was told (Seam3, issue 28).
    @Test func `a new mandatory attribute without a default throws 134110, and says which underneath`() throws {
        let store = try MigratingStore(TestModel.heroes()) { _ = $0.insert("Team", ["name": "first"]) }
        let model = try TestModel.heroes().next {
            let email = TestModel.attribute("email", .stringAttributeType)
            email.isOptional = false
            try $0.entity("Team").properties.append(email)
        }
        let error = try store.refusal(model)
        #expect(error.code == .migration && error.localizedDescription.contains("Team.email"))
        #expect(
            error.info["reason"] as? String == "Cannot migrate store in-place: "
                + "Validation error missing attribute values on mandatory destination attribute")
        let cause = try #require(error.info[NSUnderlyingErrorKey] as? NSError)
        #expect(cause.code == NSMigrationError && cause.userInfo["entity"] as? String == "Team")
        #expect(cause.userInfo["attribute"] as? String == "email")
        let inferred = #expect(throws: CocoaError.self) {
            try NSMappingModel.inferredMappingModel(forSourceModel: TestModel.heroes(), destinationModel: model)
        }
        #expect(inferred?.code == .inferredMappingModel)
    }

    @Test func `where a type has changed, too, no mapping is inferred`() throws {
        let store = try MigratingStore(TestModel.heroes()) { _ = $0.insert("Team", ["name": "first"]) }
        let model = try TestModel.heroes().next {
            let email = TestModel.attribute("email", .stringAttributeType)
            email.isOptional = false
            try $0.entity("Team").properties.append(email)
            try $0.entity("Team").attribute("name").attributeType = .dateAttributeType
        }
        let error = try store.refusal(model)
        #expect(error.code == .migrationMissingMappingModel)
        #expect((error.info[NSUnderlyingErrorKey] as? NSError)?.code == NSInferredMappingModelError)
    }
}
