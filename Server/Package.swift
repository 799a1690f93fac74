// swift-tools-version: 6.2
import PackageDescription

/// The image server of Calotype, in a package of its own, so that users of Calotype never resolve a web server.
///
/// A target uses targets of the lines below its own, never of those above.
///
///     calotype-conformance
///     CalotypeConformance
///     CalotypePlanning
///     Calotype (the package above)
let swift: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

let calotype: [Target.Dependency] = [
  .product(name: "CalotypeImaging", package: "Calotype"),
  .product(name: "CalotypeURLs", package: "Calotype"),
]

let package = Package(
  name: "CalotypeServer",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "CalotypePlanning", targets: ["CalotypePlanning"]),
    .library(name: "CalotypeConformance", targets: ["CalotypeConformance"]),
    .executable(name: "calotype-conformance", targets: ["calotype-conformance"]),
  ],
  dependencies: [.package(name: "Calotype", path: "..")],
  targets: [
    // Decides how a request is rendered: pure values, no input and no output.
    .target(name: "CalotypePlanning", dependencies: calotype, swiftSettings: swift),
    // Holds the parser and the planner against vectors of other servers.
    .target(
      name: "CalotypeConformance", dependencies: calotype + ["CalotypePlanning"], swiftSettings: swift),
    .executableTarget(
      name: "calotype-conformance", dependencies: ["CalotypeConformance"], swiftSettings: swift),

    .testTarget(
      name: "CalotypePlanningTests", dependencies: calotype + ["CalotypePlanning"], swiftSettings: swift),
    .testTarget(
      name: "CalotypeConformanceTests", dependencies: ["CalotypeConformance"], exclude: ["Vectors"],
      swiftSettings: swift),
  ]
)
