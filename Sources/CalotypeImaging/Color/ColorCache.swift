import CalotypeSupport
import FoundationEssentials

/// Conversions that were worked out lately: most pictures share a few profiles, and reading one costs more than
/// converting a thumbnail. At most 16, and 8 MiB of profiles; the one not used for longest goes first.
final class ColorCache: Sendable {
  /// The cache of the process.
  static let shared = ColorCache()

  /// Conversions kept at most.
  let capacity: Int
  /// Bytes of profiles kept at most.
  let byteLimit: Int

  private struct Entry {
    let profile: ColorProfile
    let source: ColorEngine.Source
    let conversion: ColorConversion
  }

  /// Last used last.
  private let entries = Lock([Entry]())

  init(capacity: Int = 16, byteLimit: Int = 8 << 20) {
    self.capacity = capacity
    self.byteLimit = byteLimit
  }

  /// Conversions kept now.
  var count: Int { entries.withLock { $0.count } }

  /// The conversion for pixels under a profile. Threads that ask for the same at the same time may all work it out;
  /// none waits for another.
  func conversion(from profile: ColorProfile, source: ColorEngine.Source) -> ColorConversion {
    if case .sRGB = profile { return .none }
    // Compared by all its bytes: a hash could be made to collide, and would give one user's colours to another.
    let known = entries.withLock { entries -> ColorConversion? in
      guard let index = entries.lastIndex(where: { $0.source == source && $0.profile == profile }) else {
        return nil
      }
      let entry = entries.remove(at: index)
      entries.append(entry)
      return entry.conversion
    }
    if let known { return known }
    let conversion = ColorConversion(from: profile, source: source)
    let byteCount = profile.byteCount
    guard byteCount <= byteLimit, capacity > 0 else { return conversion }
    let entry = Entry(profile: profile.unshared, source: source, conversion: conversion)
    // What falls out is freed after the lock is given back.
    let dropped = entries.withLock { entries -> [Entry] in
      var dropped: [Entry] = []
      if let index = entries.firstIndex(where: { $0.source == source && $0.profile == profile }) {
        dropped.append(entries.remove(at: index))
      }
      entries.append(entry)
      var total = entries.reduce(0) { $0 + $1.profile.byteCount }
      while entries.count > capacity || total > byteLimit {
        let oldest = entries.removeFirst()
        total -= oldest.profile.byteCount
        dropped.append(oldest)
      }
      return dropped
    }
    _ = consume dropped
    return conversion
  }
}

extension ColorProfile {
  fileprivate var byteCount: Int {
    if case .icc(let bytes) = self { bytes.count } else { 0 }
  }

  /// The same in memory of its own: a profile may be a slice of a whole file.
  fileprivate var unshared: ColorProfile {
    if case .icc(let bytes) = self { .icc(Data([UInt8](bytes))) } else { self }
  }
}
