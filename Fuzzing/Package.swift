// swift-tools-version: 6.2
import PackageDescription

/// Coverage for libFuzzer and AddressSanitizer, in every module: what isn't instrumented isn't explored.
let instrumented: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .strictMemorySafety(),
    .unsafeFlags(["-sanitize=fuzzer,address"]),
]

// A package of its own, because all of it is built with sanitizers. The library's sources are compiled into it: their folders
// are links. `scripts/fuzz` links libFuzzer, which has its own `main`.
let package = Package(
    name: "Fuzzing",
    platforms: [.macOS(.v15)],
    products: [.library(name: "Fuzzer", type: .static, targets: ["Fuzzer"])],
    dependencies: [.package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0")],
    targets: [
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "CClassNames"),
        .target(name: "CTryRetain"),
        .target(name: "ModelDocuments", swiftSettings: instrumented),
        .target(
            name: "CoreData",
            dependencies: [
                "CClassNames", "CTryRetain", "CZlib", "ModelDocuments",
                .product(name: "GRDB", package: "GRDB.swift"), .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: instrumented),
        .target(name: "Graft", dependencies: ["CoreData"], swiftSettings: instrumented),
        .target(name: "FuzzTargets", dependencies: ["CoreData", "Graft"], swiftSettings: instrumented),
        .target(name: "Fuzzer", dependencies: ["FuzzTargets"], swiftSettings: instrumented),
    ],
    swiftLanguageModes: [.v6]
)
