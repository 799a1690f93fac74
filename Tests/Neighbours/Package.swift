// swift-tools-version: 6.2
import PackageDescription

/// A file of a server: it imports Calotype beside Hummingbird, NIO and Foundation, and names every type of ours. It does
/// not compile when one of our names is ambiguous there. A package of its own, so that users never resolve a server.
///
///     make neighbours
let package = Package(
  name: "Neighbours",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "Calotype", path: "../.."),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
  ],
  targets: [
    .target(
      name: "Neighbours",
      dependencies: [
        .product(name: "Calotype", package: "Calotype"),
        .product(name: "CalotypeDisplay", package: "Calotype"),
        .product(name: "CalotypeLibraryCoders", package: "Calotype"),
        .product(name: "CalotypeObservability", package: "Calotype"),
        .product(name: "CalotypeTestKit", package: "Calotype"),
        .product(name: "CalotypeURLs", package: "Calotype"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "_NIOFileSystem", package: "swift-nio"),
      ],
      swiftSettings: [
        .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ])
  ]
)
