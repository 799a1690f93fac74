import CalotypeCaching

/// Applies the log of purges that all nodes share.
extension PipelineContext {
  /// The number of the last purge of the shared log that was applied here; `nil` without a log.
  var position: Int? { configuration.nodes.purges?.position }

  /// Returns the use of a record after all purges of the shared log.
  ///
  /// - Parameters:
  ///   - key: The key of the record.
  ///   - metadata: The metadata of the record.
  ///   - tags: The tags of the request. A purge of one of them concerns the record too, although it may have been stored for
  ///     another request.
  func verdict(on key: CacheKey, _ metadata: RecordMetadata, for tags: [String] = []) -> PurgeVerdict {
    guard let log = configuration.nodes.purges else { return .valid }
    let verdict = log.verdict(
      source: key.source, tags: tags.isEmpty ? metadata.tags : metadata.tags.merging(tags),
      at: metadata.position)
    // Without a response, a record never becomes stale: there is nothing to ask.
    return verdict == .stale && metadata.response == nil ? .gone : verdict
  }

  /// Removes purged images from memory, and keeps jobs that began before from being joined and from storing.
  func apply(_ purges: [SharedPurge]) {
    for purge in purges {
      switch purge.scope {
      case .all:
        forget(.all) {
          configuration.caches.memory?.removeAll()
          configuration.caches.encoded?.removeAll()
          sharedImages.removeAll()
          headers.removeAll()
        }
      case .selection(let selection):
        forget(.selection(selection)) {
          configuration.caches.memory?.removeAll(selection)
          configuration.caches.encoded?.removeAll(selection)
          headers.removeAll(selection)
        }
      }
    }
  }
}
