/// The running mean of the time that flights take, for each host. A pure value.
package struct FlightDurations: Sendable {
  /// The most hosts that are remembered. Another one takes the place of the one that was noted longest ago.
  package static let maxHosts = 256
  /// The flights that a mean needs before it counts alone: the first may have been fast by chance, and all others would be
  /// doubled.
  package static let leastFlights = 10
  /// The flights that a mean is made of; the more, the less do nodes differ, of which the most impatient one decides.
  private static let memory = 50

  private struct Mean {
    var value: Duration
    var count = 1
    var number: Int
  }

  private let factor: Double
  private let floor: Duration
  private let fallback: Duration
  private var means: [String: Mean] = [:]
  private var number = 0

  /// Creates an empty table.
  ///
  /// - Parameters:
  ///   - factor: Times the mean is the age at which a flight is slow.
  ///   - floor: The least such age.
  ///   - fallback: The age for a host that is not known.
  package init(factor: Double = 3, floor: Duration = .milliseconds(500), fallback: Duration = .seconds(3)) {
    self.factor = factor
    self.floor = floor
    self.fallback = fallback
  }

  /// The number of hosts.
  package var count: Int { means.count }

  /// A flight took this long.
  package mutating func note(_ duration: Duration, host: String) {
    number += 1
    if var mean = means[host] {
      mean.count = min(mean.count + 1, Self.memory)
      mean.value += (duration - mean.value) / mean.count
      mean.number = number
      means[host] = mean
      return
    }
    if means.count >= Self.maxHosts, let oldest = means.min(by: { $0.value.number < $1.value.number }) {
      means[oldest.key] = nil
    }
    means[host] = Mean(value: duration, number: number)
  }

  /// The age from which on a flight is slow.
  package func slowAge(host: String) -> Duration {
    guard let mean = means[host] else { return max(floor, fallback) }
    let age = max(floor, mean.value * factor)
    return mean.count < Self.leastFlights ? max(age, fallback) : age
  }
}
