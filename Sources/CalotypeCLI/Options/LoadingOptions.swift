import ArgumentParser
import Calotype
import FoundationEssentials

/// Options of loading, and the loader that they describe, for all commands that take many URLs.
struct LoadingOptions: ParsableArguments {
  @Option(
    name: .customLong("header"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Header field to send; may be repeated.", valueName: "name: value"))
  var headers: [HeaderArgument] = []

  @Option(
    help: ArgumentHelp(
      "Name and password for the server of each URL, not for servers that it redirects to (Basic).",
      valueName: "name:password"))
  var user: UserArgument?

  @Option(
    help: ArgumentHelp("Time limit for one source, including retries.", valueName: "seconds"))
  var timeout: Double?

  @Option(help: "Number of retries after temporary failures.")
  var retries = 2

  @Flag(
    help: "Refuse addresses outside of the public internet, and file: URLs. For untrusted URLs (SSRF).")
  var publicOnly = false

  @Option(help: ArgumentHelp("Trusted certificates (PEM) instead of the system's.", valueName: "file"))
  var cacert: String?

  @Option(
    help: ArgumentHelp(
      "Proxy instead of the environment's: \(ProxyArgument.schemes.joined(separator: ", ")).",
      valueName: "url"))
  var proxy: ProxyArgument?

  @Option(help: ArgumentHelp("Maximum size of a source.", valueName: "bytes"))
  var maxBytes = DecodeLimits.default.maxBytes

  func validate() throws {
    guard (0...20).contains(retries) else { throw ValidationError("--retries is 0 to 20.") }
    if let timeout, !(timeout > 0 && timeout <= 86_400) {
      throw ValidationError("--timeout is a number of seconds above 0.")
    }
    guard (1...DecodeLimits.default.maxBytes).contains(maxBytes) else {
      throw ValidationError("--max-bytes is 1 to \(DecodeLimits.default.maxBytes).")
    }
    if user != nil, headers.contains(where: { $0.field.name == .authorization }) {
      throw ValidationError("--user and --header Authorization exclude each other.")
    }
    if publicOnly, proxy != nil {
      throw ValidationError(
        "--public-only cannot check the addresses that a proxy connects to; omit --proxy.")
    }
  }

  /// Returns `request`, which is for `source`, with these options applied.
  ///
  /// - Throws: ``CommandError``.
  func applied(to request: ImageRequest, for source: Source) throws(CommandError) -> ImageRequest {
    if publicOnly, source.isFileURL { throw .refusedFile(source.text) }
    var request = request
    for header in headers { request.headers.append(header.field) }
    // A header field rather than a credential of the loader, although both are sent to the same servers:
    // fields are part of the keys of both caches, and images of one user must not be found by another.
    if let user, try source.url.user() == nil, try !source.url.isFileURL {
      request.headers[.authorization] = user.authorization
    }
    if let timeout { request.timeouts.total = .seconds(timeout) }
    return request
  }

  /// Creates the loader of a command.
  ///
  /// - Parameters:
  ///   - concurrency: The number of concurrent transfers.
  ///   - partials: The store of partial downloads.
  func loader(concurrency: Int = 6, partials: PartialStore? = nil) -> LoaderGroup {
    var curl = CurlLoader.Configuration(maxConcurrent: concurrency, maxConcurrentPerHost: concurrency)
    if publicOnly { curl.addressPolicy = .public }
    curl.tls.caFile = cacert
    if let proxy { curl.proxy = .url(proxy.url) }
    var configuration = HTTPLoader.Configuration()
    configuration.retry = RetryPolicy(maxRetries: retries)
    // A short-lived command repeats no request, and one failing input must not stop the others of its host.
    configuration.failureMemory = nil
    configuration.circuitBreaker = nil
    configuration.partials = partials
    return LoaderGroup.standard.adding(HTTPLoader(configuration, transport: CurlLoader(curl)))
  }

  /// Returns limits with a number of concurrent loads that also applies per origin: a command with an
  /// explicit number usually addresses one server.
  func limits(concurrency: Int = 6) -> ImagePipeline.Limits {
    var limits = ImagePipeline.Limits()
    limits.loads = max(limits.loads, concurrency)
    limits.loadsPerOrigin = limits.loads
    return limits
  }

  /// The limits of decoding.
  var decodeLimits: DecodeLimits { DecodeLimits(maxBytes: maxBytes) }
}
