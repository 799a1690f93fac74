public import CalotypeSupport
package import FoundationEssentials
import Glibc

/// A file system in memory that knows what a loss of power would leave: contents of files that were synchronized, and
/// names whose folder was.
///
/// ```swift
/// let files = PowerLossFileSystem()
/// let cache = DiskCache(configuration, fileSystem: files)
/// …
/// let after = PowerLossFileSystem(files.image.afterPowerLoss(.everything, seed: 1))
/// let survivor = DiskCache(configuration, fileSystem: after)
/// ```
public final class PowerLossFileSystem: FileSystem {
  /// The objects that can be synchronized.
  public enum Part: Hashable, Sendable, CaseIterable {
    /// Contents of files.
    case contents
    /// Names in folders.
    case names
  }

  /// Called after each change with what there is then, on the thread that made it.
  public typealias Observer = @Sendable (_ image: DeviceImage) -> Void

  private struct State {
    var image: DeviceImage
    /// Files that are locked.
    var locks: Set<UInt64> = []
  }

  private let state: Lock<State>
  private let ignored: Set<Part>
  private let observer: Observer?

  /// Starts with an empty device, or with what one holds.
  ///
  /// - Parameters:
  ///   - image: The contents.
  ///   - ignored: Objects whose synchronization is ignored, to check that a test notices.
  ///   - observer: Called after each change.
  public init(
    _ image: DeviceImage = DeviceImage(), ignoring ignored: Set<Part> = [], observer: Observer? = nil
  ) {
    state = Lock(State(image: image))
    self.ignored = ignored
    self.observer = observer
  }

  /// The present contents.
  public var image: DeviceImage { state.withLock { $0.image } }

  private func failure(_ operation: String, _ path: String, _ code: Int32) -> FileSystemError {
    FileSystemError(operation: operation, path: path, code: code)
  }

  /// The folder and the last name of a path.
  private func place(
    _ path: String, in image: DeviceImage
  ) throws(FileSystemError) -> (folder: UInt64, name: String) {
    let names = path.split(separator: "/")
    guard let name = names.last, let folder = image.find(names.dropLast()),
      image.nodes[folder]?.kind == .folder
    else { throw failure("open", path, ENOENT) }
    return (folder, String(name))
  }

  private func change<Result>(
    _ body: (inout DeviceImage) throws(FileSystemError) -> Result
  ) throws(FileSystemError) -> Result {
    let (result, image) = try state.withLock { state throws(FileSystemError) in
      (try body(&state.image), observer == nil ? nil : state.image)
    }
    if let image { observer?(image) }
    return result
  }

  private func status(of number: UInt64, in image: DeviceImage) -> FileStatus? {
    image.nodes[number].map { node in
      FileStatus(
        kind: node.kind, size: node.data.count, modified: node.modified, identity: number,
        isLinked: node.links > 0)
    }
  }

  // MARK: Files

  /// Reads a file; never waits.
  package func contents(
    of path: String, limit: Int, mayWait: Bool
  ) throws(FileSystemError) -> FileContents? {
    guard let file = try open(path) else { return nil }
    let count = file.status.size <= limit ? file.status.size : 0
    return FileContents(status: file.status, bytes: try file.read(at: 0, count: count))
  }

  /// Opens a file for reading.
  package func open(_ path: String) throws(FileSystemError) -> (any FileReading)? {
    let image = image
    guard let number = image.find(path.split(separator: "/")), let status = status(of: number, in: image)
    else {
      return nil
    }
    guard status.kind == .regular else { throw failure("open", path, EINVAL) }
    return PowerLossFile(number: number, status: status, owner: self)
  }

  /// Opens a file for reading and appending.
  package func openShared(_ path: String) throws(FileSystemError) -> any SharedFile {
    let now = Date.now
    let (number, status) = try change { image throws(FileSystemError) -> (UInt64, FileStatus?) in
      let (folder, name) = try self.place(path, in: image)
      let known = image.nodes[folder]?.entries[name]
      let number = known ?? image.make(.regular, modified: now)
      if known == nil { image.bind(name, in: folder, to: number) }
      return (number, self.status(of: number, in: image))
    }
    guard let status, status.kind == .regular else { throw failure("open", path, EINVAL) }
    return PowerLossFile(number: number, status: status, owner: self)
  }

  /// Writes a new file.
  package func create(
    _ path: String, parts: [Data], modified: Date, synchronize: Bool
  ) throws(FileSystemError) {
    try change { image throws(FileSystemError) in
      let (folder, name) = try self.place(path, in: image)
      let number = image.make(.regular, modified: modified)
      image.nodes[number]?.data = parts.reduce(into: Data()) { $0 += $1 }
      image.bind(name, in: folder, to: number)
      if synchronize { self.synchronize(number, in: &image) }
    }
  }

  /// Renames a file.
  package func rename(_ path: String, to newPath: String, synchronize: Bool) throws(FileSystemError) {
    try change { image throws(FileSystemError) in
      let (old, new) = (try self.place(path, in: image), try self.place(newPath, in: image))
      guard let number = image.nodes[old.folder]?.entries[old.name] else {
        throw self.failure("rename", path, ENOENT)
      }
      image.bind(new.name, in: new.folder, to: number)
      image.bind(old.name, in: old.folder, to: nil)
      if synchronize { self.synchronize(new.folder, in: &image) }
    }
  }

