import BenchmarkHarness
import CalotypeImaging
import FoundationEssentials

extension Benchmark {
  /// A file that arrives in pieces against one that is there, with the same decoder. The pieces are cut before, and
  /// handing them to somebody who only looks at them is part of the limit: a million calls, and Foundation's way to a
  /// byte in each, have a price that no decoder can do anything about.
  static func arriving(
    _ name: String, by count: Int, _ decoder: any ImageDecoding, _ data: @escaping () throws -> Data
  ) -> Benchmark {
    Benchmark(name: name, bar: .ratio(1.5)) { rounds in
      let data = try data()
      let pieces = stride(from: 0, to: data.count, by: count).map { data[$0..<min($0 + count, data.count)] }
      return try Measurement.ratio(name, to: "at once, pieces looked at", rounds: rounds) { () throws in
        guard let arriving = decoder.makeIncrementalDecoder(options: DecodeOptions()) else { return }
        for piece in pieces { try arriving.append(piece) }
        _ = try arriving.finish()
      } limit: {
        _ = try decoder.decode(data, minimumSize: nil, options: DecodeOptions())
        let reader: any PieceTaking = PieceReader()
        for piece in pieces { try reader.append(piece) }
        guard reader.byteCount == data.count else { throw ImagingError.emptyInput }
      }
    }
  }
}

private protocol PieceTaking: AnyObject {
  var byteCount: Int { get }
  func append(_ chunk: Data) throws(ImagingError)
}

private final class PieceReader: PieceTaking {
  private(set) var byteCount = 0
  private var sum: UInt8 = 0

  func append(_ chunk: Data) throws(ImagingError) {
    byteCount += chunk.count
    sum ^= chunk.first ?? 0
  }
}
