import CalotypeSupport

@testable package import Calotype

extension ImagePipeline {
  /// A pipeline that shares nothing with any other.
  package static func isolated(
    memory: Bool = true, disk: DiskCache? = nil, loader: any ImageLoading = Samples.loader
  ) -> ImagePipeline {
    ImagePipeline(
      .init(loader: loader, memoryCache: memory ? MemoryCache(byteLimit: 256 << 20) : nil, diskCache: disk))
  }

  /// Its jobs.
  package nonisolated var jobs: JobRegistry { context.jobs }

  /// Places in the jobs that make images.
  package var subscribers: Int { jobs.images.all.reduce(0) { $0 + $1.subscriberCount } }

  /// Places in the jobs that obtain originals.
  package var originalSubscribers: Int { jobs.originals.all.reduce(0) { $0 + $1.subscriberCount } }

  /// Waits until every job has wound up, stores included.
  package func settle() async {
    while !jobs.isEmpty || !jobs.isIdle {
      await jobs.idle()
      await flush()
      // The last job has ended, and is about to leave its table.
      await Task.yield()
    }
  }

  /// Whether no job and no task of one is left, and nobody waits.
  package var isAtRest: Bool {
    jobs.isEmpty && jobs.isIdle && context.loads.statistics.running == 0
      && context.loads.statistics.waiting == 0 && context.decodes.statistics.running == 0
      && context.decodes.statistics.waiting == 0
  }
}
