// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .strictMemorySafety(),
]

// `make test-portable`: Graft's own tests on what it does where Core Data is Apple's.
let portable: [SwiftSetting] = Context.environment["GRAFT_PORTABLE"] == nil ? [] : [.define("GRAFT_PORTABLE")]

// Apple's platforms have a Core Data of their own; there `import CoreData` is Apple's and this target isn't built.
#if canImport(Darwin)
    let runtimeProducts: [Product] = []
    let runtimeTargets: [Target] = []
    let runtime: [Target.Dependency] = []
    let generator: [Target.Dependency] = []
    let generatorTool: [Target.Dependency] = []
    let servers: [Target.Dependency] = []
    let fuzzing: [Target.Dependency] = []
    let faults: [Target.Dependency] = []
#else
    let runtimeProducts: [Product] = [
        .library(name: "CoreData", targets: ["CoreData"]),
        .library(name: "PostgreSQLStore", targets: ["PostgreSQLStore"]),
    ]
    let runtime: [Target.Dependency] = ["CoreData"]
    let generator: [Target.Dependency] = ["ManagedObjectGenerator", "ModelDocuments"]
    let generatorTool: [Target.Dependency] = ["managed-object-classes"]
    let servers: [Target.Dependency] = [.target(name: "PostgreSQLStore", condition: .when(traits: ["PostgreSQL"]))]
    let fuzzing: [Target.Dependency] = ["FuzzTargets"]
    let faults: [Target.Dependency] = ["FaultyFiles"]
    let runtimeTargets: [Target] = [
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "CClassNames"),
        .target(name: "CTryRetain"),
        .target(
            name: "CoreData",
            dependencies: [
                "CClassNames",
                "CTryRetain",
                "CZlib",
                "ModelDocuments",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "CoreDataTests",
            dependencies: [
                "CoreData", "FaultyFiles", "ModelDocuments", "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
            ] + servers,
            swiftSettings: settings
        ),
        // Empty without the trait. No pkg-config: whoever doesn't ask for it would be told what is missing.
        .systemLibrary(name: "CPostgreSQL", providers: [.apt(["libpq-dev"])]),
        .target(
            name: "PostgreSQLStore",
            dependencies: [
                "CoreData", .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PostgreSQLStoreTests", dependencies: ["CoreData", "Graft", "PostgreSQLStore", "TestSupport"],
            swiftSettings: settings),
        // For tests alone: a disk that fails.
        .target(
            name: "CFaultyFiles", dependencies: [.product(name: "GRDBSQLite", package: "GRDB.swift")],
            path: "Tests/CFaultyFiles"),
        .target(
            name: "FaultyFiles", dependencies: ["CFaultyFiles"], path: "Tests/FaultyFiles", swiftSettings: settings),
        // Apart from the runtime, so that the plugin's tool is built without it.
        .target(name: "ModelDocuments", swiftSettings: settings),
        .target(name: "ManagedObjectGenerator", dependencies: ["ModelDocuments"], swiftSettings: settings),
        .executableTarget(
            name: "managed-object-classes",
            dependencies: ["ManagedObjectGenerator"],
            path: "Sources/ManagedObjectClassesTool",
            swiftSettings: settings
        ),
        .testTarget(
            name: "ManagedObjectGeneratorTests",
            dependencies: ["CoreData", "ManagedObjectGenerator", "ModelDocuments", "TestSupport"],
            swiftSettings: settings
        ),
        // What libFuzzer runs in the package `Fuzzing`, run here over what it has found.
        .target(
            name: "FuzzTargets", dependencies: ["CoreData", "Graft"], path: "Fuzzing/Sources/FuzzTargets",
            swiftSettings: settings),
        .testTarget(
            name: "FuzzingTests", dependencies: ["FuzzTargets"], exclude: ["Findings"], swiftSettings: settings),
    ]
#endif

let package = Package(
    name: "graft",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: runtimeProducts + [
        .library(name: "Graft", targets: ["Graft"]),
        .library(name: "Groot", targets: ["Groot"]),
        .executable(name: "graft", targets: ["GraftTool"]),
        .plugin(name: "ManagedObjectClasses", targets: ["ManagedObjectClasses"]),
    ],
    traits: [
        .trait(name: "PostgreSQL", description: "The store PostgreSQLStore; needs libpq and its headers")
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        // For the tests: coders other than Foundation's have to work as well.
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
    ],
    targets: runtimeTargets + [
        .target(name: "Graft", dependencies: runtime, swiftSettings: settings + portable),
        .target(name: "Groot", dependencies: ["Graft"] + runtime, swiftSettings: settings),
        .plugin(name: "ManagedObjectClasses", capability: .buildTool(), dependencies: generatorTool),
        // Named apart from the library: on a file system that ignores case, `graft` and `Graft` are one folder.
        .executableTarget(
            name: "GraftTool",
            dependencies: ["Graft", .product(name: "ArgumentParser", package: "swift-argument-parser")] + runtime
                + generator + servers,
            swiftSettings: settings
        ),
        .target(
            name: "TestSupport", dependencies: [.product(name: "GRDB", package: "GRDB.swift")],
            path: "Tests/TestSupport", swiftSettings: settings),
        .testTarget(
            name: "GraftTests",
            dependencies: ["Graft", "TestSupport", .product(name: "Yams", package: "Yams")] + runtime,
            exclude: ["Resources"],
            swiftSettings: settings + portable
        ),
        .testTarget(name: "GrootTests", dependencies: ["Groot"] + runtime, swiftSettings: settings),
        .testTarget(
            name: "ToolTests",
            dependencies: ["Graft", "GraftTool", "TestSupport", .product(name: "GRDB", package: "GRDB.swift")] + runtime
                + generator + fuzzing + faults,
            exclude: ["Resources"],
            swiftSettings: settings
        ),
        .testTarget(name: "PluginTests", dependencies: runtime, plugins: ["ManagedObjectClasses"]),
        // Without our settings: code that was written for Apple's platforms has to compile as it stands.
        .testTarget(name: "CodableArticleTests", dependencies: ["Graft"] + runtime),
        .testTarget(
            name: "ClientTests", dependencies: runtime,
            resources: [.copy("Tasks.xcdatamodeld"), .copy("Notes.xcdatamodeld")]),
    ],
    swiftLanguageModes: [.v6]
)

// `make test-postgresql` builds its own tests alone.
if let only = Context.environment["GRAFT_ONLY_TESTS"]?.split(separator: ",").map(String.init) {
    package.targets.removeAll { $0.type == .test && !only.contains($0.name) }
}
