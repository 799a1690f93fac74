// swift-tools-version: 6.2
import PackageDescription

/// The image server of Calotype, in a package of its own, so that users of Calotype never resolve a web server.
///
/// A target uses targets of the lines below its own, never of those above.
///
///     calotype-server
///     CalotypeConformance   CalotypeHummingbird
///     CalotypeServing
///     CalotypePlanning   CalotypeAdmission   CalotypeResults   CalotypeSettings   CalotypePlayground   CalotypeLogs
///     Calotype (the package above)
let swift: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

let urls: [Target.Dependency] = [.product(name: "CalotypeURLs", package: "Calotype")]
let calotype: [Target.Dependency] = urls + [.product(name: "CalotypeImaging", package: "Calotype")]
let http: [Target.Dependency] = [.product(name: "HTTPTypes", package: "swift-http-types")]
let serving: [Target.Dependency] =
  calotype + http + [
    "CalotypePlanning", "CalotypeAdmission", "CalotypeResults", "CalotypeSettings", "CalotypePlayground",
    .product(name: "Calotype", package: "Calotype"),
    .product(name: "CalotypeCaching", package: "Calotype"),
    .product(name: "CalotypeIsolation", package: "Calotype"),
    .product(name: "CalotypeLoading", package: "Calotype"),
    .product(name: "CalotypeObservability", package: "Calotype"),
    .product(name: "CalotypeTiers", package: "Calotype"),
    .product(name: "Crypto", package: "swift-crypto"),
    .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
    .product(name: "Instrumentation", package: "swift-distributed-tracing"),
    .product(name: "Tracing", package: "swift-distributed-tracing"),
  ]

let package = Package(
  name: "CalotypeServer",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "calotype-server", targets: ["calotype-server"]),
    .library(name: "CalotypeHummingbird", targets: ["CalotypeHummingbird"]),
    .library(name: "CalotypeServing", targets: ["CalotypeServing"]),
    .library(name: "CalotypeConformance", targets: ["CalotypeConformance"]),
    .library(name: "CalotypePlanning", targets: ["CalotypePlanning"]),
    .library(name: "CalotypeLogs", targets: ["CalotypeLogs"]),
    .library(name: "CalotypeAdmission", targets: ["CalotypeAdmission"]),
    .library(name: "CalotypeResults", targets: ["CalotypeResults"]),
    .library(name: "CalotypeSettings", targets: ["CalotypeSettings"]),
  ],
  traits: [
    .trait(
      name: "AllFormats",
      description:
        "AVIF, HEIF (which patents cover), JPEG XL, SVG and TIFF, with the libraries that these need."),
    .default(enabledTraits: ["AllFormats"]),
  ],
  dependencies: [
    .package(
      name: "Calotype", path: "..",
      traits: Set(
        ["AVIF", "HEIF", "JXL", "SVG", "TIFF"].map {
          .trait(name: $0, condition: .when(traits: ["AllFormats"]))
        })),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.90.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    // The settings of the server: one table, from which the loader, the help and the documentation are made.
    .target(name: "CalotypeSettings", dependencies: urls, swiftSettings: swift),
    // Decides how a request is rendered: pure values, no input and no output.
    .target(name: "CalotypePlanning", dependencies: calotype, swiftSettings: swift),
    // Decides which work runs now, waits or is refused, by predicted cost: needs no other target.
    .target(name: "CalotypeAdmission", swiftSettings: swift),
    // Failures, purges and header fields of responses, as values.
    .target(
      name: "CalotypeResults",
      dependencies: http + [.product(name: "CalotypeCaching", package: "Calotype")], swiftSettings: swift),
    // The files of the playground, as code: a program without a folder of resources.
    .target(
      name: "CalotypePlayground",
      resources: [
        .embedInCode("Files/playground.html"), .embedInCode("Files/playground.css"),
        .embedInCode("Files/playground.js"),
      ], swiftSettings: swift),
    // Log lines, and the thread that writes them.
    .target(
      name: "CalotypeLogs", dependencies: [.product(name: "Logging", package: "swift-log")],
      swiftSettings: swift),
    // The life of a request, without a transport.
    .target(name: "CalotypeServing", dependencies: serving, swiftSettings: swift),
    // Clients of a server on Hummingbird: their departure, and those that do not read.
    .target(
      name: "CalotypeHummingbird",
      dependencies: [
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "NIOCore", package: "swift-nio"),
      ], swiftSettings: swift),
    // Holds the code of the server against vectors of other servers.
    .target(
      name: "CalotypeConformance", dependencies: serving + ["CalotypeServing"], swiftSettings: swift),
    // The server on Hummingbird.
    .executableTarget(
      name: "calotype-server",
      dependencies: http + [
        "CalotypeConformance", "CalotypeHummingbird", "CalotypeLogs", "CalotypeServing", "CalotypeSettings",
        .product(name: "Calotype", package: "Calotype"),
        .product(name: "CalotypeLoading", package: "Calotype"),
        .product(name: "CalotypeObservability", package: "Calotype"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ], swiftSettings: swift),

    // Random numbers that are the same each time.
    .target(name: "SeededNumbers", path: "Tests/Helpers/SeededNumbers", swiftSettings: swift),
    .testTarget(
      name: "CalotypeSettingsTests", dependencies: urls + ["CalotypeSettings"], swiftSettings: swift),
    .testTarget(
      name: "CalotypePlanningTests", dependencies: calotype + ["CalotypePlanning"], swiftSettings: swift),
    .testTarget(
      name: "CalotypeAdmissionTests", dependencies: ["CalotypeAdmission", "SeededNumbers"],
      swiftSettings: swift),
    .testTarget(
      name: "CalotypeResultsTests", dependencies: http + ["CalotypeResults", "SeededNumbers"],
      swiftSettings: swift),
    .testTarget(
      name: "CalotypeLogsTests",
      dependencies: ["CalotypeLogs", "SeededNumbers", .product(name: "Logging", package: "swift-log")],
      swiftSettings: swift),
    .testTarget(
      name: "CalotypeServingTests",
      dependencies: serving + [
        "CalotypeServing", .product(name: "CalotypeTestKit", package: "Calotype"),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
      ], swiftSettings: swift),
    .testTarget(
      name: "CalotypeConformanceTests", dependencies: ["CalotypeConformance"], exclude: ["Vectors"],
      swiftSettings: swift),
  ]
)

// The example of a server beside this package, so that the tests build Calotype once for both, and a server to compare with.
if Context.environment["CALOTYPE_EXAMPLES"] != nil {
  package.targets += [
    .executableTarget(
      name: "ThumbnailServer",
      dependencies: [
        "CalotypeHummingbird",
        .product(name: "Calotype", package: "Calotype"),
        .product(name: "CalotypeObservability", package: "Calotype"),
        .product(name: "Hummingbird", package: "hummingbird"),
      ],
      path: "Examples/ThumbnailServer/Sources/ThumbnailServer",
      swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")]),
    .executableTarget(
      name: "bare-server", dependencies: [.product(name: "Hummingbird", package: "hummingbird")],
      path: "Benchmarks/Bare", swiftSettings: swift),
  ]
}
