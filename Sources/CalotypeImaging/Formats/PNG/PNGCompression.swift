import FoundationEssentials

/// The choice of the layout and the filters that make the smallest stream.
///
/// A small picture is compressed in each way. Rows of a larger one are filtered in bands by an estimate, with balanced effort.
/// Otherwise, a sample of the rows is compressed in each way, then all rows in the best one, and also in the second-best if it
/// is about as good; for the smallest file, the sample is the whole picture.
struct PNGCompression {
  /// A way to store a picture.
  struct Way {
    let samples: PNGSamples
    let filter: PNGFilter
  }

  /// Pictures of so many filtered bytes are compressed in all ways.
  private static let wholeSample = 32 << 10
  private static let largestSample = 4 << 20

  let effort: EncodeOptions.Effort
  let area: PixelRectangle

  /// Returns the ways to store a picture in some layouts.
  func ways(_ candidates: [PNGSamples]) -> [Way] {
    candidates.flatMap { samples in
      filters(samples, isOnly: candidates.count == 1).map { Way(samples: samples, filter: $0) }
    }
  }

  private func filters(_ samples: PNGSamples, isOnly: Bool) -> [PNGFilter] {
    guard samples.filters else { return [.none] }
    // Bands have the least sum of all rows where that is best.
    if effort == .small { return [.none, .fewestPairs, .bands] }
    // Beside a palette, unfiltered pixels have no chance.
    if !isOnly { return [.leastSum] }
    return effort == .fast ? [.none, .leastSum] : [.none, .leastSum, .bands]
  }

  /// Returns the best way, and the zlib stream of all rows in it.
  ///
  /// - Throws: `outOfMemory`, `cancelled`, `encodingFailed`.
  func smallest(of ways: [Way]) throws(ImagingError) -> (samples: PNGSamples, stream: Data) {
    if ways.count == 1 { return (ways[0].samples, try stream(ways[0])) }
    var byteCount = 0
    for way in ways { byteCount = max(byteCount, try rows(way).byteCount) }
    if byteCount <= Self.wholeSample { return try best(of: ways) }
    // The other ways are among those of bands.
    if effort == .balanced, let bands = ways.first(where: { $0.filter == .bands }) {
      return (bands.samples, try stream(bands))
    }
    let share = effort == .small ? 1 : min(Double(Self.largestSample) / Double(byteCount), 0.125)
    var sizes: [(way: Way, size: Double)] = []
    for way in ways {
      sizes.append(
        (way, try size(way, share: max(share, Double(Self.wholeSample) / Double(byteCount)))))
    }
    sizes.sort { $0.size < $1.size }
    // All rows tell for certain.
    if share == 1 { return (sizes[0].way.samples, try stream(sizes[0].way)) }
    return try best(of: sizes.prefix(2).filter { $0.size <= sizes[0].size * 1.02 }.map(\.way))
  }

  /// Returns the size of the file in bytes, apart from what all ways have in common, as a sample of the rows promises.
  private func size(_ way: Way, share: Double) throws(ImagingError) -> Double {
    let whole = try rows(way).byteCount
    let sample =
      share == 1
      ? rows(way)
      : PNGFilteredRows(
        way.samples, area: area, filter: way.filter, sampleOf: Int(share * Double(whole)))
    let count = try sample.byteCount
    // The highest levels make the same choice, in ten times the time.
    let levels = effort == .small ? .trial : PNGDeflater.Levels(effort, way.filter, byteCount: count)
    let stream = try PNGDeflater.stream(sample, levels)
    return Double(stream.count) * Double(whole) / Double(max(1, count))
      + Double(way.samples.layout.chunkBytes)
  }

  private func best(of ways: [Way]) throws(ImagingError) -> (samples: PNGSamples, stream: Data) {
    var best: (samples: PNGSamples, stream: Data)?
    for way in ways {
      let made = try stream(way)
      let size = { (stream: Data, samples: PNGSamples) in stream.count + samples.layout.chunkBytes }
      if let known = best, size(known.stream, known.samples) <= size(made, way.samples) { continue }
      best = (way.samples, made)
    }
    guard let best else { throw .encodingFailed(.png, reason: "there is no layout for the pixels") }
    return best
  }

  private func rows(_ way: Way) -> PNGFilteredRows {
    PNGFilteredRows(way.samples, area: area, filter: way.filter)
  }

  private func stream(_ way: Way) throws(ImagingError) -> Data {
    let rows = rows(way)
    return try PNGDeflater.stream(
      rows, PNGDeflater.Levels(effort, way.filter, byteCount: try rows.byteCount))
  }
}
