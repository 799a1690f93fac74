import CalotypeSupport
import FoundationEssentials

/// The contents of a ``PowerLossFileSystem`` at one moment: as programs see them, and as they are on the device.
public struct DeviceImage: Sendable {
  /// The fate of changes that were not synchronized when power is lost.
  public enum Loss: Hashable, Sendable, CaseIterable {
    /// Nothing.
    case everything
    /// The names of files, with contents that were written in part or not at all.
    case contents
    /// The contents of files whose names the device knows.
    case names
    /// Each change or not, by chance.
    case some
  }

  struct Node: Sendable {
    var kind: FileStatus.Kind
    var modified: Date
    var data = Data()
    var syncedData = Data()
    var entries: [String: UInt64] = [:]
    var syncedEntries: [String: UInt64] = [:]
    /// How many names it has.
    var links = 0
  }

  static let root: UInt64 = 1

  var nodes: [UInt64: Node] = [DeviceImage.root: Node(kind: .folder, modified: .distantPast, links: 1)]
  private var lastNumber = DeviceImage.root

  /// An empty device.
  public init() {}

  mutating func make(_ kind: FileStatus.Kind, modified: Date) -> UInt64 {
    lastNumber += 1
    nodes[lastNumber] = Node(kind: kind, modified: modified)
    return lastNumber
  }

  /// Gives a name to a node, or to none.
  mutating func bind(_ name: String, in folder: UInt64, to number: UInt64?) {
    if let old = nodes[folder]?.entries[name] { nodes[old]?.links -= 1 }
    nodes[folder]?.entries[name] = number
    if let number { nodes[number]?.links += 1 }
  }

  func find(_ path: some Sequence<Substring>) -> UInt64? {
    var number = Self.root
    for name in path {
      guard let next = nodes[number]?.entries[String(name)] else { return nil }
      number = next
    }
    return number
  }

  /// Returns the contents after power has come back.
  ///
  /// - Parameters:
  ///   - loss: The fate of changes that were not synchronized.
  ///   - seed: Chooses among the possibilities.
  public func afterPowerLoss(_ loss: Loss, seed: UInt64) -> DeviceImage {
    var generator = SeededGenerator(seed: seed)
    var image = self
    for number in nodes.keys.sorted() {
      guard var node = nodes[number] else { continue }
      for name in Set(node.entries.keys).union(node.syncedEntries.keys).sorted() {
        guard node.entries[name] != node.syncedEntries[name] else { continue }
        let survives = loss == .contents || (loss == .some && Bool.random(using: &generator))
        if !survives { node.entries[name] = node.syncedEntries[name] }
      }
      node.syncedEntries = node.entries
      if node.data != node.syncedData {
        switch loss {
        case .everything: node.data = node.syncedData
        case .names: break
        case .contents, .some: node.data = Self.torn(node, using: &generator)
        }
        node.syncedData = node.data
      }
      node.links = number == Self.root ? 1 : 0
      image.nodes[number] = node
    }
    for node in image.nodes.values {
      for target in node.entries.values { image.nodes[target]?.links += 1 }
    }
    return image
  }

  /// Contents of which some were written: the old ones, a part, blocks that were never filled, or all.
  private static func torn(_ node: Node, using generator: inout SeededGenerator) -> Data {
    // The device keeps what it has of bytes that were not written again.
    let kept = zip(node.data, node.syncedData).prefix { $0 == $1 }.count
    let cut = Int.random(in: kept...node.data.count, using: &generator)
    switch Int.random(in: 0..<5, using: &generator) {
    case 0: return node.syncedData
    case 1: return node.data.prefix(cut)
    case 2: return node.data.prefix(cut) + Data(repeating: 0, count: node.data.count - cut)
    case 3:
      let common = node.syncedData.prefix(node.data.count)
      return common + Data(repeating: 0, count: node.data.count - common.count)
    default: return node.data
    }
  }
}
