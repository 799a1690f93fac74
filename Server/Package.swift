// swift-tools-version: 6.2
import PackageDescription

/// The image server of Calotype, in a package of its own, so that users of Calotype never resolve a web server.
///
/// A target uses targets of the lines below its own, never of those above.
///
///     CalotypeSettings
///     CalotypeURLs (the package above)
let swift: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

let urls: [Target.Dependency] = [.product(name: "CalotypeURLs", package: "Calotype")]

let package = Package(
  name: "CalotypeServer",
  platforms: [.macOS(.v15)],
  products: [.library(name: "CalotypeSettings", targets: ["CalotypeSettings"])],
  dependencies: [.package(name: "Calotype", path: "..")],
  targets: [
    // The settings of the server: one table, from which the loader, the help and the documentation are made.
    .target(name: "CalotypeSettings", dependencies: urls, swiftSettings: swift),

    .testTarget(
      name: "CalotypeSettingsTests", dependencies: urls + ["CalotypeSettings"], swiftSettings: swift),
  ]
)