  /// Gives a file a second name.
  package func link(_ path: String, to newPath: String) throws(FileSystemError) {
    try change { image throws(FileSystemError) in
      let (old, new) = (try self.place(path, in: image), try self.place(newPath, in: image))
      guard let number = image.nodes[old.folder]?.entries[old.name] else {
        throw self.failure("link", path, ENOENT)
      }
      guard image.nodes[new.folder]?.entries[new.name] == nil else {
        throw self.failure("link", newPath, EEXIST)
      }
      image.bind(new.name, in: new.folder, to: number)
    }
  }

  /// Removes a file.
  package func remove(_ path: String) throws(FileSystemError) -> Bool {
    guard image.find(path.split(separator: "/")) != nil else { return false }
    return try change { image throws(FileSystemError) in
      let (folder, name) = try self.place(path, in: image)
      guard image.nodes[folder]?.entries[name] != nil else { return false }
      image.bind(name, in: folder, to: nil)
      return true
    }
  }

  /// Sets a modification time.
  package func touch(_ path: String, modified: Date) throws(FileSystemError) {
    try change { image throws(FileSystemError) in
      guard let number = image.find(path.split(separator: "/")) else { return }
      image.nodes[number]?.modified = modified
    }
  }

  /// The object that a name stands for.
  package func status(_ path: String) throws(FileSystemError) -> FileStatus? {
    let image = image
    return image.find(path.split(separator: "/")).flatMap { status(of: $0, in: image) }
  }

  /// Lists a folder.
  package func list(
    _ folder: String, _ body: (_ name: String, _ status: FileStatus) -> Void
  ) throws(FileSystemError) {
    let image = image
    guard let number = image.find(folder.split(separator: "/")), let node = image.nodes[number] else {
      return
    }
    for (name, target) in node.entries {
      if let status = status(of: target, in: image) { body(name, status) }
    }
  }

  /// Makes folders.
  package func makeFolder(_ path: String) throws(FileSystemError) {
    let now = Date.now
    try change { image throws(FileSystemError) in
      var folder = DeviceImage.root
      for name in path.split(separator: "/") {
        let known = image.nodes[folder]?.entries[String(name)]
        let next = known ?? image.make(.folder, modified: now)
        if known == nil { image.bind(String(name), in: folder, to: next) }
        folder = next
      }
    }
  }

  // MARK: The device

  private func synchronize(_ number: UInt64, in image: inout DeviceImage) {
    guard var node = image.nodes[number] else { return }
    if !ignored.contains(.contents) { node.syncedData = node.data }
    if !ignored.contains(.names) { node.syncedEntries = node.entries }
    image.nodes[number] = node
  }

  /// Puts the contents of a file, or the names of a folder, on the device.
  package func synchronize(_ path: String) throws(FileSystemError) -> Bool {
    try change { image throws(FileSystemError) in
      guard let number = image.find(path.split(separator: "/")) else { return false }
      self.synchronize(number, in: &image)
      return true
    }
  }

  /// Puts everything on the device.
  package func synchronizeAll(at folder: String) throws(FileSystemError) -> Bool {
    try change { image throws(FileSystemError) in
      guard image.find(folder.split(separator: "/")) != nil else { return false }
      for number in image.nodes.keys { self.synchronize(number, in: &image) }
      return true
    }
  }

  // MARK: Open files

  fileprivate func currentStatus(of number: UInt64) -> FileStatus? { status(of: number, in: image) }

  fileprivate func data(of number: UInt64) -> Data { image.nodes[number]?.data ?? Data() }

  fileprivate func write(
    _ number: UInt64, synchronize: Bool = false, _ body: (inout Data) -> Void
  ) throws(FileSystemError) {
    try change { image throws(FileSystemError) in
      body(&image.nodes[number, default: DeviceImage.Node(kind: .regular, modified: .now)].data)
      if synchronize { self.synchronize(number, in: &image) }
    }
  }

  fileprivate func lock(_ number: UInt64) -> Bool { state.withLock { $0.locks.insert(number).inserted } }

  fileprivate func unlock(_ number: UInt64) { state.withLock { _ = $0.locks.remove(number) } }
}

private struct PowerLossFile: SharedFile {
  let number: UInt64
  let status: FileStatus
  let owner: PowerLossFileSystem

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int {
    let piece = owner.data(of: number).dropFirst(offset).prefix(buffer.count)
    buffer.copyBytes(from: piece)
    return piece.count
  }

  func currentStatus() throws(FileSystemError) -> FileStatus { owner.currentStatus(of: number) ?? status }

  func append(_ data: Data, synchronize: Bool) throws(FileSystemError) {
    try owner.write(number, synchronize: synchronize) { $0.append(data) }
  }

  func overwrite(_ data: Data) throws(FileSystemError) {
    try owner.write(number) { $0 = data + $0.dropFirst(data.count) }
  }

  func truncate(to length: Int) throws(FileSystemError) {
    try owner.write(number) { $0 = Data($0.prefix(length)) }
  }

  func tryLock() throws(FileSystemError) -> Bool { owner.lock(number) }

  func unlock() { owner.unlock(number) }
}
