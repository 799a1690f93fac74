public import CalotypeImaging
import CalotypeSupport
package import FoundationEssentials
import Glibc

/// Processes that decode images for this one, and can do nothing else.
///
/// Pipelines have one if their configuration says so. For all else, such as an `ImageCache` or decodes without a pipeline:
///
/// ```swift
/// let sandbox = DecodingSandbox(SandboxConfiguration(workers: 2))
/// let coders = sandbox.coders(replacing: .standard)
/// let image = try coders.decode(data)                  // in another process
/// ```
///
/// Workers start when they are needed, and end with the last reference. Calls wait for a worker: make them off the cooperative
/// pool.
public final class DecodingSandbox: Sendable {
  let configuration: SandboxConfiguration
  let pool: SandboxPool
  /// The decoders of this process, for machines without a sandbox.
  private let fallback: CoderRegistry

  /// Creates a sandbox. Workers start when they are needed.
  ///
  /// - Parameters:
  ///   - configuration: The processes, and what they may do.
  ///   - fallback: The decoders of this process, for ``SandboxConfiguration/Unavailability/decodeHere``.
  public init(
    _ configuration: SandboxConfiguration = SandboxConfiguration(), fallback: CoderRegistry = .standard
  ) {
    self.configuration = configuration
    self.fallback = fallback
    pool = SandboxPool(configuration)
  }

  /// The counters of the workers.
  public var statistics: SandboxStatistics { pool.statistics }

  /// Returns coders whose decoders work in the sandbox: those of the formats of the configuration that workers have.
  /// Decoders of one's own work in this process, unless workers start in `main`; encoders always do.
  public func coders(replacing coders: CoderRegistry) -> CoderRegistry { coders.isolated(by: self) }
}

extension DecodingSandbox: DecodingService {
  package func info(
    of data: Data, page: Int, formatHint: ImageFormat?, limits: DecodeLimits
  ) throws(ImagingError) -> ImageInfo {
    try here { () throws(ImagingError) in
      try fallback.decodableInfo(of: data, limits: limits, formatHint: formatHint, page: page)
    } orThere: { () throws(ImagingError) in
      let job = SandboxJob(data: data, limits: limits, format: formatHint)
      return try perform(job, .info(page: page, formatHint: formatHint, limits: limits)) {
        (reader, _) throws(WireError) in
        try reader.info(within: limits)
      }
    }
  }

  package func header(
    of prefix: Data, formatHint: ImageFormat?, limits: DecodeLimits
  ) throws(ImagingError) -> ImageHeader? {
    try here { () throws(ImagingError) in
      try fallback.header(of: prefix, limits: limits, formatHint: formatHint)
    } orThere: { () throws(ImagingError) in
      let job = SandboxJob(data: prefix, limits: limits, format: formatHint)
      return try perform(job, .header(formatHint: formatHint, limits: limits)) {
        (reader, _) throws(WireError) in
        try reader.optional { reader throws(WireError) in try reader.header(within: limits) }
      }
    }
  }

  package func images(of data: Data, variants: [DecodeOptions]) throws(ImagingError) -> [Image] {
    guard let options = variants.first else { return [] }
    return try here { () throws(ImagingError) in
      try fallback.decode(data, thumbnails: variants.map(\.thumbnail), options: options)
    } orThere: { () throws(ImagingError) in
      let job = SandboxJob(
        data: data, limits: options.limits, format: options.formatHint, imageCount: variants.count)
      return try perform(job, .images(bounded(options), thumbnails: variants.map(\.thumbnail))) {
        (reader, memory) throws(WireError) in
        try reader.images(for: variants, in: memory)
      }
    }
  }

  package func makeIncrementalDecoder(
    options: DecodeOptions
  ) throws(ImagingError) -> any IncrementalImageDecoding {
    if decodesHere {
      throw .sandboxUnavailable(
        reason: "images are decoded when all of their bytes are there", retryAfter: nil)
    }
    return SandboxStream(self, options)
  }

  package func makeFrameDecoder(
    _ data: Data, options: DecodeOptions
  ) throws(ImagingError) -> (any FrameDecoding)? {
    try SandboxFrames(self, data, options)
  }

  /// Returns options whose time limit is that of a job, so that most decodes end by themselves.
  func bounded(_ options: DecodeOptions) -> DecodeOptions {
    var options = options
    options.limits.maxDuration = min(options.limits.maxDuration, configuration.deadline)
    return options
  }

  // MARK: Machines without a sandbox

  /// A Boolean value that indicates whether images are decoded in this process.
  private var decodesHere: Bool { configuration.whenUnavailable == .decodeHere && pool.isUnavailable }

  /// Does work in this process if there is no sandbox, and the configuration allows it.
  private func here<Result>(
    _ work: () throws(ImagingError) -> Result, orThere sandboxed: () throws(ImagingError) -> Result
  ) throws(ImagingError) -> Result {
    if !decodesHere {
      do throws(ImagingError) {
        return try sandboxed()
      } catch {
        guard case .sandboxUnavailable = error, decodesHere else { throw error }
      }
    }
    pool.count { $0.decodedHere += 1 }
    return try work()
  }
}

