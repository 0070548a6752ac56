// swift-tools-version: 6.2
import PackageDescription

// A Core Data app as a tutorial has it, on the command line. The plugin is all that it needs on Linux; on Apple's platforms
// `import CoreData` is Apple's.
let package = Package(
    name: "Todo",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "graft", path: "../..")],
    targets: [
        .executableTarget(
            name: "Todo",
            dependencies: [.product(name: "CoreData", package: "graft", condition: .when(platforms: [.linux]))],
            plugins: [.plugin(name: "ManagedObjectClasses", package: "graft")]
        )
    ],
    swiftLanguageModes: [.v6]
)
