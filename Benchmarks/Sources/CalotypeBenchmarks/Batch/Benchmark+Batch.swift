import BenchmarkHarness

extension Benchmark {
  /// Whole batches: from URLs to files, on all processors. All who take part take turns in one run.
  static var batch: [Benchmark] {
    [
      Benchmark(name: "batch/500 jpegs 1-3 MP to 320 px") { rounds in
        try BatchRun(
          name: "batch/500 jpegs 1-3 MP to 320 px", subject: BatchPeers.calotype(concurrency: 6),
          limits: [
            (BatchPeers.python(threads: 2), bar: 0.65), (BatchPeers.commands, bar: 0.5),
          ]
        ).results(rounds: rounds)
      }
    ]
  }
}

/// One run of the batch by several peers in turns.
private struct BatchRun {
  let name: String
  let subject: BatchPeers.Peer
  /// Whom it is compared with, and the bar of the CPU time.
  let limits: [(peer: BatchPeers.Peer, bar: Double)]

  private struct Runner {
    let command: [String]
    var runs: [ProcessTime] = []
  }

  /// Of each limit: CPU time an image, wall time an image, and images a second; or that it is missing.
  func results(rounds: Int) throws -> [BenchmarkResult] {
    let peers = try BatchPeers()
    defer { peers.remove() }
    var runners = [Runner(command: try subject.command(peers))]
    var places: [Int?] = []
    var results: [BenchmarkResult] = []
    for limit in limits {
      do {
        runners.append(Runner(command: try limit.peer.command(peers)))
        places.append(runners.count - 1)
      } catch let skipped as Skipped {
        places.append(nil)
        results.append(
          BenchmarkResult(
            name: "\(name)/\(limit.peer.name)", bar: nil, outcome: .skipped(reason: skipped.reason)))
      }
    }
    for round in -1..<rounds {
      let order = round.isMultiple(of: 2) ? Array(runners.indices) : runners.indices.reversed()
      for index in order {
        let time = try peers.run(runners[index].command)
        // The first is the warm-up.
        if round >= 0 { runners[index].runs.append(time) }
      }
    }
    for (limit, place) in zip(limits, places) {
      guard let place else { continue }
      results += compare(limit, count: peers.count, runs: runners[0].runs, limitRuns: runners[place].runs)
    }
    return results
  }

  private func compare(
    _ limit: (peer: BatchPeers.Peer, bar: Double), count: Int, runs: [ProcessTime], limitRuns: [ProcessTime]
  ) -> [BenchmarkResult] {
    let name = "\(name)/\(limit.peer.name)"
    func measured(_ name: String, bar: Double, _ time: (ProcessTime) -> Double) -> BenchmarkResult {
      let turns = zip(runs, limitRuns).map { (time($0) / Double(count), time($1) / Double(count)) }
      return BenchmarkResult(
        name: name, bar: .ratio(bar),
        outcome: .measured(Measurement(name: name, limitName: limit.peer.name, turns: turns)))
    }
    let throughput = Throughput(
      count: count, limitName: limit.peer.name, runs: runs, limitRuns: limitRuns)
    return [
      measured(name, bar: limit.bar) { $0.milliseconds },
      measured("\(name), wall", bar: 1) { $0.wallMilliseconds },
      BenchmarkResult(name: "\(name), images", bar: nil, outcome: .throughput(throughput)),
    ]
  }
}
