import BenchmarkHarness
import FoundationEssentials

extension Benchmark {
  /// Transfers from a server on loopback against curl and AsyncHTTPClient, as whole processes, and what a large download
  /// takes at its peak.
  static var loading: [Benchmark] {
    let small = "loading/small 2000x50KB 64 concurrent"
    let large = "loading/large 4x20MB"
    return [
      againstCurl("\(small)/curl") { try smallFiles(LocalServer.nginx()) },
      Benchmark(name: "\(small)/AsyncHTTPClient", bar: .ratio(0.667), wallBar: nil) { rounds in
        let peers = try smallFiles(LocalServer.nginx())
        return try Measurement.ratiosOfProcesses(
          "\(small)/AsyncHTTPClient", to: "AsyncHTTPClient", rounds: rounds, subject: peers.calotype,
          limit: peers.asyncHTTPClient)
      },
      againstCurl("\(large)/dropped") {
        var peers = try largeFiles()
        peers.isStreaming = true
        return peers
      },
      againstCurl("\(large)/to files") {
        var peers = try largeFiles()
        peers.target = peers.server.folder.appending(path: "target")
        return peers
      },
      againstCurl("loading/http2 2000x50KB 64 concurrent/curl") { try smallFiles(LocalServer.nghttpd()) },
      Benchmark(name: "loading/memory 1 GiB body to a file", bar: .mebibytes(16)) {
        let server = try LocalServer.nginx()
        try server.serve("warm-up", byteCount: 1)
        try server.serve("body", byteCount: 1 << 30, isHole: true)
        return try PeakMemory(
          of: LoadingPeers.child(), arguments: ["--peak", server.address, server.folder.path])
      },
      hedged,
    ]
  }

  /// The slowest of many loads from a server that stalls one request in a hundred for a second, by the clock, because a
  /// load that waits takes no processor time.
  private static var hedged: Benchmark {
    let name = "loading/hedged 10000x10KB, 1 % stalled"
    let loads = 10_000
    return Benchmark(name: name) { _ in
      let with = try LoadChild.figures("hedged", "\(loads)", "1")
      let without = try LoadChild.figures("hedged", "2000", "0")
      func ratio(_ label: String, _ figures: [Double], _ index: Int, bar: Bar?) -> BenchmarkResult {
        let name = "\(name), \(label)"
        let turns = [(subject: figures[index], limit: figures[1])]
        return BenchmarkResult(
          name: name, bar: bar, outcome: .measured(Measurement(name: name, limitName: "median", turns: turns))
        )
      }
      let extra = Quantity(with[3], unit: "requests", limitName: "5 %", limit: Double(loads) / 20)
      return [
        ratio("99th percentile", with, 0, bar: .ratio(3)),
        ratio("99.9th percentile", with, 2, bar: .ratio(5)),
        ratio("99.9th percentile without hedging", without, 2, bar: nil),
        BenchmarkResult(name: "\(name), sent twice", bar: .ratio(1), outcome: .quantity(extra)),
      ]
    }
  }

  private static func smallFiles(_ server: LocalServer) throws -> LoadingPeers {
    try LoadingPeers(server, file: "small.bin", byteCount: 50_000, transfers: 2_000, concurrency: 64)
  }

  private static func largeFiles() throws -> LoadingPeers {
    try LoadingPeers(
      LocalServer.nginx(), file: "large.bin", byteCount: 20_000_000, transfers: 4, concurrency: 4)
  }

  private static func againstCurl(_ name: String, _ peers: @escaping () throws -> LoadingPeers) -> Benchmark {
    Benchmark(name: name, bar: .ratio(1.1), wallBar: .ratio(1.1)) { rounds in
      let peers = try peers()
      return try Measurement.ratiosOfProcesses(
        name, to: "curl --parallel", rounds: rounds, subject: peers.calotype, limit: peers.curl)
    }
  }
}
