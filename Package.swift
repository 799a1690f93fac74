// swift-tools-version: 6.2
import PackageDescription

/// Calotype: image loading, decoding, processing and caching for Swift on Linux.
///
/// A target uses targets of the lines below its own, never of those above; `make map` draws the arrows from the code.
///
///     CalotypeCLI
///     CalotypeTerminal   CalotypeTestKit
///     CalotypeDisplay    CalotypeObservability
///     Calotype           CalotypeLibraryCoders   CalotypeTiers
///     CalotypeIsolation  (CalotypeDecoder)
///     CalotypeImaging    CalotypeCaching   CalotypeLoading
///     CalotypeSupport    CalotypeURLs
///     C libraries
///
/// A server that depends on `Calotype` and `CalotypeObservability` builds neither `CalotypeDisplay`, with its indicators and
/// networks, nor `CalotypeTerminal`.
let swift: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

func library(_ name: String, apt package: String) -> Target {
  .systemLibrary(name: name, providers: [.apt([package])])
}

/// C in front of a library that is opened when it is first needed; empty without the trait.
func optional(_ name: String, trait: String, also others: [Target.Dependency] = []) -> Target {
  .target(
    name: name, dependencies: ["CDynamicLibrary"] + others,
    cSettings: [.define("CALOTYPE_\(trait)", .when(traits: [trait]))])
}

/// A program in Examples, with the targets and products that it imports.
func example(_ name: String, uses dependencies: Target.Dependency...) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: "Examples/\(name)", exclude: ["README.md"],
    swiftSettings: swift)
}

