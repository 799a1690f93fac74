import CalotypeCaching
public import CalotypeImaging
import CalotypeSupport
public import FoundationEssentials

extension ImageCache {
  /// Stores an image, replacing the image of the key, and returns when it is in the tiers.
  ///
  /// On disk, an image is encoded: upright and in sRGB. With ``Encoding/automatic`` that is a PNG if a pixel is
  /// transparent, and a JPEG otherwise, which changes the pixels slightly. A tier that is not among `tiers` loses the
  /// previous image of the key, so that no query returns it any more.
  ///
  /// - Parameters:
  ///   - image: The image, as queries in memory return it.
  ///   - data: The encoded image, to be stored on disk unchanged; `nil` encodes the image.
  ///   - key: The key.
  ///   - tiers: The tiers to store it in. A tier that the cache does not have, or that is read-only, is left out.
  ///   - options: Tags, lifetime and form.
  /// - Throws: `ImagingError` if the image cannot be encoded, or if the data is no image that the coders can decode and
  ///   the limits permit; nothing has changed then. `CachingError` if it cannot be stored on disk; it is in memory
  ///   nevertheless, and the previous one is gone. After `CachingError.cancelled`, the disk has the
  ///   image or the previous one.
  /// - Complexity: O(pixels) on a thread of the cache, if the image is encoded.
  public func store(
    _ image: Image, data: Data? = nil, for key: String, in tiers: Tiers = .all,
    options: StoreOptions = StoreOptions()
  ) async throws {
    try await queries.counting {
      var encoded: Encoded?
      if let data {
        encoded = try await checked(data)
      } else if tiers.contains(.disk), writableDisk != nil {
        let (coders, encoding) = (configuration.coders, options.encoding ?? configuration.encoding)
        encoded = try await encode {
          let options = try encoding.options(for: image)
          return Encoded(data: try coders.encode(image, as: options), format: options.format)
        }
      }
      try await store(image, nil, encoded, for: key, in: tiers, options)
    }
  }

  /// Stores an animation, like ``store(_:data:for:in:options:)``. One frame is a still image.
  ///
  /// With ``Encoding/automatic`` it becomes an animated WebP. In memory is the first frame as it was given, and the
  /// animation as it was encoded.
  ///
  /// - Parameters:
  ///   - frames: The frames; all of them have the same size.
  ///   - loopCount: The number of plays; 0 repeats for ever.
  ///   - key: The key.
  ///   - tiers: The tiers to store it in.
  ///   - options: Tags, lifetime and form.
  /// - Throws: As ``store(_:data:for:in:options:)``; `ImagingError.unsupportedFormat` if the format has no animations.
  public func store(
    frames: [AnimationSource.Frame], loopCount: Int = 0, for key: String, in tiers: Tiers = .all,
    options: StoreOptions = StoreOptions()
  ) async throws {
    guard let first = frames.first else {
      throw ImagingError.invalidParameter(name: "frames", reason: "there are none")
    }
    let image = Image(bitmap: first.bitmap)
    guard frames.count > 1 else { return try await store(image, for: key, in: tiers, options: options) }
    try await queries.counting {
      let (coders, limits) = (configuration.coders, configuration.limits)
      let encoding = options.encoding ?? configuration.encoding
      let encoded = try await encode {
        let options = encoding.options(forAnimationOf: first.bitmap.size)
        let source = AnimationSource(frameCount: frames.count, loopCount: loopCount) { frames[$0] }
        return Encoded(data: try coders.encode(source, as: options), format: options.format)
      }
      let animation = try await workers.run {
        try AnimatedImage(data: encoded.data, coders: coders, options: DecodeOptions(limits: limits))
      }
      try await store(image, animation, encoded, for: key, in: tiers, options)
    }
  }

  /// Stores an encoded image on disk, unchanged, replacing the image of the key. It is decoded by the first query.
  ///
  /// - Throws: As ``store(_:data:for:in:options:)``.
  public func store(_ data: Data, for key: String, options: StoreOptions = StoreOptions()) async throws {
    try await queries.counting {
      try await store(nil, nil, try await checked(data), for: key, in: .disk, options)
    }
  }

  /// Waits until all images that were stored so far are on the device, where they survive a loss of power.
  ///
  /// - Throws: `CachingError`.
  public func flush() async throws { try await disk?.flush() }

  /// An encoded image.
  private struct Encoded: Sendable {
    let data: Data
    let format: ImageFormat
  }

  private func encode(_ body: @Sendable () throws -> Encoded) async throws -> Encoded {
    counters.withLock { $0.encodes += 1 }
    return try await workers.run(body)
  }

  /// Reads the header of data from the program, so that nothing is stored that is no image.
  private func checked(_ data: Data) async throws -> Encoded {
    let (coders, limits) = (configuration.coders, configuration.limits)
    return try await workers.run {
      Encoded(data: data, format: try coders.decodableInfo(of: data, limits: limits).format)
    }
  }

  private func store(
    _ image: Image?, _ animation: AnimatedImage?, _ encoded: Encoded?, for key: String, in tiers: Tiers,
    _ options: StoreOptions
  ) async throws {
    let (key, tags, time) = (keys.key(key), options.tags.map { keys.tag($0) }, now())
    let expires = options.lifetime.map { time.addingTimeInterval($0 / .seconds(1)) }
    try await change(key) {
      // All sizes of the previous image.
      memory?.removeAll(.source(key.source))
      if tiers.contains(.memory), let image {
        let end = diskCache?.configuration.storedExpiry(of: time)
        let life = [expires, tiers.contains(.disk) ? end : nil].compactMap(\.self).min()
        put(cached(image, animation, expires: life, tags: tags), for: key)
      }
      guard let disk = writableDisk else { return }
      await migrated()
      do throws(CachingError) {
        if tiers.contains(.disk), let encoded {
          let metadata = RecordMetadata(
            contentType: encoded.format.mimeType, expires: expires, tags: tags)
          try await disk.store(encoded.data, metadata: metadata, for: key)
        } else if try await disk.contains(key) {
          try await disk.remove(key)
        }
      } catch {
        // The previous image must not come back when memory evicts this one.
        if error == .cancelled {
          memory?.removeAll(.source(key.source))
        } else {
          _ = try? await disk.remove(key)
        }
        throw error
      }
    }
  }
}
