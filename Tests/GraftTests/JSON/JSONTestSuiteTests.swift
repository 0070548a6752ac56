// JSONTestSuite (github.com/nst/JSONTestSuite): what a JSON reader has to accept and to reject, file by file.

import Foundation
import Testing

@testable import Graft

@Suite(.needsReferenceData) struct JSONTestSuiteTests {
    @Test(arguments: Delivery.allCases)
    func `every valid text is accepted`(_ delivery: Delivery) throws {
        let files = try Self.files("y_")
        #expect(files.count > 90)
        for file in files {
            #expect(throws: Never.self, "\(file.lastPathComponent)") { try Self.read(file, delivery) }
        }
    }

    @Test(arguments: Delivery.allCases)
    func `every invalid text is rejected with its place`(_ delivery: Delivery) throws {
        let files = try Self.files("n_")
        #expect(files.count > 180)
        for file in files {
            let error = #expect(throws: GraftError.self, "\(file.lastPathComponent)") {
                try Self.read(file, delivery)
            }
            #expect(error?.place.line != nil, "\(file.lastPathComponent)")
            #expect(error?.place.column != nil, "\(file.lastPathComponent)")
        }
    }

    @Test func `a text that may be either has the same result in memory and in chunks`() throws {
        let files = try Self.files("i_")
        #expect(files.count > 30)
        for file in files {
            let results = Delivery.allCases.map { delivery in
                Result { try Self.read(file, delivery) }.mapError { $0 as? GraftError ?? GraftError(.cancelled) }
            }
            for result in results { #expect(result == results[0], "\(file.lastPathComponent)") }
        }
    }

    private static func files(_ prefix: String) throws -> [URL] {
        var folder = URL(filePath: #filePath).deletingLastPathComponent()
        while !FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path) {
            try #require(folder.path != "/")
            folder.deleteLastPathComponent()
        }
        let suite = folder.appending(path: "../shared/data/json-test-suite/test_parsing").standardizedFileURL
        let names = try FileManager.default.contentsOfDirectory(atPath: suite.path).sorted()
        return names.filter { $0.hasPrefix(prefix) }.map { suite.appending(path: $0) }
    }

    @discardableResult
    private static func read(_ file: URL, _ delivery: Delivery) throws -> [String] {
        var reader = delivery.reader(Array(try Data(contentsOf: file)))
        return try tokens(of: &reader)
    }
}
