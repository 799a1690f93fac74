import ArgumentParser
import CalotypeLoading
import CalotypeTiers
import FoundationEssentials

/// The server of `s3://` URLs. Its keys come from the platform: environment, shared file, container or instance.
struct BucketOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "URL of the bucket's server. Default: AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, CALOTYPE_CACHE_S3_ENDPOINT, or Amazon's of the region.",
      valueName: "url"))
  var endpoint: String?

  @Option(
    help: ArgumentHelp(
      "Region that signatures name. Default: AWS_REGION, AWS_DEFAULT_REGION, CALOTYPE_CACHE_S3_REGION, or us-east-1.",
      valueName: "name"))
  var region: String?

  @Flag(help: "Put the bucket into the name of the host, as Amazon's server has it.")
  var virtualHosted = false

  @Option(help: ArgumentHelp("Trusted certificates (PEM) instead of the system's.", valueName: "file"))
  var cacert: String?

  /// The beginning of URLs of buckets.
  static let scheme = "s3://"

  /// Certificates of connections.
  var connections: CurlLoader.Configuration {
    var connections = CurlLoader.Configuration(maxConcurrent: 24, maxConcurrentPerHost: 24)
    connections.tls.caFile = cacert
    return connections
  }

  /// Returns the bucket of `s3://name/prefix`. Without a path, the prefix is `calotype`, as of servers; a slash stands for none.
  ///
  /// - Throws: `ValidationError`.
  func bucket(_ url: String) throws -> Bucket {
    let environment = ProcessInfo.processInfo.environment
    let value = { (names: [String]) in names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } }
    let region =
      region ?? value(["AWS_REGION", "AWS_DEFAULT_REGION", "CALOTYPE_CACHE_S3_REGION"]) ?? "us-east-1"
    let named = endpoint ?? value(["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "CALOTYPE_CACHE_S3_ENDPOINT"])
    guard let server = URL(string: named ?? "https://s3.\(region).amazonaws.com") else {
      throw ValidationError("--endpoint is no URL.")
    }
    let rest = url.dropFirst(Self.scheme.count)
    let name = String(rest.prefix { $0 != "/" })
    var prefix = rest.dropFirst(name.count)
    let hasPath = !prefix.isEmpty
    if prefix.first == "/" { prefix.removeFirst() }
    if prefix.last == "/" { prefix.removeLast() }
    // No certificate of Amazon's covers names with dots.
    let isHosted = virtualHosted || (named == nil && !name.contains("."))
    do {
      return try Bucket(
        endpoint: server, region: region, name: name, prefix: hasPath ? String(prefix) : "calotype",
        addressing: isHosted ? .virtualHosted : .path)
    } catch {
      throw ValidationError("\(Self.scheme)\(name): \(error.description).")
    }
  }
}
