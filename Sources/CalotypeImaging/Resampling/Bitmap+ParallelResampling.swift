import CPixels

extension Bitmap {
  /// Resamples as ``resampled(to:from:filter:linearLight:pool:)`` does, in parallel parts: for a single large picture
  /// with low latency. Servers have more throughput with one picture per thread.
  ///
  /// The bytes are the same for any number of parts.
  ///
  /// - Parameters:
  ///   - size: The size of the result, at least 1×1.
  ///   - region: The region of the picture to resample; all of it if `nil`.
  ///   - filter: The reconstruction filter.
  ///   - linearLight: Resamples in linear light.
  ///   - parts: The number of parts, each of some rows of the result.
  ///   - executor: The executor of the parts; its threads limit the parallelism.
  ///   - pool: The pool for the memory of the result and for scratch.
  /// - Throws: The errors of the serial method; ``ImagingError/invalidParameter(name:reason:)`` for less than one part.
  public func resampled(
    to size: PixelSize, from region: Bitmap.Region? = nil, filter: ResampleFilter = .lanczos3,
    linearLight: Bool = false, parts: Int, on executor: any TaskExecutor, pool: PixelPool = .shared
  ) async throws(ImagingError) -> Bitmap {
    guard parts > 0 else {
      throw .invalidParameter(name: "parts", reason: "\(parts) parts make no picture; at least 1")
    }
    let parts = min(parts, max(1, size.height))
    let region = region ?? Bitmap.Region(self.size)
    try ResamplePlan.check(size: size, region: region, of: self.size)
    let plan = ResamplePlan(
      source: self.size, format: format, isOpaque: isOpaque, size: size, region: region, filter: filter,
      linearLight: linearLight)
    let isWhole = size == self.size && region == Bitmap.Region(self.size)
    guard !isWhole, !plan.reducesFirst, format != .gray8 || !linearLight else {
      return try await Self.run(on: executor) { () throws(ImagingError) in
        try resampled(to: size, from: region, filter: filter, linearLight: linearLight, pool: pool)
      }
    }
    var pixels = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    // The buffer is the storage of the bitmap and never moves; the bitmap is returned after all parts are done.
    let result = try Bitmap(size: size, format: format, pool: pool) {
      pixels = $0
      return isOpaque
    }
    // Parts write different rows, and all are done before the first read.
    nonisolated(unsafe) let destination = pixels
    let rowsPerPart = (size.height + parts - 1) / parts
    let failures = await withTaskGroup { group in
      for first in stride(from: 0, to: size.height, by: rowsPerPart) {
        group.addTask(executorPreference: executor) { () -> ImagingError? in
          do throws(ImagingError) {
            let rows = first..<min(size.height, first + rowsPerPart)
            try make(rows, plan.job(pool: pool), to: destination)
            return nil
          } catch {
            return error
          }
        }
      }
      var failure: ImagingError?
      for await part in group where failure == nil {
        failure = part
        if failure != nil { group.cancelAll() }
      }
      return failure
    }
    if let failure = failures { throw failure }
    return result
  }

  private static func run(
    on executor: any TaskExecutor, _ body: @Sendable () throws(ImagingError) -> Bitmap
  ) async throws(ImagingError) -> Bitmap {
    let result = await withTaskExecutorPreference(executor) { () async -> Result<Bitmap, ImagingError> in
      Result { () throws(ImagingError) in try body() }
    }
    return try result.get()
  }

  /// Makes some rows of the result.
  private func make(
    _ rows: Range<Int>, _ job: consuming ResampleJob, to destination: UnsafeMutableRawBufferPointer
  ) throws(ImagingError) {
    var job = job
    let batch = Self.batch(samplesPerRow: job.costPerRow)
    try withUnsafeBytes { (source: UnsafeRawBufferPointer) throws(ImagingError) in
      job.begin(
        source: source.bindMemory(to: UInt8.self).baseAddress,
        destination: destination.bindMemory(to: UInt8.self).baseAddress)
      var row = rows.lowerBound
      while row < rows.upperBound {
        if Task.isCancelled { throw .cancelled }
        let end = min(rows.upperBound, row + batch)
        job.make(row..<end)
        row = end
      }
    }
  }
}
