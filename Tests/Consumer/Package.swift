// swift-tools-version: 6.2

import PackageDescription

/// A package as a user of the libraries writes it: it sees their products, and nothing else of this repository.
let package = Package(
    name: "consumer",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "haul", path: "../..")],
    targets: [
        .executableTarget(name: "Fetch", dependencies: [.product(name: "Haul", package: "haul")]),
        .executableTarget(name: "FetchFoundation", dependencies: [.product(name: "HaulFoundation", package: "haul")]),
    ]
)
