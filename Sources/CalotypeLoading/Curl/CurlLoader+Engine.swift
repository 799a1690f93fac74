import CalotypeSupport

extension CurlLoader {
  /// Creates a loader with its own thread and connections.
  public convenience init(_ configuration: Configuration = Configuration()) {
    let core = CurlCore(configuration)
    self.init(configuration, engine: core)
    Threads.start(name: "calotype-curl") { CurlLoop.run(core) }
  }
}
