import BenchmarkHarness
import CalotypeImaging
import FoundationEssentials

extension Benchmark {
  /// A file that arrives in pieces against one that is there, with the same decoder. The pieces are cut before.
  static func arriving(
    _ name: String, by count: Int, _ decoder: any ImageDecoding, _ data: @escaping () throws -> Data
  ) -> Benchmark {
    Benchmark(name: name, bar: .ratio(1.5)) { rounds in
      let data = try data()
      let pieces = stride(from: 0, to: data.count, by: count).map { data[$0..<min($0 + count, data.count)] }
      return try Measurement.ratio(name, to: "at once", rounds: rounds) { () throws in
        guard let arriving = decoder.makeIncrementalDecoder(options: DecodeOptions()) else { return }
        for piece in pieces { try arriving.append(piece) }
        _ = try arriving.finish()
      } limit: {
        _ = try decoder.decode(data, minimumSize: nil, options: DecodeOptions())
      }
    }
  }
}
