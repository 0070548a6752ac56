// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .strictMemorySafety(),
]

// A package of its own, so that whoever uses the library, its plugin or its tests builds no SwiftSyntax. The scanner's sources
// are compiled into it: `Sources/ManagedObjectGenerator` is a link.
let package = Package(
    name: "SourceComparison",
    platforms: [.macOS(.v15)],
    dependencies: [.package(url: "https://github.com/swiftlang/swift-syntax", "603.0.0"..<"604.0.0")],
    targets: [
        .target(name: "ModelDocuments", swiftSettings: settings),
        .target(name: "ManagedObjectGenerator", dependencies: ["ModelDocuments"], swiftSettings: settings),
        .executableTarget(
            name: "SourceComparison",
            dependencies: [
                "ManagedObjectGenerator",
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftSyntax", package: "swift-syntax"),
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
