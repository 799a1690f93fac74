// swift-tools-version: 6.2
import PackageDescription

/// The image server of Calotype, in a package of its own, so that users of Calotype never resolve a web server.
///
/// A target uses targets of the lines below its own, never of those above.
///
///     CalotypeAdmission   CalotypeResults
let swift: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "CalotypeServer",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "CalotypeAdmission", targets: ["CalotypeAdmission"]),
    .library(name: "CalotypeResults", targets: ["CalotypeResults"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0")
  ],
  targets: [
    // Decides which work runs now, waits or is refused, by predicted cost: needs no other target.
    .target(name: "CalotypeAdmission", swiftSettings: swift),
    // Failures, purges and header fields of responses, as values.
    .target(
      name: "CalotypeResults", dependencies: [.product(name: "HTTPTypes", package: "swift-http-types")],
      swiftSettings: swift),

    // Random numbers that are the same each time.
    .target(name: "SeededNumbers", path: "Tests/Helpers/SeededNumbers", swiftSettings: swift),
    .testTarget(
      name: "CalotypeAdmissionTests", dependencies: ["CalotypeAdmission", "SeededNumbers"],
      swiftSettings: swift),
    .testTarget(
      name: "CalotypeResultsTests",
      dependencies: [
        "CalotypeResults", "SeededNumbers", .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      swiftSettings: swift),
  ]
)
