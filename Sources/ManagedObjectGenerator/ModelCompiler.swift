// From a model's source to the form that programs load. Xcode's compiler makes keyed archives; to make them takes all of the
// runtime's model classes, which would have to be built for the build tool alone. So a version is its source's XML, with
// the classes' modules in it, in a file `.mom`; the runtime tells the two by their first bytes
// (Sources/CoreData/Model/Reading/NSManagedObjectModel+Reading.swift).

package import Foundation
package import ModelDocuments

/// A model's source: an `.xcdatamodeld` or `.xcdatamodel` folder.
package struct ModelSource {
    package let url: URL
    /// By name of the version.
    private let versions: [(name: String, root: XMLElementNode)]
    private let currentName: String

    /// The current version.
    package var current: ModelOutline? { versions.first { $0.name == currentName }.map { ModelOutline($0.root) } }

    /// Reads all versions.
    ///
    /// - Throws: What is wrong, and where.
    package init(readingContentsOf url: URL) throws {
        self.url = url
        let name = url.deletingPathExtension().lastPathComponent
        guard url.pathExtension == "xcdatamodeld" else {
            versions = [(name, try Self.root(of: url))]
            currentName = name
            return
        }
        let folders = try FileManager.default.contentsOfDirectory(atPath: url.path)
            .filter { $0.hasSuffix(".xcdatamodel") }.sorted()
        versions = try folders.map { folder in
            (String(folder.dropLast(".xcdatamodel".count)), try Self.root(of: url.appendingPathComponent(folder)))
        }
        let pointer = url.appendingPathComponent(".xccurrentversion")
        guard FileManager.default.fileExists(atPath: pointer.path) else {
            guard versions.count == 1 else {
                throw GeneratorProblem(
                    message:
                        "\(url.lastPathComponent) has \(versions.count) versions and no .xccurrentversion. Choose the "
                        + "current version in the model editor.")
            }
            currentName = versions[0].name
            return
        }
        let list = try unsafe PropertyListSerialization.propertyList(from: Data(contentsOf: pointer), format: nil)
        let current = (list as? [String: Any])?["_XCCurrentVersionName"] as? String ?? ""
        currentName = current.hasSuffix(".xcdatamodel") ? String(current.dropLast(".xcdatamodel".count)) : current
        guard versions.contains(where: { $0.name == currentName }) else {
            throw GeneratorProblem(
                message: "\(url.lastPathComponent)'s current version is '\(current)', which isn't there. It has: "
                    + "\(folders.joined(separator: ", ")). Choose one in the model editor.")
        }
    }

    private static func root(of version: URL) throws -> XMLElementNode {
        let contents = version.appendingPathComponent("contents")
        let bytes: Data
        do {
            bytes = try Data(contentsOf: contents)
        } catch {
            throw GeneratorProblem(
                message: "\(version.lastPathComponent) has no contents that can be read")
        }
        do throws(XMLDamage) {
            let root = try XMLElementNode.root(of: bytes)
            if root.name == "model" { return root }
            throw XMLDamage(line: root.line, column: 1, reason: "the document is no model, but <\(root.name)>")
        } catch {
            let place = SourcePlace(file: contents.path, line: error.line, column: error.column)
            throw GeneratorProblem(place: place, message: "\(error.reason). Repair the XML, or restore the file.")
        }
    }

    /// What code can't be made from, or no program can load: entities and types that aren't there, and inverses that don't fit. The
    /// runtime checks the rest when it reads the model.
    package var problems: [GeneratorProblem] {
        versions.flatMap { version -> [GeneratorProblem] in
            let folder =
                url.pathExtension == "xcdatamodeld" ? url.appendingPathComponent("\(version.name).xcdatamodel") : url
            let file = folder.appendingPathComponent("contents").path
            return Self.problems(of: version.root).map { line, message in
                GeneratorProblem(place: SourcePlace(file: file, line: line, column: 1), message: message)
            }
        }
    }

    private static func problems(of root: XMLElementNode) -> [(line: Int, message: String)] {
        let outline = ModelOutline(root)
        let inverses = InverseCheck(root)
        var problems: [(Int, String)] = []
        for element in root.children(named: "entity") {
            let name = element["name"] ?? ""
            if name.isEmpty { problems.append((element.line, "an entity has no name. Give it one.")) }
            if let parent = element["parentEntity"], outline.entity(named: parent) == nil {
                problems.append(
                    (element.line, "the parent of entity '\(name)' is '\(parent)', which the model doesn't have."))
            }
            for child in element.children {
                let what = "\(name).\(child["name"] ?? "")"
                if let target = child["destinationEntity"], outline.entity(named: target) == nil {
                    problems.append((child.line, "\(what) leads to '\(target)', which the model doesn't have."))
                } else if child.name == "relationship", let problem = inverses.problem(of: child) {
                    problems.append((child.line, "\(what): \(problem)"))
                }
                if child.name == "attribute", let type = child["attributeType"], !type.isEmpty,
                    AttributeTypeName(rawValue: type) == nil
                {
                    problems.append((child.line, "\(what) has the type '\(type)', which there isn't."))
                }
            }
        }
        return problems
    }

    /// Models that would be compiled into one file or folder, so that one would replace another.
    package static func problems(ofNamesIn models: [ModelSource]) -> [GeneratorProblem] {
        var first: [String: URL] = [:]
        return models.compactMap { model in
            guard let other = first.updateValue(model.url, forKey: model.compiledName) else { return nil }
            return GeneratorProblem(
                message: "\(other.path) and \(model.url.path) are models of one name, and the program can have one "
                    + "\(model.compiledName). Rename one of them.")
        }
    }

    /// The name of the compiled model.
    package var compiledName: String {
        let name = url.deletingPathExtension().lastPathComponent
        return url.pathExtension == "xcdatamodeld" ? "\(name).momd" : "\(name).mom"
    }

    /// Writes the compiled model: a `.momd` folder with the versions and `VersionInfo.plist`, or a `.mom` file.
    ///
    /// - Parameters:
    ///   - output: The folder or file.
    ///   - className: The class by which the program finds an entity's objects.
    /// - Throws: The file system's error.
    package func compile(to output: URL, className: (EntityOutline) -> String) throws {
        for element in versions.flatMap({ $0.root.children(named: "entity") }) {
            element["representedClassName"] = className(EntityOutline(element))
        }
        guard url.pathExtension == "xcdatamodeld" else {
            return try Data(versions[0].root.document.utf8).write(to: output, options: .atomic)
        }
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        let wanted = Set(versions.map { "\($0.name).mom" } + ["VersionInfo.plist"])
        for name in try FileManager.default.contentsOfDirectory(atPath: output.path) where !wanted.contains(name) {
            try FileManager.default.removeItem(at: output.appendingPathComponent(name))
        }
        for (name, root) in versions {
            let file = output.appendingPathComponent("\(name).mom")
            try Data(root.document.utf8).write(to: file, options: .atomic)
        }
        // No version hashes: the runtime computes them from the models.
        let info = ["NSManagedObjectModel_CurrentVersionName": currentName]
        try PropertyListSerialization.data(fromPropertyList: info, format: .xml, options: 0)
            .write(to: output.appendingPathComponent("VersionInfo.plist"), options: .atomic)
    }
}