let package = Package(
  name: "Calotype",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Calotype", targets: ["Calotype"]),
    .library(name: "CalotypeImaging", targets: ["CalotypeImaging"]),
    .library(name: "CalotypeCaching", targets: ["CalotypeCaching"]),
    .library(name: "CalotypeLoading", targets: ["CalotypeLoading"]),
    .library(name: "CalotypeDisplay", targets: ["CalotypeDisplay"]),
    .library(name: "CalotypeIsolation", targets: ["CalotypeIsolation"]),
    .library(name: "CalotypeLibraryCoders", targets: ["CalotypeLibraryCoders"]),
    .library(name: "CalotypeObservability", targets: ["CalotypeObservability"]),
    .library(name: "CalotypeTerminal", targets: ["CalotypeTerminal"]),
    .library(name: "CalotypeTestKit", targets: ["CalotypeTestKit"]),
    .library(name: "CalotypeTiers", targets: ["CalotypeTiers"]),
    .library(name: "CalotypeURLs", targets: ["CalotypeURLs"]),
    .executable(name: "calotype", targets: ["CalotypeCLI"]),
    .executable(name: "calotype-decoder", targets: ["CalotypeDecoder"]),
  ],
  traits: [
    .trait(name: "AVIF", description: "Decodes and encodes AVIF; needs libdav1d-dev and libavif-dev."),
    .trait(name: "HEIF", description: "Decodes HEIF (HEIC), which patents cover; needs libde265-dev."),
    .trait(name: "JXL", description: "Decodes and encodes JPEG XL; needs libjxl-dev."),
    .trait(
      name: "SVG",
      description: "Draws SVG in sandboxed processes; needs librsvg2-2 and fonts-dejavu-core to run."),
    .trait(name: "TIFF", description: "Decodes TIFF; needs libtiff-dev."),
    .default(enabledTraits: ["AVIF"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.2.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    // C libraries, by module map, and the C that Swift cannot express.
    library("CCrypto", apt: "libssl-dev"),
    library("CCurl", apt: "libcurl4-openssl-dev"),
    // Extended attributes, which the module of glibc lacks.
    library("CXattr", apt: "libc6-dev"),
    library("CDeflate", apt: "libdeflate-dev"),
    library("CISAL", apt: "libisal-dev"),
    library("CLCMS", apt: "liblcms2-dev"),
    library("CLibGIF", apt: "libgif-dev"),
    library("CLibSPNG", apt: "libspng-dev"),
    library("CLibTurboJPEG", apt: "libturbojpeg0-dev"),
    library("CWebP", apt: "libwebp-dev"),
    .target(name: "CDynamicLibrary"),
    optional("CAVIF", trait: "AVIF", also: ["CPixels"]),
    optional("CHEIF", trait: "HEIF", also: ["CPixels"]),
    optional("CJXL", trait: "JXL"),
    optional("CSVG", trait: "SVG"),
    optional("CTIFF", trait: "TIFF"),
    .target(name: "CGIF"),
    .target(name: "CJPEG", linkerSettings: [.linkedLibrary("jpeg")]),
    .target(name: "CLinux"),
    .target(name: "CPixels"),
    .target(name: "CSandbox"),
    // For the test kit: system calls that no library makes.
    .target(name: "CHostile"),

    // The rooms.
    .target(name: "CalotypeSupport", dependencies: ["CCrypto", "CLinux"], swiftSettings: swift),
    .target(
      name: "CalotypeImaging",
      dependencies: [
        "CalotypeSupport", "CISAL", "CJPEG", "CLCMS", "CDeflate", "CWebP", "CGIF", "CPixels", "CAVIF",
        "CHEIF", "CJXL", "CSVG", "CTIFF",
      ],
      // `Bitmap.bytes` is a span that borrows the bitmap.
      swiftSettings: swift + [.enableExperimentalFeature("Lifetimes")]),
    // Decoding in processes that can do nothing else.
    .target(
      name: "CalotypeIsolation", dependencies: ["CalotypeSupport", "CalotypeImaging", "CSandbox"],
      swiftSettings: swift),
    .executableTarget(name: "CalotypeDecoder", dependencies: ["CalotypeIsolation"], swiftSettings: swift),
    // Coders that leave hostile bytes to libspng, giflib and TurboJPEG.
    .target(
      name: "CalotypeLibraryCoders",
      dependencies: ["CalotypeImaging", "CDeflate", "CLibGIF", "CLibSPNG", "CLibTurboJPEG", "CPixels"],
      swiftSettings: swift),
    .target(
      name: "CalotypeCaching",
      dependencies: [
        "CalotypeSupport", "CISAL", "CLinux",
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "HeapModule", package: "swift-collections"),
      ],
      swiftSettings: swift),
    .target(
      name: "CalotypeLoading",
      dependencies: [
        "CalotypeSupport", "CCurl", "CDeflate", "CISAL",
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "HeapModule", package: "swift-collections"),
      ],
      swiftSettings: swift),
    .target(
      name: "Calotype",
      dependencies: [
        "CalotypeSupport", "CalotypeImaging", "CalotypeIsolation", "CalotypeCaching", "CalotypeLoading",
        "CLinux",
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "HeapModule", package: "swift-collections"),
      ],
      swiftSettings: swift),
    // The URLs of image servers, for those who sign them and those who serve them: needs no other target.
    .target(
      name: "CalotypeURLs",
      dependencies: [
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "CryptoExtras", package: "swift-crypto"),
      ],
      swiftSettings: swift),
    // Caches that many machines share, records in a bucket, and the coordination of these machines.
    .target(
      name: "CalotypeTiers",
      dependencies: [
        "CalotypeSupport", "CalotypeCaching", "CalotypeLoading", "CCurl",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      swiftSettings: swift),
    // What shows images as they arrive: slots, players, indicators, and the network that chooses among variants.
    .target(
      name: "CalotypeDisplay",
      dependencies: [
        "Calotype", "CalotypeSupport", "CLinux",
        .product(name: "HeapModule", package: "swift-collections"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      swiftSettings: swift),
    // Logs, metrics, traces and the life cycle of a service, for the packages that Swift servers use.
    .target(
      name: "CalotypeObservability",
      dependencies: [
        "Calotype", "CalotypeSupport",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      swiftSettings: swift),
    .target(
      name: "CalotypeTestKit",
      dependencies: ["Calotype", "CalotypeDisplay", "CalotypeIsolation", "CalotypeSupport", "CHostile"],
      swiftSettings: swift),
    // Pictures in terminals: graphics protocols, detection, keys, progress, and the screens of browse and show.
    .target(
      name: "CalotypeTerminal",
      dependencies: ["Calotype", "CalotypeDisplay", "CalotypeSupport", "CDeflate"],
      swiftSettings: swift),
    .executableTarget(
      name: "CalotypeCLI",
      dependencies: [
        "Calotype", "CalotypeCaching", "CalotypeLibraryCoders", "CalotypeLoading", "CalotypeSupport",
        "CalotypeDisplay", "CalotypeTerminal", "CalotypeTiers", "CalotypeURLs", "CXattr",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      swiftSettings: swift),

    // Small programs that show how it is used; built with everything else, and run by ExampleTests.
    example("Thumbnail", uses: "Calotype"),
    example("GeneratedImages", uses: "Calotype"),
    example("Batch", uses: "Calotype", .product(name: "ArgumentParser", package: "swift-argument-parser")),
    example(
      "ContactSheet", uses: "Calotype", .product(name: "ArgumentParser", package: "swift-argument-parser")),
    example("Uploads", uses: "Calotype", .product(name: "Crypto", package: "swift-crypto")),
    // A transform that a program brings along, and a program that reads its name.
    example(
      "Posterize", uses: "Calotype", .product(name: "ArgumentParser", package: "swift-argument-parser")),
    example(
      "AnimationTool", uses: "Calotype", .product(name: "ArgumentParser", package: "swift-argument-parser")),
    .testTarget(
      name: "ExampleTests",
      dependencies: [
        "Calotype", "CalotypeSupport", "HelperPrograms", "PipelineSamples", "Thumbnail", "GeneratedImages",
        "Batch", "ContactSheet", "Uploads", "Posterize", "AnimationTool", "CalotypeCLI",
      ],
      swiftSettings: swift),
    // A coder that a program brings along.
    .target(
      name: "PNMCoder", dependencies: ["CalotypeImaging"], path: "Examples/PNM", exclude: ["README.md"],
      swiftSettings: swift),
    // A loader and a transform of bodies, likewise. They see what a program outside sees.
    .target(
      name: "TarLoader", dependencies: ["CalotypeLoading"], path: "Examples/TarLoader",
      exclude: ["README.md"], swiftSettings: swift),
    .target(
      name: "SealedBodies",
      dependencies: ["CalotypeLoading", .product(name: "Crypto", package: "swift-crypto")],
      path: "Examples/SealedBodies", exclude: ["README.md"], swiftSettings: swift),
    // A cache, likewise.
    .target(
      name: "ByteCache", dependencies: ["CalotypeCaching"], path: "Examples/ByteCache",
      exclude: ["README.md"], swiftSettings: swift),

    .testTarget(
      name: "CalotypeSupportTests", dependencies: ["CalotypeSupport", "CalotypeTestKit"], swiftSettings: swift
    ),
    // Draws SVG, which may abort the process.
    .executableTarget(
      name: "SVGDrawer", dependencies: ["CalotypeImaging"], path: "Tests/Helpers/SVGDrawer",
      swiftSettings: swift),
    .testTarget(
      name: "CalotypeImagingTests",
      dependencies: [
        "CalotypeImaging", "CalotypeSupport", "CLCMS", "CPixels", "CalotypeTestKit", "HelperPrograms",
        "PNMCoder",
        "SVGDrawer",
      ],
      swiftSettings: swift),
    // Killed by the tests, and started as other users.
    .executableTarget(
      name: "SandboxHost", dependencies: ["CalotypeIsolation", "CalotypeImaging", "PNMCoder"],
      path: "Tests/Helpers/SandboxHost", swiftSettings: swift),
    .testTarget(
      name: "CalotypeIsolationTests",
      dependencies: [
        "CalotypeIsolation", "CalotypeImaging", "CalotypeSupport", "CalotypeTestKit", "Calotype", "CSandbox",
        "CalotypeDecoder", "HelperPrograms", "SandboxHost",
      ],
      swiftSettings: swift),
    .testTarget(
      name: "CalotypeLibraryCodersTests",
      dependencies: ["CalotypeLibraryCoders", "CalotypeImaging", "Calotype", "CalotypeTestKit"],
      swiftSettings: swift),
    // Killed by the tests while they write.
    .executableTarget(
      name: "CacheWriter", dependencies: ["CalotypeCaching"], path: "Tests/Helpers/CacheWriter",
      swiftSettings: swift),
    .executableTarget(
      name: "ImageCacheWriter", dependencies: ["Calotype"], path: "Tests/Helpers/ImageCacheWriter",
      swiftSettings: swift),
    .target(name: "HelperPrograms", path: "Tests/Helpers/HelperPrograms", swiftSettings: swift),
    .testTarget(
      name: "CalotypeCachingTests",
      dependencies: [
        "CalotypeCaching", "CalotypeSupport", "CalotypeTestKit", "CacheWriter", "HelperPrograms", "ByteCache",
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      swiftSettings: swift),
    .testTarget(
      name: "CalotypeLoadingTests",
      dependencies: [
        "CalotypeLoading", "CalotypeSupport", "CalotypeTestKit", "HelperPrograms", "TarLoader",
        "SealedBodies",
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      swiftSettings: swift),
    .testTarget(
      name: "CalotypeTestKitTests",
      dependencies: ["CalotypeTestKit", "CalotypeSupport", "Calotype", "CalotypeImaging", "CalotypeLoading"],
      swiftSettings: swift),
    // What the tests of pipelines share. A test target, because it looks into `Calotype`.
    .testTarget(
      name: "PipelineSamples", dependencies: ["Calotype", "CalotypeSupport", "CalotypeTestKit"],
      path: "Tests/Helpers/PipelineSamples", swiftSettings: swift),
    // Counts the bytes that are hashed.
    .target(name: "CountedHashes", path: "Tests/Helpers/CountedHashes"),
    .testTarget(
      name: "CalotypeTests",
      dependencies: [
        "Calotype", "CalotypeDisplay", "CalotypeSupport", "CalotypeTestKit", "PipelineSamples", "CLinux",
        "ByteCache", "CountedHashes", "HelperPrograms", "ImageCacheWriter",
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      swiftSettings: swift),
    .testTarget(
      name: "CalotypeDisplayTests",
      dependencies: [
        "Calotype", "CalotypeDisplay", "CalotypeObservability", "CalotypeSupport", "CalotypeTestKit",
        "PipelineSamples",
        "CLinux",
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      swiftSettings: swift),
    .testTarget(
      name: "CalotypeObservabilityTests",
      dependencies: [
        "Calotype", "CalotypeObservability", "CalotypeSupport", "CalotypeTestKit", "PipelineSamples",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      swiftSettings: swift),
    // Nodes on a virtual clock, which look into `CalotypeTiers`.
    .executableTarget(
      name: "TiersSimulation", dependencies: ["CalotypeTiers", "CalotypeCaching", "CalotypeSupport"],
      path: "Benchmarks/Tiers", swiftSettings: swift),
    .testTarget(
      name: "CalotypeTiersTests",
      dependencies: [
        "CalotypeTiers", "CalotypeSupport", "CalotypeCaching", "CalotypeLoading", "CalotypeTestKit",
        "HelperPrograms",
        "TiersSimulation",
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      swiftSettings: swift),
    .testTarget(name: "CalotypeURLsTests", dependencies: ["CalotypeURLs"], swiftSettings: swift),
    // The fuzz targets, which replay what once broke something; built for fuzzing by Tests/Fuzzing.
    .testTarget(
      name: "FuzzTargets",
      dependencies: [
        "Calotype", "CalotypeSupport", "CalotypeImaging", "CalotypeIsolation", "CalotypeLibraryCoders",
        "CalotypeCaching",
        "CalotypeLoading", "CalotypeTiers", "CalotypeURLs", "CCurl", "CJPEG", "CPixels",
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      path: "Tests/Fuzzing/Targets", swiftSettings: swift),
    // Terminals that draw, for the tests.
    .target(
      name: "TerminalScreens", dependencies: ["CDeflate"], path: "Tests/Helpers/TerminalScreens",
      swiftSettings: swift),
    .testTarget(
      name: "CalotypeTerminalTests",
      dependencies: [
        "Calotype", "CalotypeSupport", "CalotypeTerminal", "CalotypeTestKit", "TerminalScreens",
      ],
      swiftSettings: swift),
    .testTarget(
      name: "CalotypeCLITests",
      dependencies: ["CalotypeCLI", "CalotypeTerminal", "CalotypeTestKit", "CXattr", "TerminalScreens"],
      swiftSettings: swift),
  ]
)

// Measurements and long runs, for those who work on Calotype (`make` sets the variable); users never resolve what only these need.
if Context.environment["CALOTYPE_BENCHMARKS"] != nil {
  package.targets += [
    .systemLibrary(name: "CAffinity", path: "Benchmarks/Sources/CAffinity"),
    .systemLibrary(name: "CSPNG", path: "Benchmarks/Sources/CSPNG", providers: [.apt(["libspng-dev"])]),
    .systemLibrary(
      name: "CTurboJPEG", path: "Benchmarks/Sources/CTurboJPEG", providers: [.apt(["libturbojpeg0-dev"])]),
    .systemLibrary(name: "CLibWebP", path: "Benchmarks/Sources/CLibWebP", providers: [.apt(["libwebp-dev"])]),
    .systemLibrary(name: "CGIFLib", path: "Benchmarks/Sources/CGIFLib", providers: [.apt(["libgif-dev"])]),
    .target(
      name: "BenchmarkHarness", path: "Benchmarks/Sources/BenchmarkHarness", swiftSettings: swift),
    .executableTarget(
      name: "calotype-benchmarks",
      dependencies: [
        "BenchmarkHarness", "CAffinity", "CJPEG", "CSPNG", "CTurboJPEG", "CLibWebP", "CGIFLib", "Calotype",
        "CalotypeImaging", "CalotypeIsolation", "CalotypeCaching", "CalotypeTestKit",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Benchmarks/Sources/CalotypeBenchmarks", swiftSettings: swift),
    // Started by the benchmarks of loading.
    .executableTarget(
      name: "calotype-transfers", dependencies: ["BenchmarkHarness", "CalotypeLoading"],
      path: "Benchmarks/Sources/CalotypeTransfers", swiftSettings: swift),
    // Not a measurement, but in need of the same servers: make soak.
    .executableTarget(
      name: "calotype-soak",
      dependencies: [
        "BenchmarkHarness", "Calotype", "CalotypeLoading", "CalotypeCaching", "CalotypeTestKit",
      ],
      path: "Benchmarks/Sources/CalotypeSoak", swiftSettings: swift),
  ]
}
