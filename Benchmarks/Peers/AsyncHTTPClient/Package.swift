// swift-tools-version: 6.2
import PackageDescription

/// A peer in a package of its own: it takes minutes to build, and where it cannot be fetched the benchmarks against it
/// are skipped and all others still build.
let package = Package(
  name: "AsyncHTTPClientPeer",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "https://github.com/swift-server/async-http-client", .upToNextMinor(from: "1.37.0"))
  ],
  targets: [
    .executableTarget(
      name: "async-http-client-transfers",
      dependencies: [.product(name: "AsyncHTTPClient", package: "async-http-client")],
      path: "Sources/AsyncHTTPClientTransfers",
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)])
  ]
)
