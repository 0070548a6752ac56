// Arguments and options that are paths: each is completed as one, and means the same in every step (FilePath.swift).

import ArgumentParser

extension Argument where Value == String {
    init(path help: ArgumentHelp) { self.init(help: help, completion: .file(), transform: FilePath.plain) }
}

extension Argument where Value == String? {
    init(path help: ArgumentHelp) { self.init(help: help, completion: .file(), transform: FilePath.plain) }
}

extension Argument where Value == [String] {
    init(path help: ArgumentHelp) { self.init(help: help, completion: .file(), transform: FilePath.plain) }
}

extension Option where Value == String {
    init(name: NameSpecification = .long, path help: ArgumentHelp, completion: CompletionKind = .file()) {
        self.init(name: name, help: help, completion: completion, transform: FilePath.plain)
    }
}

extension Option where Value == String? {
    init(name: NameSpecification = .long, path help: ArgumentHelp) {
        self.init(name: name, help: help, completion: .file(), transform: FilePath.plain)
    }
}

extension Option where Value == [String] {
    init(wrappedValue: [String], path help: ArgumentHelp) {
        self.init(wrappedValue: wrappedValue, help: help, completion: .file(), transform: FilePath.plain)
    }
}
