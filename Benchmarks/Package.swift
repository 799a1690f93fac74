// swift-tools-version: 6.2
import PackageDescription

/// Measurements of Calotype, in a package of their own, so that users never resolve what only benchmarks need.
///
///     swift run -c release calotype-benchmarks [--json] [--rounds N] [NAME-PREFIX]
let swift: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "CalotypeBenchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Calotype", path: "..")],
  targets: [
    .target(name: "BenchmarkHarness", swiftSettings: swift),
    .executableTarget(
      name: "calotype-benchmarks",
      dependencies: [
        "BenchmarkHarness", .product(name: "CalotypeImaging", package: "Calotype"),
      ],
      path: "Sources/CalotypeBenchmarks", swiftSettings: swift),
  ]
)
