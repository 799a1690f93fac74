import CalotypeSupport
import FoundationEssentials

/// A cache of recent conversions: most pictures share a few profiles, and reading one costs more than converting a
/// thumbnail. It keeps at most 16, and 8 MiB of profiles, and evicts the least recently used one.
final class ColorCache: Sendable {
  /// The cache of the process.
  static let shared = ColorCache()

  /// The largest number of conversions.
  let capacity: Int
  /// The largest number of bytes of profiles.
  let byteLimit: Int

  private struct Entry {
    let profile: ColorProfile
    let source: ColorEngine.Source
    let conversion: ColorConversion
  }

  /// The entries, the most recently used last.
  private let entries = Lock([Entry]())

  init(capacity: Int = 16, byteLimit: Int = 8 << 20) {
    self.capacity = capacity
    self.byteLimit = byteLimit
  }

  /// The number of conversions in the cache.
  var count: Int { entries.withLock { $0.count } }

  /// Returns the conversion for pixels under a profile. Threads that request the same one at the same time may all
  /// compute it; none waits for another.
  func conversion(from profile: ColorProfile, source: ColorEngine.Source) -> ColorConversion {
    if case .sRGB = profile { return .none }
    // Profiles are compared by all their bytes: with a crafted collision, a hash would give one user's colours to
    // another.
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
    // Evicted entries are freed after the lock is released.
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

extension ColorCache {
  /// Returns the transform of code points; `nil` for pixels that are not RGB, and if there is nothing to convert.
  func lightTransform(from points: ColorProfile.CodePoints, format: PixelFormat) -> LightTransform? {
    let source: ColorEngine.Source
    switch format {
    case .rgba8: source = .rgba8
    case .rgba16: source = .rgba16
    case .gray8, .cmyk8: return nil
    }
    guard case .transform(let transform) = conversion(from: .cicp(points), source: source) else { return nil }
    return transform.light
  }
}

extension ColorProfile {
  fileprivate var byteCount: Int {
    if case .icc(let bytes) = self { bytes.count } else { 0 }
  }

  /// A copy with separate memory: a profile may be a slice of a whole file.
  fileprivate var unshared: ColorProfile {
    if case .icc(let bytes) = self { .icc(Data([UInt8](bytes))) } else { self }
  }
}
