// swift-tools-version: 6.2
import PackageDescription

// Two clients and a server that keep one graph. The objects are used by key, so that no plugin has to build: what is synchronised is
// whatever the model has. Where there is no compiler for models, the file itself is the resource.
#if canImport(Darwin)
    let model: Resource = .process("People.xcdatamodeld")
#else
    let model: Resource = .copy("People.xcdatamodeld")
#endif

let package = Package(
    name: "Sync",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "graft", path: "../.."),
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
    ],
    targets: [
        .executableTarget(
            name: "Sync",
            dependencies: [
                .product(name: "CoreData", package: "graft", condition: .when(platforms: [.linux])),
                .product(name: "FlyingFox", package: "FlyingFox"),
                .product(name: "Graft", package: "graft"),
            ],
            resources: [model]
        )
    ],
    swiftLanguageModes: [.v6]
)
