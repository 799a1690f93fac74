/// A check that takes any bytes: it returns when the library kept its promises, whatever the bytes were.
///
/// Crashes, sanitizer reports and endless loops are found by who runs it; broken promises are thrown as
/// ``FuzzFailure``.
public struct FuzzTarget: Sendable {
  /// Name of the target, of its folder of seeds and of its folder of crashers.
  public let name: String
  /// Runs the check once.
  public let run: @Sendable (FuzzInput) throws -> Void

  /// All targets.
  public static let all: [FuzzTarget] =
    [
      FuzzTarget(name: "probe", run: ProbeTarget.run),
      FuzzTarget(name: "jpeg-codes", run: JPEGCodesTarget.run),
      FuzzTarget(name: "encode", run: EncodeTarget.run),
      FuzzTarget(name: "optimize", run: ImageOptimizerTarget.run),
      FuzzTarget(name: "resample", run: ResampleTarget.run),
      FuzzTarget(name: "transform", run: TransformTarget.run),
      FuzzTarget(name: "blurhash", run: BlurHashTarget.run),
      FuzzTarget(name: "thumbhash", run: ThumbHashTarget.run),
      FuzzTarget(name: "data-url", run: DataURLTarget.run),
      FuzzTarget(name: "cache-record", run: CacheRecordTarget.run),
      FuzzTarget(name: "cache-index", run: CacheIndexTarget.run),
      FuzzTarget(name: "response-head", run: ResponseHeadTarget.run),
      FuzzTarget(name: "content-range", run: ContentRangeTarget.run),
      FuzzTarget(name: "http-date", run: HTTPDateTarget.run),
      FuzzTarget(name: "bucket-document", run: BucketDocumentTarget.run),
      FuzzTarget(name: "address", run: AddressTarget.run),
      FuzzTarget(name: "url", run: URLTarget.run),
      FuzzTarget(name: "cookie", run: CookieTarget.run),
      FuzzTarget(name: "partial", run: PartialTarget.run),
      FuzzTarget(name: "freshness", run: FreshnessTarget.run),
      FuzzTarget(name: "condition", run: ConditionTarget.run),
      FuzzTarget(name: "accept", run: AcceptTarget.run),
      FuzzTarget(name: "digest", run: DigestTarget.run),
      FuzzTarget(name: "imgproxy-url", run: ImgproxyURLTarget.run),
      FuzzTarget(name: "sandbox-request", run: SandboxTargets.request),
      FuzzTarget(name: "sandbox-reply", run: SandboxTargets.reply),
      FuzzTarget(name: "resp", run: RESPTarget.run),
      FuzzTarget(name: "purge-entry", run: PurgeEntryTarget.run),
    ]
    + DecoderTargets.all + TIFFTargets.all + SVGTargets.all + HEIFTargets.all + DescriberTargets.all
    + LibraryTargets.all
}

/// A promise that was broken.
public struct FuzzFailure: Error, CustomStringConvertible {
  /// Which one, and how.
  public let description: String

  init(_ description: String) {
    self.description = description
  }

  /// Throws unless `condition` holds.
  static func unless(_ condition: Bool, _ message: @autoclosure () -> String) throws(FuzzFailure) {
    if !condition { throw FuzzFailure(message()) }
  }
}