/// The parameters of all jobs.
struct SandboxJob {
  /// The input; a worker that died over it is not asked again.
  var data: Data
  var limits: DecodeLimits
  /// The probable format, for errors.
  var format: ImageFormat?
  /// The number of images that it makes, at most.
  var imageCount = 1

  /// The most bytes of shared memory for its result.
  func resultLimit(_ configuration: SandboxConfiguration) -> Int {
    let (pixels, overflow) = min(limits.maxPixels, 1 << 30).multipliedReportingOverflow(by: 8 * imageCount)
    return min(WorkerLoop.reservation, overflow ? .max : max(pixels, 0) + SandboxReply.storedLimit)
  }
}

extension DecodingSandbox {
  /// The time that is granted beyond a deadline, for the worker's own limit to take effect first.
  private static let grace = Duration.milliseconds(10)

  /// Returns the end of a job that begins now.
  func deadline(_ limits: DecodeLimits) -> MonotonicTime {
    MonotonicTime.now.advanced(by: min(limits.maxDuration, configuration.deadline) + Self.grace)
  }

  /// Has any worker do a job.
  func perform<Result>(
    _ job: SandboxJob, _ body: SandboxRequest.Body,
    _ read: (inout WireReader, UnsafeRawBufferPointer) throws(WireError) -> Result
  ) throws(ImagingError) -> Result {
    try pool.checkQuarantine(job.data)
    let waiting = MonotonicTime.now.advanced(by: SandboxPool.longestWait)
    var attempts = JobAttempts()
    var format = job.format ?? ImageFormat.sniff(job.data)
    while true {
      let worker = try pool.take(for: format, isFresh: attempts.needsFreshWorker, until: waiting)
      let served = worker.served
      let attempt = Swift.Result { () throws(WorkerFailure) in
        try worker.perform(
          body, input: job.data, limit: job.resultLimit(configuration), until: deadline(job.limits), read)
      }
      switch attempt {
      case .success(let outcome):
        worker.served += 1
        pool.giveBack(worker)
        if case .failure(let error) = outcome, let missing = missing(by: error, in: worker) {
          format = missing
          continue
        }
        return try outcome.get()
      case .failure(let failure):
        let error = end(worker, after: failure, job)
        if attempts.goesOn(after: failure, served: served) { continue }
        if failure.blamesInput { pool.quarantine(job.data, because: error) }
        throw error
      }
    }
  }

  /// Returns the format of the library that a worker would have needed, if it lacks one: the format was not recognised.
  func missing(by error: ImagingError, in worker: SandboxProcess) -> ImageFormat? {
    guard case .unsupportedFormat(let format, _) = error, configuration.opensLibrary(of: format),
      !worker.formats.contains(format)
    else { return nil }
    return format
  }

  /// Ends a worker that has failed, and returns the error of its job.
  func end(_ worker: SandboxProcess, after failure: WorkerFailure, _ job: SandboxJob) -> ImagingError {
    switch failure {
    case .died, .gone: break
    default: worker.end(killing: true)
    }
    let format = job.format ?? ImageFormat.sniff(job.data) ?? .unknown
    switch failure {
    case .died(.signal(let signal)):
      pool.bury(worker, isDeath: true) { $0.crashes += 1 }
      return .decoderCrashed(format, signal: signal)
    case .died(.forbiddenCall):
      pool.bury(worker, isDeath: true) { $0.violations += 1 }
      return .sandboxViolation(reason: "a forbidden system call", systemCall: nil)
    case .died(.memory):
      pool.bury(worker, isDeath: false) { $0.memoryKills += 1 }
      return .outOfMemory(byteCount: configuration.memory)
    case .died(.exit(let status)):
      pool.bury(worker, isDeath: true) { $0.violations += 1 }
      return .sandboxViolation(reason: "the worker has ended with status \(status)", systemCall: nil)
    case .died(.processorTime), .deadline:
      pool.bury(worker, isDeath: false) { $0.kills += 1 }
      let limit = Int(min(job.limits.maxDuration, configuration.deadline) / .milliseconds(1))
      return .limitExceeded(.duration, value: limit, limit: limit)
    case .died(.unknown):
      pool.bury(worker, isDeath: true) { $0.crashes += 1 }
      return .decoderCrashed(format, signal: 0)
    case .gone:
      pool.bury(worker, isDeath: false) { $0.kills += 1 }
      return .sandboxUnavailable(
        reason: "workers are killed before they begin", retryAfter: SandboxPool.pause)
    case .violation(let reason, let call):
      pool.bury(worker, isDeath: true) { $0.violations += 1 }
      return .sandboxViolation(reason: reason, systemCall: call)
    case .cancelled:
      pool.bury(worker, isDeath: false) { $0.kills += 1 }
      return .cancelled
    case .outOfMemory(let count):
      pool.bury(worker, isDeath: false) { $0.kills += 1 }
      return .outOfMemory(byteCount: count)
    case .system(let code):
      pool.bury(worker, isDeath: false) { $0.kills += 1 }
      return code == ENOMEM || code == ENOSPC
        ? .outOfMemory(byteCount: job.data.count)
        : .sandboxUnavailable(reason: SystemError.text(of: code), retryAfter: SandboxPool.pause)
    }
  }
}

extension ImageFormat {
  fileprivate static let unknown = ImageFormat(rawValue: "unknown")
}
