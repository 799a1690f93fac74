extension SampleTable {
  private static let readTypes = Set(
    (["stsz", "stts", "stsc", "stco", "co64", "stss"] as [StaticString]).map { FourCC($0) })

  /// Reads an `stbl` box. The time is proportional to its length, the memory to the number of samples, which is checked
  /// first.
  init(
    _ box: ISOBox, _ bytes: RawSpan, limits: DecodeLimits, format: ImageFormat
  ) throws(ImagingError) {
    var tables: [FourCC: ISOBox] = [:]
    var boxes = ISOBoxes(box.content, format: format)
    while let child = try boxes.next(bytes) {
      if Self.readTypes.contains(child.type), tables[child.type] == nil { tables[child.type] = child }
    }
    func fields(_ type: StaticString) throws(ImagingError) -> FieldReader? {
      guard let child = tables[FourCC(type)] else { return nil }
      return FieldReader(try child.fullContent(format), format: format)
    }
    func missing(_ type: StaticString) -> ImagingError {
      .corrupt(format, reason: "the track has no box \(type)", offset: box.offset)
    }
    guard var sizes = try fields("stsz") else { throw missing("stsz") }
    let equalSize = try sizes.uint32(bytes)
    let count = Int(try sizes.uint32(bytes))
    guard count > 0 else { throw .corrupt(format, reason: "the track has no samples", offset: box.offset) }
    try limits.check(frameCount: count)
    guard var times = try fields("stts") else { throw missing("stts") }
    durations = try Self.durations(&times, bytes, count: count, format: format)
    guard var map = try fields("stsc") else { throw missing("stsc") }
    let isLong = tables[FourCC("stco")] == nil
    guard var chunks = try fields(isLong ? "co64" : "stco") else { throw missing("stco") }
    let runs = try Self.runs(&map, bytes, format: format)
    let chunkCount = Int(try chunks.uint32(bytes))
    guard chunkCount <= chunks.count / (isLong ? 8 : 4) else {
      throw .corrupt(format, reason: "the list of chunks ends within its fields", offset: chunks.position)
    }
    samples.reserveCapacity(count)
    var run = 0
    for chunk in 0..<chunkCount {
      if samples.count == count { break }
      while run + 1 < runs.count, runs[run + 1].first <= chunk { run += 1 }
      var offset = Int(clamping: try chunks.number(bytes, byteCount: isLong ? 8 : 4))
      guard run < runs.count, runs[run].first <= chunk else { break }
      for _ in 0..<min(runs[run].count, count - samples.count) {
        let size = Int(equalSize == 0 ? try sizes.uint32(bytes) : equalSize)
        let (end, overflow) = offset.addingReportingOverflow(size)
        guard !overflow, size > 0 else {
          throw .corrupt(format, reason: "sample \(samples.count) has no bytes", offset: box.offset)
        }
        samples.append(offset..<end)
        offset = end
      }
    }
    guard samples.count == count else {
      throw .corrupt(format, reason: "\(samples.count) of \(count) samples have a place", offset: box.offset)
    }
    if var keys = try fields("stss") {
      var found: [Int] = []
      for _ in 0..<(try keys.uint32(bytes)) {
        let index = Int(try keys.uint32(bytes)) - 1
        // In ascending order, so that the list is no longer than that of the samples.
        guard index >= 0, index < count, index > found.last ?? -1 else {
          throw .corrupt(format, reason: "the list of key samples is not sound", offset: box.offset)
        }
        found.append(index)
      }
      keySamples = found
    }
  }

  /// Reads `stts`. Missing times repeat the last one.
  private static func durations(
    _ fields: inout FieldReader, _ bytes: RawSpan, count: Int, format: ImageFormat
  ) throws(ImagingError) -> [UInt32] {
    var durations: [UInt32] = []
    durations.reserveCapacity(count)
    let entries = Int(try fields.uint32(bytes))
    guard entries <= fields.count / 8 else {
      throw .corrupt(format, reason: "the box stts ends within its fields", offset: fields.position)
    }
    for _ in 0..<entries {
      if durations.count == count { break }
      let run = Int(try fields.uint32(bytes))
      let duration = try fields.uint32(bytes)
      durations += repeatElement(duration, count: min(run, count - durations.count))
    }
    let last = durations.last ?? 0
    return durations + repeatElement(last, count: count - durations.count)
  }

  /// Reads `stsc`: the index of the first chunk of each run, and the samples in each of its chunks.
  private static func runs(
    _ fields: inout FieldReader, _ bytes: RawSpan, format: ImageFormat
  ) throws(ImagingError) -> [(first: Int, count: Int)] {
    var runs: [(first: Int, count: Int)] = []
    let count = Int(try fields.uint32(bytes))
    guard count <= fields.count / 12 else {
      throw .corrupt(format, reason: "the box stsc ends within its fields", offset: fields.position)
    }
    for _ in 0..<count {
      let first = Int(try fields.uint32(bytes)) - 1
      let samples = Int(try fields.uint32(bytes))
      try fields.skip(4)
      guard first >= 0, samples > 0, first > runs.last?.first ?? -1 else {
        throw .corrupt(format, reason: "the box stsc is not sound", offset: fields.position)
      }
      runs.append((first, samples))
    }
    return runs
  }
}
