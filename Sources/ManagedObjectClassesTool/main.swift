// What the plugin ManagedObjectClasses runs in a build:
//
//     managed-object-classes MODULE CODE MODELS FILE...
//
// reads the target's models and sources (FILE...), writes Swift code to the file CODE and the compiled models into the folder
// MODELS. Problems go to standard error in the compiler's form.

import CoreData
import Foundation
import ManagedObjectGenerator
import ManagedObjectSources

func run(_ arguments: [String]) throws -> [GeneratorProblem] {
    guard arguments.count >= 3 else {
        return [GeneratorProblem(message: "usage: managed-object-classes MODULE CODE MODELS FILE...")]
    }
    let files = arguments.dropFirst(3).map { URL(fileURLWithPath: $0) }
    var declarations = TargetDeclarations(module: arguments[0])
    for file in files where file.pathExtension == "swift" {
        declarations.read(try String(contentsOf: file, encoding: .utf8), file: file.path)
    }
    let generator = ManagedObjectGenerator(declarations)
    let sources = try files.filter { $0.pathExtension.hasPrefix("xcdatamodel") }
        .map(ModelSource.init(readingContentsOf:))
    let output = generator.output(models: sources.compactMap(\.current))
    if !output.problems.isEmpty { return output.problems }
    let folder = URL(fileURLWithPath: arguments[2])
    for source in sources {
        for version in source.versions { generator.nameClasses(of: version.model) }
        try source.compile(to: folder.appendingPathComponent(source.compiledName))
    }
    try Data(output.code.utf8).write(to: URL(fileURLWithPath: arguments[1]), options: .atomic)
    return []
}

do {
    let problems = try run(Array(CommandLine.arguments.dropFirst()))
    for problem in problems { FileHandle.standardError.write(Data("\(problem)\n".utf8)) }
    exit(problems.isEmpty ? 0 : 1)
} catch {
    FileHandle.standardError.write(Data("error: \(error)\n".utf8))
    exit(1)
}
