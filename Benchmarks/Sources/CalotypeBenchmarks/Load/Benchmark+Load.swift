import BenchmarkHarness
import FoundationEssentials

extension Benchmark {
  /// A pipeline that has more to do than it can: what each of its limits lets through, and what others notice.
  static var load: [Benchmark] { small + oneImage + [oneImageBesideTasks] + memoryUnderLoad + waiting }

  /// CPU time an image, beside its decoder alone.
  private static var small: [Benchmark] {
    [(1, 5_000), (16, 10_000), (256, 20_000)].map { callers, count in
      let name = "load/uncached 8x8/\(callers) callers"
      return Benchmark(name: name) { rounds in
        let runs = try (0..<max(1, min(rounds, 5))).map { _ in
          try LoadChild.figures("small", "\(callers)", "\(count)")
        }
        return Measurement(name: name, limitName: "decoder alone", turns: runs.map { ($0[0], $0[1]) })
      }
    }
  }

  /// CPU time of all callers together: twice as many may take 2 to the power of 1.1 times as long.
  private static var oneImage: [Benchmark] {
    [1_000, 2_000, 4_000, 8_000].map { callers in
      let name = "load/one image/\(callers) callers"
      return Benchmark(name: name, bar: .ratio(2.14)) { rounds in
        // Those who take longest are measured once.
        let turns = try (0..<(callers < 4_000 ? max(1, min(rounds, 3)) : 1)).map { _ in
          (
            subject: try LoadChild.figures("one-image", "\(callers)")[0],
            limit: try LoadChild.figures("one-image", "\(callers / 2)")[0]
          )
        }
        return Measurement(name: name, limitName: "\(callers / 2) callers", turns: turns)
      }
    }
  }

  /// CPU time of 8,000 callers in the pipeline beside that of 8,000 tasks that wait for a gate.
  private static var oneImageBesideTasks: Benchmark {
    let name = "load/one image/8000 callers beside their tasks alone"
    return Benchmark(name: name) { rounds in
      let turns = try (0..<max(1, min(rounds, 5))).map { _ in
        (
          subject: try LoadChild.figures("one-image", "8000")[0],
          limit: try LoadChild.figures("waiting-tasks", "8000")[0]
        )
      }
      return Measurement(name: name, limitName: "tasks that wait for a gate", turns: turns)
    }
  }

  private static var memoryUnderLoad: [Benchmark] {
    [
      quantities("load/unanswered host/100000 requests") { name in
        let figures = try LoadChild.figures("unanswered", "100000")
        let (growth, requests, refused) = (figures[0], figures[1], figures[2])
        return [
          ("\(name), growth", 1, Quantity(growth / mebi, unit: "MiB", limitName: "1 KiB each", limit: 100)),
          (
            "\(name), made before memory ran short", nil,
            Quantity(requests, unit: "requests", limitName: "all", limit: 100_000)
          ),
          (
            "\(name), ended at once", nil,
            Quantity(refused, unit: "requests", limitName: "made", limit: requests)
          ),
        ]
      },
      quantities("load/24 MP/400 thumbnails at once") { name in
        originals(name, try LoadChild.figures("originals", LoadFigures.photo()))
      },
      quantities("load/24 MP/100 uploads at once") { name in
        originals(name, try LoadChild.figures("uploads", LoadFigures.photo()))
      },
    ]
  }

  /// Times of the clock: who waits is not working.
  private static var waiting: [Benchmark] {
    [
      ratio("load/slow host/60 requests of 5 s", to: "without them", bar: 2) {
        let figures = try LoadChild.figures("slow-host")
        return (figures[0], figures[1])
      },
      ratio("load/small image/behind 16 photos of 24 MP", to: "one such photo", bar: 4) {
        let figures = try LoadChild.figures("heavy", LoadFigures.photo(), "16")
        return (figures[0], figures[1])
      },
      ratio("load/locked cache folder/milliseconds an image", to: "no disk cache", bar: 1.11) {
        let seconds = 10
        func milliseconds(_ isLocked: Bool) throws -> Double {
          let count = try LoadChild.figures("locked", "\(seconds)", isLocked ? "1" : "0")[0]
          return Double(seconds) * 1000 / max(1, count)
        }
        return (try milliseconds(true), try milliseconds(false))
      },
    ] + photoAtHand
  }

  /// 100 bodies take the places of decoders, 1,000 those of loads as well.
  private static var photoAtHand: [Benchmark] {
    [100, 1_000].map { bodies in
      ratio("load/photo at hand/while \(bodies) bodies drip", to: "without them", bar: 1.5) {
        let photo = try LoadFigures.photo()
        return (
          try LoadChild.figures("dripping", photo, "\(bodies)")[0],
          try LoadChild.figures("dripping", photo, "0")[0]
        )
      }
    }
  }

  private static let mebi = 1_048_576.0

  private static func originals(
    _ name: String, _ figures: [Double]
  ) -> [(String, Double?, Quantity)] {
    let limit = figures[1] / mebi
    func mebibytes(_ index: Int) -> Quantity {
      Quantity(figures[index] / mebi, unit: "MiB", limitName: "memory", limit: limit)
    }
    return [
      ("\(name), bytes held at the peak", 1, mebibytes(0)),
      ("\(name), growth at the peak", nil, mebibytes(2)),
      ("\(name), growth 10 s later", nil, mebibytes(3)),
      (
        "\(name), missing", nil,
        Quantity(figures[4], unit: "images", limitName: "none", limit: 1)
      ),
    ]
  }

  /// Amounts, some of which have a bar: a multiple of what they are held against.
  private static func quantities(
    _ name: String, _ measure: @escaping (_ name: String) throws -> [(String, Double?, Quantity)]
  ) -> Benchmark {
    Benchmark(name: name) { _ in
      try measure(name).map { name, bar, quantity in
        BenchmarkResult(name: name, bar: bar.map { .ratio($0) }, outcome: .quantity(quantity))
      }
    }
  }

  /// Times measured in one run with what they are compared with, once.
  private static func ratio(
    _ name: String, to limitName: String, bar: Double,
    _ measure: @escaping () throws -> (subject: Double, limit: Double)
  ) -> Benchmark {
    Benchmark(name: name, bar: .ratio(bar)) { _ in
      Measurement(name: name, limitName: limitName, turns: [try measure()])
    }
  }
}
