// swift-tools-version: 6.2
import PackageDescription

/// The fuzz targets as one libFuzzer program: a package of its own, because only a root package may be built with
/// these flags. Built by `build.sh`, run by `run.sh`. The same targets replay the crashers in the tests of the
/// package around it.
let swift: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
  // The targets of optional formats.
  .define("AVIF"), .define("HEIF"), .define("JXL"), .define("SVG"), .define("TIFF"),
]

let package = Package(
  name: "CalotypeFuzzing",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Calotype", path: "../..", traits: ["AVIF", "HEIF", "JXL", "SVG", "TIFF"])],
  targets: [
    .target(
      name: "FuzzTargets",
      dependencies: [
        .product(name: "Calotype", package: "Calotype"),
        .product(name: "CalotypeImaging", package: "Calotype"),
        .product(name: "CalotypeIsolation", package: "Calotype"),
        .product(name: "CalotypeLibraryCoders", package: "Calotype"),
        .product(name: "CalotypeCaching", package: "Calotype"),
        .product(name: "CalotypeLoading", package: "Calotype"),
        .product(name: "CalotypeTiers", package: "Calotype"),
        .product(name: "CalotypeURLs", package: "Calotype"),
      ],
      path: "Targets",
      exclude: ["ReplayTests.swift", "JPEGCodesTests.swift", "LibraryComparisonTests.swift"],
      swiftSettings: swift),
    .target(name: "CFuzzer", path: "CFuzzer"),
    .executableTarget(
      name: "calotype-fuzz", dependencies: ["CFuzzer", "FuzzTargets"], path: "Driver", swiftSettings: swift),
  ]
)
