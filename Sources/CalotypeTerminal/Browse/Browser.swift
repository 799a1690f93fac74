import CalotypeDisplay
package import Calotype
import CalotypeSupport
import Glibc

/// A table of images to scroll through. Images in the window are loaded, the next ones prefetched, and loads of images that
/// leave the window are cancelled.
///
/// One task handles all events, changes the table and draws it; the others post events to its inbox.
package struct Browser {
  /// Makes the request for an item of the list.
  package typealias Requesting = @Sendable (BrowseItem) throws -> ImageRequest

  /// The terminal that it is drawn on.
  package let terminal: GraphicsTerminal
  /// Columns and lines of a picture.
  package let cell: (columns: Int, rows: Int)
  /// Windows full of images that are prefetched.
  package let pages: Int
  private let pipeline: ImagePipeline
  private let requesting: Requesting
  private let slots: ImageSlots<Int>
  private let prefetcher: Prefetcher
  private let inbox = BrowseInbox()
  private let workers = WorkerExecutor(name: "calotype-browse", threads: 1)

  private var list: [BrowseItem] = []
  private var isListComplete = false
  private var isListCut = false
  /// Why the list could not be read to its end.
  private var failure: (any Error)?
  private var scroll = BrowseScroll()
  private var table: BrowseTable
  private var painter: BrowsePainter
  private var prefetch: (items: [Int], run: Prefetch)?
  /// Whether something else stands in the window.
  private var needsRepaint = false
  /// Cells that are observed.
  private var observed = 0

  /// Images of a list that are shown, and bytes of their names.
  package static let limit = 100_000
  package static let byteLimit = 32 << 20
  /// Between two drawings, unless a key was pressed.
  private static let pause = Duration.milliseconds(20)

  /// - Parameters:
  ///   - terminal: The terminal that it is drawn on.
  ///   - cell: Columns and lines of a picture.
  ///   - pages: Windows full of images that are prefetched.
  ///   - pipeline: The pipeline that loads images.
  ///   - requesting: Makes the request for an item.
  package init(
    _ terminal: GraphicsTerminal, cell: (columns: Int, rows: Int), pages: Int, pipeline: ImagePipeline,
    requesting: @escaping Requesting
  ) {
    (self.terminal, self.cell, self.pages) = (terminal, cell, pages)
    (self.pipeline, self.requesting) = (pipeline, requesting)
    var options = ImageSlot.Options()
    options.transitions = .never
    slots = ImageSlots(pipeline, options: options)
    prefetcher = Prefetcher(pipeline)
    table = BrowseTable(slots, requesting: requesting)
    painter = BrowsePainter(encoder: terminal.encoder)
  }

  /// The way that it ended.
  package enum Ending: Sendable {
    /// The user has quit.
    case quit
    /// The list names no images.
    case empty
  }

  /// Shows a list until the user quits.
  ///
  /// - Parameters:
  ///   - lines: The list.
  ///   - item: Makes the item of a line.
  ///   - keys: The keys of the terminal.
  ///   - changes: Has something to read when the window has changed.
  /// - Throws: The error of the list, at once if no line was read, else after the user has quit; ``TerminalError`` when the
  ///   terminal cannot be written to;
  ///   `CancellationError`.
  package mutating func run(
    list lines: LineReader, as item: @escaping @Sendable (LineReader.Line) -> BrowseItem,
    keys: DescriptorReader, changes: DescriptorReader
  ) async throws -> Ending {
    let inbox = inbox
    inbox.put { [typed = terminal.keys] contents in
      var reader = KeyReader()
      contents.keys = reader.read(typed)
      contents.needsRepaint = true
    }
    return try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      group.addTask { await Self.read(lines, as: item, into: inbox) }
      group.addTask { await Self.listen(to: keys, for: inbox) }
      group.addTask { await Self.watch(changes, for: inbox) }
      group.addTask { await Self.tick(for: inbox) }
      for await _ in inbox.news {
        let news = inbox.take()
        if !handle(news) { break }
        if isListComplete, list.isEmpty {
          if let failure { throw failure }
          return .empty
        }
        observe { slot in
          group.addTask { for await _ in slot.states { inbox.ring() } }
        }
        try await draw()
      }
      try Task.checkCancellation()
      if let failure { throw failure }
      return .quit
    }
  }

  /// Takes everything off the terminal.
  package mutating func leave() async {
    slots.cancelAll()
    prefetch?.run.cancel()
    prefetch = nil
    _ = Output.write(painter.clear(), to: terminal.output)
  }

  // MARK: Events

  /// `false` when it is the end.
  private mutating func handle(_ news: BrowseInbox.Contents) -> Bool {
    if news.isClosed || news.keys.contains(.quit) { return false }
    list += news.items
    if news.isListComplete { isListComplete = true }
    if news.isListCut { isListCut = true }
    failure = failure ?? news.listError
    scroll.grow(to: list.count)
    let layout = layout
    scroll.fit(across: layout.across, down: layout.down)
    for key in news.keys { scroll.go(key) }
    if news.needsRepaint || news.keys.contains(.repaint) { needsRepaint = true }
    table.show(scroll.visible, of: list, capacity: layout.capacity)
    lookAhead()
    return true
  }

  /// Prefetches what comes next instead of what did.
  private mutating func lookAhead() {
    let items = scroll.ahead(pages: pages)
    guard items != prefetch?.items ?? [] else { return }
    let requests = items.compactMap { try? requesting(list[$0]) }
    // The new one begins before the old one is cancelled, so that requests of both are not interrupted.
    let previous = prefetch?.run
    prefetch = (items, prefetcher.prefetch(requests))
    previous?.cancel()
  }

  /// Begins to observe the cells that are new.
  private mutating func observe(_ begin: (ImageSlot) -> Void) {
    while observed < layout.capacity {
      begin(slots[observed])
      observed += 1
    }
  }

  // MARK: Drawing

  private var layout: BrowseLayout {
    BrowseLayout(window: terminal.size, columns: cell.columns, rows: cell.rows)
  }

  private mutating func draw() async throws {
    // A shell has the terminal; when we get it back, everything is to be drawn.
    guard TerminalGuard.isInForeground else { return }
    let layout = layout
    let scenes = table.scenes(of: list, from: scroll.visible.lowerBound, in: layout)
    let status = status(layout)
    let (before, inbox, output, clears) = (painter, inbox, terminal.output, needsRepaint)
    needsRepaint = false
    let (isDone, after) = try await workers.run {
      var painter = before
      do {
        if clears, !Output.write(painter.clear(), to: output) { throw BrowsePainter.Unwritable() }
        let isDone = try painter.paint(scenes, until: { inbox.isUrgent || Task.isCancelled }) {
          Output.write($0, to: output)
        }
        let line = painter.status(status, row: layout.window.rows - 1, columns: layout.window.columns)
        guard Output.write(line, to: output) else { throw BrowsePainter.Unwritable() }
        return (isDone, painter)
      } catch is BrowsePainter.Unwritable {
        throw TerminalError.lastWrite
      }
    }
    painter = after
    if !isDone { inbox.ring() }
    if !inbox.isUrgent { try await Task.sleep(for: Self.pause) }
  }

  /// ` 13–24 of 500 · 3 loading · 1 failed · 3.9 of 64.0 MB`, and what keys do as far as there is room.
  private func status(_ layout: BrowseLayout) -> TerminalText {
    let visible = scroll.visible
    var parts = ["\(min(visible.lowerBound + 1, list.count))–\(visible.upperBound) of \(list.count)"]
    if !isListComplete { parts[0] += "…" }
    if isListCut { parts[0] += " (the rest is left out)" }
    if failure != nil { parts[0] += " (the list broke off)" }
    let loading = table.loading
    if loading > 0 { parts.append("\(loading) loading") }
    if !table.failures.isEmpty { parts.append("\(table.failures.count) failed") }
    if let memory = pipeline.cache.memoryStatistics {
      parts.append("\(Formatting.bytes(memory.bytes)) of \(Formatting.bytes(memory.byteLimit)) kept")
    }
    let columns = layout.window.columns
    let facts = TerminalText.head(of: " " + parts.joined(separator: " · "), cells: columns)
    let help = "↑ ↓  space b  g G  q quits "
    let gap = columns - facts.width - help.count
    return gap >= 2 ? TerminalText(facts.text + String(repeating: " ", count: gap) + help) : facts
  }

  // MARK: Sources of events

  private static func read(
    _ lines: LineReader, as item: (LineReader.Line) -> BrowseItem, into inbox: BrowseInbox
  ) async {
    var lines = lines
    var (count, bytes) = (0, 0)
    do {
      while let line = try await lines.next() {
        guard count < limit, bytes < byteLimit else {
          inbox.put { $0.isListCut = true }
          break
        }
        let item = item(line)
        inbox.put { $0.items.append(item) }
        (count, bytes) = (count + 1, bytes + line.text.utf8.count)
      }
      inbox.put { $0.isListComplete = true }
    } catch {
      inbox.put { contents in
        contents.isListComplete = true
        contents.listError = error
      }
    }
  }

  private static func listen(to keys: DescriptorReader, for inbox: BrowseInbox) async {
    var reader = KeyReader()
    do {
      while true {
        // The bytes of a key come at once.
        guard let bytes = try await typed(keys, patience: reader.isWithin ? .milliseconds(50) : nil) else {
          reader.giveUp()
          continue
        }
        if bytes.isEmpty { break }
        let keys = reader.read(bytes)
        if !keys.isEmpty { inbox.put { $0.keys += keys } }
      }
    } catch {
      // A terminal that is gone, or the end of the task.
    }
    inbox.put { $0.isClosed = true }
  }

  private static func typed(_ keys: DescriptorReader, patience: Duration?) async throws -> [UInt8]? {
    do {
      return try await keys.read(patience: patience)
    } catch let failure as DescriptorReader.Failure where failure.errno == EIO {
      guard !TerminalGuard.isInForeground else { throw failure }
      // In the background, what is typed is for others: stopped until it is for us, as the kernel does with threads that do not
      // block the signal.
      kill(getpid(), SIGTTIN)
      try await Task.sleep(for: .milliseconds(100))
      return nil
    }
  }

  private static func watch(_ changes: DescriptorReader, for inbox: BrowseInbox) async {
    while let bytes = try? await changes.read(), !bytes.isEmpty { inbox.put { $0.needsRepaint = true } }
  }

  /// Prefetching has no cell that tells of it.
  private static func tick(for inbox: BrowseInbox) async {
    while (try? await Task.sleep(for: .milliseconds(500))) != nil { inbox.ring() }
  }
}
