import BenchmarkHarness

extension Benchmark {
  /// An encode beside the operation of a peer on a file, with the bytes of both.
  ///
  /// - Parameter encode: Returns its number of bytes.
  static func encode(
    _ name: String, beside peer: String, _ operation: String, on path: String, rounds: Int,
    _ encode: () throws -> Int
  ) throws -> Measurement {
    let peers = try Peers.start()
    var counts = (ours: 0, theirs: 0)
    var measurement = try Measurement.ratio(name, to: peer, rounds: rounds) { () throws in
      counts.ours = try encode()
    } limitMilliseconds: {
      let run = try peers.run(operation, on: path)
      counts.theirs = run.result
      return run.milliseconds
    }
    measurement.byteCount = counts.ours
    measurement.limitByteCount = counts.theirs
    return measurement
  }
}
