// swift-tools-version: 6.2
import PackageDescription

/// Measurements of Calotype, in a package of their own, so that users never resolve what only benchmarks need.
///
///     make bench [NAME=PREFIX]
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
  dependencies: [.package(name: "Calotype", path: "..", traits: ["AVIF", "HEIF", "JXL", "SVG", "TIFF"])],
  targets: [
    .systemLibrary(name: "CSPNG", providers: [.apt(["libspng-dev"])]),
    .systemLibrary(name: "CTurboJPEG", providers: [.apt(["libturbojpeg0-dev"])]),
    .systemLibrary(name: "CLibWebP", providers: [.apt(["libwebp-dev"])]),
    .systemLibrary(name: "CGIFLib", providers: [.apt(["libgif-dev"])]),
    .target(name: "BenchmarkHarness", swiftSettings: swift),
    .executableTarget(
      name: "calotype-benchmarks",
      dependencies: [
        "BenchmarkHarness", "CSPNG", "CTurboJPEG", "CLibWebP", "CGIFLib",
        .product(name: "Calotype", package: "Calotype"),
        .product(name: "CalotypeImaging", package: "Calotype"),
        .product(name: "CalotypeIsolation", package: "Calotype"),
        .product(name: "CalotypeCaching", package: "Calotype"),
        .product(name: "CalotypeTestKit", package: "Calotype"),
      ],
      path: "Sources/CalotypeBenchmarks", swiftSettings: swift),
    // Started by the benchmarks of loading.
    .executableTarget(
      name: "calotype-transfers",
      dependencies: ["BenchmarkHarness", .product(name: "CalotypeLoading", package: "Calotype")],
      path: "Sources/CalotypeTransfers", swiftSettings: swift),
    // Not a measurement, but in need of the same servers: make soak.
    .executableTarget(
      name: "calotype-soak",
      dependencies: [
        "BenchmarkHarness", .product(name: "Calotype", package: "Calotype"),
        .product(name: "CalotypeLoading", package: "Calotype"),
        .product(name: "CalotypeCaching", package: "Calotype"),
        .product(name: "CalotypeTestKit", package: "Calotype"),
      ],
      path: "Sources/CalotypeSoak", swiftSettings: swift),
  ]
)
