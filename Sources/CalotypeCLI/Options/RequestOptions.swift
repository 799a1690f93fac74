import ArgumentParser
import Calotype
import FoundationEssentials

/// Options of requests, for the commands that use the disk cache.
struct RequestOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "When cached images are used.",
      discussion: """
        http follows HTTP freshness. ignore-http-freshness takes cached images until they expire by the limits of the cache. \
        stale-while-revalidate takes a stale image, and revalidates it for the next time. reload and loader-only do not \
        read the cache, and loader-only does not write it.
        """, valueName: "policy"))
  var cachePolicy: ImageRequest.CachePolicy = .http

  @Option(
    help: ArgumentHelp("Time limit for one image, including retries and waiting.", valueName: "seconds"))
  var deadline: Double?

  @Option(help: ArgumentHelp("The priority of requests.", valueName: "priority"))
  var priority: ImageRequest.Priority?

  @Option(
    name: .customLong("fallback"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("URL to load if a source fails permanently; may be repeated.", valueName: "url"))
  var fallbacks: [FallbackArgument] = []

  @Flag(help: "Treat URLs that differ only in their query as the same image.")
  var ignoreQuery = false

  @Option(
    help: ArgumentHelp(
      "Query parameters that identify an image, separated by commas; others, such as signatures, are ignored.",
      valueName: "names"))
  var keyParameters: String?

  @Option(
    help: ArgumentHelp(
      "Name of a partition of the cache, which shares nothing with other partitions.", valueName: "name"))
  var partition: String?

  @Option(
    name: .customLong("tag"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Tag of the records, for cache clear --tag; may be repeated.", valueName: "name"))
  var tags: [String] = []

  @Option(
    help:
      "Format of the sources, regardless of their first bytes: \(ImageFormat.allValueStrings.joined(separator: ", "))."
  )
  var formatHint: ImageFormat?

  func validate() throws {
    if let deadline, !(deadline > 0 && deadline <= 86_400) {
      throw ValidationError("--deadline is a number of seconds above 0.")
    }
    if ignoreQuery, keyParameters != nil {
      throw ValidationError("--ignore-query and --key-parameters exclude each other.")
    }
    if keyParameters != nil, parameterNames.isEmpty {
      throw ValidationError("--key-parameters requires a name; use --ignore-query for none.")
    }
    if tags.contains("") || partition == "" { throw ValidationError("--tag and --partition need a name.") }
  }

  private var parameterNames: Set<String> {
    Set((keyParameters ?? "").split(separator: ",").map(String.init))
  }

  /// Returns `request` with these options applied.
  func applied(to request: ImageRequest) -> ImageRequest {
    var request = request
    request.cachePolicy = cachePolicy
    if let priority { request.priority = priority }
    if let deadline { request.deadline = .seconds(deadline) }
    if !fallbacks.isEmpty { request.fallbacks = fallbacks.map(\.url) }
    if ignoreQuery { request.keyPolicy = .withoutQuery }
    if keyParameters != nil { request.keyPolicy = .keeping(parameterNames) }
    if let partition { request.partition = partition }
    if !tags.isEmpty { request.tags = tags }
    if let formatHint { request.formatHint = formatHint }
    return request
  }
}
