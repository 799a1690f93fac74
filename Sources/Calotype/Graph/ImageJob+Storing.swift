import CalotypeCaching
import CalotypeImaging
import CalotypeSupport
import FoundationEssentials

/// Stores the result.
extension ImageJob {
  func keepInMemory(_ made: ImageResult) {
    let demand = job.demand
    guard made.isStorable, demand.tiers.contains(.memory), let memory = plan.memory else { return }
    let (key, tags) = (plan.request.key, made.provenance.tags.merging(demand.tags.sorted()))
    let epoch = min(epoch, made.provenance.epoch ?? epoch)
    guard context.isValid(key, tags: tags, since: epoch) else { return }
    memory.store(
      made.cached(tags: tags), for: key,
      freshness: made.provenance.freshness(at: context.configuration.now()),
      sizeVariant: RequestIdentity.sizeVariant(of: plan.request))
    // A purge may have taken place meanwhile.
    guard context.isValid(key, tags: tags, since: epoch) else {
      memory.remove(key)
      return
    }
    log.changeStores { $0.memory = .stored }
  }

  /// Stores the result on disk in the background; skips it when too many entries wait to be stored.
  func keepOnDisk(_ made: ImageResult) async {
    let demand = job.demand
    guard made.isStorableOnDisk, !made.provenance.isStale, demand.tiers.contains(.disk),
      let disk = plan.disk?.writable, let encoding = plan.resultEncoding, let key = plan.resultKey
    else { return }
    // Confirmed without any freshness lifetime: the stored entry says the same.
    if made.isFound, made.provenance.freshUntil.map({ $0 <= context.configuration.now() }) ?? true { return }
    let tags = made.provenance.tags.merging(demand.tags.sorted())
    let plan = plan
    let epoch = min(epoch, made.provenance.epoch ?? epoch)
    do {
      let bytes = made.isFound ? made.record?.data.count ?? 0 : made.image.bitmap.byteCount
      let priority = LivePriority(.background)
      let isStored = try await context.storing(bytes, isResult: true, plan, priority: priority) {
        var metadata = RecordMetadata(
          contentType: encoding.format.mimeType, response: made.provenance.response, tags: tags)
        metadata.version = made.provenance.version
        metadata.position = made.provenance.position
        metadata.setURL(made.provenance.url, for: plan.request)
        metadata.add(userInfo: demand.userInfo)
        let image = made.image
        image.info?.store(in: &metadata)
        let data: Data
        if made.isFound {
          // In its stored form: encoding an image again would degrade it each time. A result that is only
          // in memory stays there.
          var record = made.record
          if record == nil {
            record = await self.context.readRecord(key, from: disk, plan, self.log, for: priority)?.record
          }
          guard let record, record.metadata.version == metadata.version else { return false }
          data = record.data
          metadata.cost = record.metadata.cost
        } else {
          let (encoded, cost) = try await self.context.stage(.encode, plan, self.log) {
            try await self.context.storeWorkers.run {
              let start = ContinuousClock.now
              // Without its orientation: the encoder would rotate an image that is to be stored as it is.
              let data = try plan.coders.encode(Image(bitmap: image.bitmap, info: image.info), as: encoding)
              return (data, ContinuousClock.now - start)
            }
          }
          data = encoded
          metadata.cost = made.log.timings.making + cost
        }
        return try await self.context.store(
          data, metadata, for: key, in: disk, maxAge: plan.caches.maxAge.results, plan, self.log,
          since: epoch)
      }
      if let outcome = ImageResponse.StoreOutcomes.Outcome(isStored: isStored) {
        log.changeStores { $0.disk = outcome }
      }
    } catch {
      // The caller has the image; the cache remains without it, and without an older version.
      log.changeStores { $0.disk = .failed(code: PipelineContext.code(of: error)) }
      context.counters.count(cacheError: error)
      if !made.isFound { await context.removeRecord(key, from: disk) }
    }
  }
}
