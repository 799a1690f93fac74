import ArgumentParser
import CalotypeCaching
import CalotypeSupport
import CalotypeTerminal
import CalotypeTiers
import FoundationEssentials

struct TiersCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Probes buckets and Redis servers for all that Calotype does with them.",
    discussion: """
      A URL is s3://bucket/prefix, of any S3-compatible server, or redis://, rediss:// (TLS), valkey:// or valkeys://, with user, \
      password and database. s3://bucket stands for the prefix calotype, s3://bucket/ for none. Keys to buckets come from the \
      environment (AWS_ACCESS_KEY_ID …), the shared file of the AWS command line, the container or the instance; a password for Redis \
      also from REDISCLI_AUTH.

      Each probe has a line: ok, warn, cannot (Calotype works without, as the line says) or failed, and the time that it took. What \
      is written has names of its own, below v1/probe/ in a bucket, and is removed, also after ^C. Exit status 1 if a probe failed.
      """)

  @Argument(help: ArgumentHelp("s3://bucket/prefix, redis://host or rediss://host.", valueName: "url"))
  var urls: [String]
  @OptionGroup var buckets: BucketOptions
  @Option(
    help: ArgumentHelp(
      "Time limit for one probe; that of all is six times as long. Default: 10.", valueName: "seconds"))
  var timeout: Double?
  @Flag(help: "One JSON object for each probe.")
  var json = false

  private static let usualTimeout = 10.0

  private enum Tier {
    case bucket(Bucket)
    case redis(RedisClient.Configuration)
  }

  func validate() throws {
    let timeout = timeout ?? Self.usualTimeout
    guard timeout > 0, timeout <= 600 else { throw ValidationError("--timeout is above 0 and at most 600.") }
    for url in urls { _ = try tier(url) }
  }

  func run() async throws {
    let timeout = timeout ?? Self.usualTimeout
    var limits = TierCheckLimits()
    limits.probe = .seconds(timeout)
    limits.total = .seconds(timeout * 6)
    let report = TierReport(json: json)
    for url in urls {
      switch try tier(url) {
      case .bucket(let bucket):
        report.begin(
          "s3://\(bucket.name)/\(bucket.prefix)", at: "\(bucket.endpoint.absoluteString), \(bucket.region)")
        await BucketCheck(
          bucket, credentials: .standard, connections: buckets.connections, limits: limits
        ).run { report.add($0) }
      case .redis(let configuration):
        report.begin("\(configuration)", at: nil)
        do {
          try await RedisCheck(configuration, limits: limits).run { report.add($0) }
        } catch {
          report.failed(error)
        }
      }
      try Task.checkCancellation()
    }
    if report.hasFailed { throw ExitCode(1) }
  }

  /// Reads a URL, which may hold a password: no message repeats it.
  private func tier(_ url: String) throws -> Tier {
    if url.hasPrefix(BucketOptions.scheme) { return .bucket(try buckets.bucket(url)) }
    guard let address = URL(string: url), address.scheme != nil else {
      throw ValidationError("A URL begins with s3://, redis://, rediss://, valkey:// or valkeys://.")
    }
    do throws(CachingError) {
      var configuration = try RedisClient.Configuration(address)
      configuration.caFile = buckets.cacert
      if !configuration.hasPassword,
        let password = ProcessInfo.processInfo.environment["REDISCLI_AUTH"], !password.isEmpty
      {
        configuration.setPassword(password)
      }
      return .redis(configuration)
    } catch {
      guard case .failed(_, let reason, _) = error else { throw error }
      throw ValidationError(
        address.scheme.map { ["redis", "rediss", "valkey", "valkeys"].contains($0.lowercased()) } == true
          ? "A URL of Redis is not usable: \(reason)."
          : "A URL begins with s3://, redis://, rediss://, valkey:// or valkeys://.")
    }
  }
}
