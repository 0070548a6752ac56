// Version hashes: the published vectors, and what does and doesn't count. RealModelTests has the real models.

import CoreData
import Foundation
import Testing

@Suite struct VersionHashTests {
    private func hex(_ data: Data) -> String {
        data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private func hash(_ contents: String) throws -> Data {
        try sourceModel("<entity name='E'>\(contents)</entity>").entities[0].versionHash
    }

    // MARK: Vectors

    @Test func `a small entity has the hash that Core Data gives it`() throws {
        let model = try sourceModel(
            """
            <entity name="User"><attribute name="petName" optional="YES" attributeType="String"/>
                <attribute name="name" attributeType="String"/></entity>
            """)
        let user = model.entities[0]
        #expect(
            hex(user.attributesByName["name"]?.versionHash ?? Data())
                == "8cb9965c0031ac68913984f3110941ad965395be9fd9b17de7be54bc7ad46890")
        #expect(
            hex(user.attributesByName["petName"]?.versionHash ?? Data())
                == "3600ceedf50b080f90041365395158784f0deb03bc9acddf1cad607c4fe50742")
        #expect(hex(user.versionHash) == "6b31f4e97b691d16c4c820bae55f89408d47013bd42151ecfde1eac7fe4be798")
    }

    @Test(
        .needsReferenceData,
        arguments: [
            ("Car", "color", "4c5a2f234a304318aa3d8d4d398522b96880c00070e098b99fd56eafa93b0a8d"),
            ("Car", "maker", "90c113bed40ca1d5742090180f16a1e4f9d3cfe55c46ee357961709dc3042199"),
            ("Car", "owner", "de1c089788a726f3fe40c12bfbf0f4d48833e8afa94bf16d82bf8dec1f49ef0d"),
            (
                "ExpensiveSportCar", "isLimitedEdition",
                "4305a83c4a3b757c70f6a90b5db337da52558e41346cd5eba5b574e6d94b7702"
            ),
            ("Person", "id", "3f41bba0910aa0eeb185058d518a6415630c2839c3b12a0287d912205b2de797"),
            ("Person", "cars", "3c620a49254a65e4fdd1816f9dcb43be5310e63cd52f762a262a9831a688f86f"),
            ("Car", nil, "9e555529072158220d1bacd2f80a3dad4919f74a32aa8be9ee22a6a7b4126c8f"),
            ("ExpensiveSportCar", nil, "3dc7e32b1be45b5a4c795ac9af3e1d10aa7222d3c69ae805bbeb4408bdeba480"),
            ("Person", nil, "164268551b45108ae763aa2ba61ff32d32d32323850987c3e21607c8da44b72b"),
            ("SportCar", nil, "514ec1907a568299f9fb6851106516136f0755f45fa53a823a0e4d44013d5313"),
        ])
    func `the worked example has its hashes`(_ entity: String, _ property: String?, _ expected: String) throws {
        let model = try ModelTestData.model("CoreDataPlus-SampleModel/SampleModel.xcdatamodeld/SampleModel.xcdatamodel")
        let found = try #require(model.entitiesByName[entity])
        let hash = try property.map { try #require(found.propertiesByName[$0]).versionHash } ?? found.versionHash
        #expect(hex(hash) == expected)
    }

    @Test(.needsReferenceData) func `the worked example has its digest`() throws {
        let model = try ModelTestData.model("CoreDataPlus-SampleModel/SampleModel.xcdatamodeld/SampleModel.xcdatamodel")
        #expect(
            model.versionHashesDigest
                == "fACvwxty0QWritKFX3/LTtXZvI64UnFcRtP6qcjW1Yl0owr+rH+SpCvzy/uDYRpknMXbgacd3srn9wmE2KkL8Q==")
    }

    // MARK: What counts

    private static let plain = "<attribute name='a' attributeType='String'/>"

    @Test(arguments: [
        "<attribute name='b' attributeType='String'/>", "<attribute name='a' attributeType='Date'/>",
        "<attribute name='a' attributeType='String' optional='YES'/>",
        "<attribute name='a' attributeType='String' versionHashModifier='x'/>",
        "<attribute name='a' attributeType='String' preserveAfterDeletion='YES'/>",
        "\(plain)<attribute name='b' attributeType='String'/>",
        "\(plain)<relationship name='r' toMany='YES' destinationEntity='E'/>",
        "\(plain)<uniquenessConstraints><uniquenessConstraint><constraint value='a'/></uniquenessConstraint></uniquenessConstraints>",
    ])
    func `what a store depends on changes the hash`(_ contents: String) throws {
        #expect(try hash(contents) != hash(Self.plain))
    }

    @Test(arguments: [
        "<attribute name='a' attributeType='String' defaultValueString='x'/>",
        "<attribute name='a' attributeType='String' minValueString='1'/>",
        "<attribute name='a' attributeType='String' elementID='z' indexed='YES'/>",
        "<attribute name='a' attributeType='String'><userInfo><entry key='k' value='v'/></userInfo></attribute>",
        "\(plain)<attribute name='t' transient='YES'/><userInfo><entry key='k' value='v'/></userInfo>",
        "<fetchedProperty name='f'/>\(plain)",
    ])
    func `what a store doesn't depend on leaves the hash`(_ contents: String) throws {
        #expect(try hash(contents) == hash(Self.plain))
    }

    @Test func `the class, the renaming identifier and the order of constraints don't count`() throws {
        func model(_ entity: String, _ first: String, _ second: String) throws -> NSManagedObjectModel {
            try sourceModel(
                """
                <entity name='E' \(entity)><attribute name='a' attributeType='String'/><attribute name='b'
                attributeType='String'/><uniquenessConstraints><uniquenessConstraint><constraint value='\(first)'/>
                </uniquenessConstraint><uniquenessConstraint><constraint value='\(second)'/></uniquenessConstraint>
                </uniquenessConstraints></entity>
                """)
        }
        let plain = try model("", "a", "b").entityVersionHashesByName
        #expect(try model("representedClassName='X' elementID='Y'", "b", "a").entityVersionHashesByName == plain)
        #expect(try model("isAbstract='YES'", "a", "b").entityVersionHashesByName != plain)
        #expect(try model("versionHashModifier='x'", "a", "b").entityVersionHashesByName != plain)
    }

    @Test func `the largest integer as a maximum is hashed like the -1 that archives have`() throws {
        let model = try sourceModel(
            "<entity name='E'><relationship name='r' toMany='YES' destinationEntity='E'/></entity>")
        let relationship = try #require(model.entities[0].relationshipsByName["r"])
        relationship.maxCount = .max
        let hash = relationship.versionHash
        let again = try NSManagedObjectModel(archive: model.archived())
        #expect(again.entities[0].relationshipsByName["r"]?.maxCount == .max)
        #expect(again.entities[0].relationshipsByName["r"]?.versionHash == hash)
    }

    // MARK: Derived attributes

    @Test func `the hash of a derived attribute's entity is taken from elsewhere and fits any until then`() throws {
        let source = """
            <entity name='Base'><attribute name='d' attributeType='Date' derived='YES' derivationExpression='now()'/></entity>
            <entity name='Sub' parentEntity='Base'/><entity name='Other'/>
            """
        let model = try sourceModel(source)
        let hashes = model.entityVersionHashesByName
        #expect(model.entities.map(\.hasComputableVersionHash) == [false, false, true])
        let stored = ["Base": Data([1]), "Sub": Data([2]), "Other": hashes["Other"] ?? Data()]
        let metadata = ["NSStoreModelVersionHashes": stored]
        #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
        model.adoptVersionHashes(fromStoreMetadata: metadata)
        #expect(model.entityVersionHashesByName == stored)
        var foreign = stored
        foreign["Other"] = Data([3])
        #expect(
            !model.isConfiguration(withName: nil, compatibleWithStoreMetadata: ["NSStoreModelVersionHashes": foreign]))
        foreign = stored
        foreign["Base"] = nil
        #expect(
            !model.isConfiguration(withName: nil, compatibleWithStoreMetadata: ["NSStoreModelVersionHashes": foreign]))
    }

    @Test func `a configuration fits a store of its entities`() throws {
        let model = try sourceModel(
            "<entity name='A'/><entity name='B'/><configuration name='Local'><memberEntity name='B'/></configuration>")
        let metadata = ["NSStoreModelVersionHashes": ["B": model.entityVersionHashesByName["B"] ?? Data()]]
        #expect(model.isConfiguration(withName: "Local", compatibleWithStoreMetadata: metadata))
        #expect(!model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
        #expect(!model.isConfiguration(withName: "Remote", compatibleWithStoreMetadata: metadata))
        #expect(!model.isConfiguration(withName: nil, compatibleWithStoreMetadata: [:]))
    }
}
