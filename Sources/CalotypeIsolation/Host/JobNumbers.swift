import Glibc

/// Random numbers of jobs, which a worker cannot foresee. The system is asked for 32 at a time.
struct JobNumbers {
  private static let count = 32

  private var spare: [UInt64] = []

  /// Returns a number from 1 to just below the mark of a report.
  mutating func next() -> UInt64 {
    while true {
      guard let number = spare.popLast() else {
        fill()
        continue
      }
      if (1..<ViolationReport.mark).contains(number) { return number }
    }
  }

  private mutating func fill() {
    spare = [UInt64](unsafeUninitializedCapacity: Self.count) { numbers, count in
      let isFilled = getentropy(numbers.baseAddress, Self.count * MemoryLayout<UInt64>.size) == 0
      if !isFilled {
        for index in 0..<Self.count { numbers[index] = .random(in: 0 ... .max) }
      }
      count = Self.count
    }
  }
}
