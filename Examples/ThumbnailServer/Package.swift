// swift-tools-version: 6.2
import PackageDescription

/// A server of thumbnails, in a package of its own, so that users of Calotype never resolve a web server.
let package = Package(
  name: "ThumbnailServer",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "ThumbnailServer", targets: ["ThumbnailServer"])],
  dependencies: [
    .package(name: "Calotype", path: "../.."),
    .package(name: "CalotypeServer", path: "../../Server", traits: []),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
  ],
  targets: [
    .executableTarget(
      name: "ThumbnailServer",
      dependencies: [
        .product(name: "Calotype", package: "Calotype"),
        .product(name: "CalotypeObservability", package: "Calotype"),
        .product(name: "CalotypeHummingbird", package: "CalotypeServer"),
        .product(name: "Hummingbird", package: "hummingbird"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")])
  ]
)
