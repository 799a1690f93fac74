import Foundation
import Glibc

/// What the caches hold: an object, so that all of them do the same for a hit.
final class Cached: Sendable {
  let number: Int

  init(_ number: Int) {
    self.number = number
  }
}

/// `NSCache` as it is used: by URLs as strings, made before.
// `@unchecked`: NSCache may be used from any thread; keys are only read.
final class FoundationCache: @unchecked Sendable {
  private let cache = NSCache<NSString, Cached>()
  private let keys: [NSString]

  init(_ keys: [String], costLimit: Int = 0) {
    self.keys = keys.map { NSString(string: $0) }
    cache.totalCostLimit = costLimit
  }

  func value(_ index: Int) -> Cached? { cache.object(forKey: keys[index]) }

  func store(_ value: Cached, _ index: Int, cost: Int) {
    cache.setObject(value, forKey: keys[index], cost: cost)
  }
}

/// The common form of an image cache: a dictionary by strings over a linked list, second chance, one mutex.
// `@unchecked`: everything but the keys is only touched while the mutex is held.
final class LockedDictionaryCache: @unchecked Sendable {
  private final class Node {
    let index: Int
    let value: Cached
    let cost: Int
    var isReferenced = false
    unowned(unsafe) var previous: Node?
    unowned(unsafe) var next: Node?

    init(_ index: Int, _ value: Cached, _ cost: Int) {
      self.index = index
      self.value = value
      self.cost = cost
    }
  }

  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let keys: [String]
  private let costLimit: Int
  private var nodes: [String: Node] = [:]
  private var oldest: Node?
  private var newest: Node?
  private var cost = 0

  init(_ keys: [String], costLimit: Int = .max) {
    self.keys = keys
    self.costLimit = costLimit
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func value(_ index: Int) -> Cached? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    guard let node = nodes[keys[index]] else { return nil }
    node.isReferenced = true
    return node.value
  }

  func store(_ value: Cached, _ index: Int, cost: Int) {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    if let old = nodes.removeValue(forKey: keys[index]) { unlink(old) }
    let node = Node(index, value, cost)
    nodes[keys[index]] = node
    link(node)
    while self.cost > costLimit, let victim = oldest {
      unlink(victim)
      if victim.isReferenced {
        victim.isReferenced = false
        link(victim)
      } else {
        nodes[keys[victim.index]] = nil
      }
    }
  }

  private func link(_ node: Node) {
    node.previous = newest
    node.next = nil
    newest?.next = node
    newest = node
    if oldest == nil { oldest = node }
    cost += node.cost
  }

  private func unlink(_ node: Node) {
    if let previous = node.previous { previous.next = node.next } else { oldest = node.next }
    if let next = node.next { next.previous = node.previous } else { newest = node.previous }
    cost -= node.cost
  }
}
