// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .strictMemorySafety(),
]

// Apple's platforms have a Core Data of their own.
#if canImport(Darwin)
    let runtime: [Target.Dependency] = []
    let servers: [Target.Dependency] = []
    let runtimeTargets: [Target] = []
#else
    let runtime: [Target.Dependency] = ["CoreData"]
    let servers: [Target.Dependency] = [.target(name: "PostgreSQLStore", condition: .when(traits: ["PostgreSQL"]))]
    let runtimeTargets: [Target] = [
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "CClassNames"),
        .target(name: "CTryRetain"),
        .target(name: "ModelDocuments", swiftSettings: settings),
        .target(
            name: "CoreData",
            dependencies: [
                "CClassNames", "CTryRetain", "CZlib", "ModelDocuments",
                .product(name: "GRDB", package: "GRDB.swift"), .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: settings),
        .systemLibrary(name: "CPostgreSQL", providers: [.apt(["libpq-dev"])]),
        .target(
            name: "PostgreSQLStore",
            dependencies: ["CoreData", .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"]))],
            swiftSettings: settings),
    ]
#endif

// A package of its own, so that whoever uses the library builds none of this. The library's sources are compiled into it
// (their folders are links), because what is measured isn't all API: the reader and the writer of JSON are `package`.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    traits: [.trait(name: "PostgreSQL", description: "What BENCH=postgresql measures; needs libpq and its headers")],
    dependencies: [.package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0")],
    targets: runtimeTargets + [
        .target(name: "Graft", dependencies: runtime, swiftSettings: settings),
        .target(name: "Groot", dependencies: ["Graft"] + runtime, swiftSettings: settings),
        .executableTarget(
            name: "Benchmarks",
            dependencies: ["Graft", "Groot"] + runtime + servers + [
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
