extension Benchmark {
  /// Everything together: what a caller of the whole pipeline sees.
  static var pipeline: [Benchmark] { [pipelineHit, purging] + overlap }
}
