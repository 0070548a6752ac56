// What the plugin ManagedObjectClasses runs in a build:
//
//     managed-object-classes MODULE CODE MODELS FILE...
//
// reads the target's models and sources (FILE...), writes Swift code to the file CODE and the compiled models into the folder
// MODELS. Problems go to standard error in the compiler's form.

import Foundation
import ManagedObjectGenerator

func run(_ arguments: [String]) throws -> [GeneratorProblem] {
    guard arguments.count >= 3 else {
        return [GeneratorProblem(message: "usage: managed-object-classes MODULE CODE MODELS FILE...")]
    }
    let files = arguments.dropFirst(3).map { URL(fileURLWithPath: $0) }
    var declarations = TargetDeclarations(module: arguments[0])
    for file in files where file.pathExtension == "swift" {
        let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        declarations.add(SourceDeclarations(scanning: text, file: file.path))
    }
    let generator = ManagedObjectGenerator(declarations)
    let models = try files.filter { $0.pathExtension.hasPrefix("xcdatamodel") }
        .map(ModelSource.init(readingContentsOf:))
    let output = generator.output(models: models.compactMap(\.current))
    let problems = ModelSource.problems(ofNamesIn: models) + models.flatMap(\.problems) + output.problems
    if !problems.isEmpty { return problems + output.warnings }
    let folder = URL(fileURLWithPath: arguments[2])
    for model in models {
        try model.compile(to: folder.appendingPathComponent(model.compiledName), className: generator.className)
    }
    try Data(output.code.utf8).write(to: URL(fileURLWithPath: arguments[1]), options: .atomic)
    return output.warnings
}

do {
    let problems = try run(Array(CommandLine.arguments.dropFirst()))
    for problem in problems { FileHandle.standardError.write(Data("\(problem)\n".utf8)) }
    exit(problems.allSatisfy(\.isWarning) ? 0 : 1)
} catch let problem as GeneratorProblem {
    FileHandle.standardError.write(Data("\(problem)\n".utf8))
    exit(1)
} catch {
    FileHandle.standardError.write(Data("error: \(error)\n".utf8))
    exit(1)
}
