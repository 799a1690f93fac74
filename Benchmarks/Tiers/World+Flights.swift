import CalotypeCaching
import CalotypeTiers
import FoundationEssentials

extension World {
  /// Gets a record from the bucket, from another node or from the origin.
  func obtain(_ node: SimulatedNode, _ key: Int, waits: Bool) {
    get(node, key) { position in
      if let position { return self.finish(node, key, position) }
      guard self.scenario.coordinates else { return self.solo(node, key) }
      // Nothing could be shared.
      if !self.scenario.isInline, node.bucket.isOpen { return self.solo(node, key) }
      self.nextToken += 1
      self.attempt(node, key, self.nextToken, FlightState(waits: waits, deadline: nil))
    }
  }

  private func solo(_ node: SimulatedNode, _ key: Int) {
    fetch(node, key, token: nil) { position in
      guard let position else { return self.solo(node, key) }
      self.write(node, key, position)
      self.finish(node, key, position)
    }
  }

  /// One attempt to take the lease, by the state machine of the library.
  private func attempt(_ node: SimulatedNode, _ key: Int, _ token: Int, _ state: FlightState) {
    let waits = !node.joined[key, default: []].isEmpty
    command(node) { isAnswered in
      guard isAnswered else { return self.act(node, key, token, state, .answered(.unavailable), nil) }
      let slow = waits ? node.durations.slowAge(host: "").seconds : nil
      let (answer, position) = self.redis.acquire(
        key, token: token, node: waits ? node.index : nil, position: node.table.position, lease: Self.lease,
        slowAge: slow, now: self.queue.now)
      self.act(node, key, token, state, .answered(answer), position)
    }
  }

  private func act(
    _ node: SimulatedNode, _ key: Int, _ token: Int, _ state: FlightState, _ event: FlightState.Event,
    _ position: Int?
  ) {
    var state = state
    switch state.handle(event, at: queue.instant, spread: random.unit()) {
    case .acquire: attempt(node, key, token, state)
    case .wait(let duration):
      figures.waits += 1
      var isOver = false
      let next = state
      func go(_ event: FlightState.Event) {
        guard !isOver else { return }
        isOver = true
        node.wakes[key] = nil
        act(node, key, token, next, event, nil)
      }
      node.wakes[key] = { go(.woken) }
      queue.after(duration.seconds) { go(.waited) }
    case .end(.lead(let isHedge)):
      if isHedge { figures.hedges += 1 }
      lead(node, key, token)
    case .end(.outcome(.value)): finish(node, key, position)
    case .end(.outcome): again(node, key, 0)
    case .end(.busy): finish(node, key, nil)
    case .end(.alone): solo(node, key)
    }
  }

  /// A record was stored: it is read, a few times.
  private func again(_ node: SimulatedNode, _ key: Int, _ round: Int) {
    get(node, key) { position in
      if let position { return self.finish(node, key, position) }
      guard round < 3 else { return self.solo(node, key) }
      self.queue.after(0.02 * Double(1 << round)) { self.again(node, key, round + 1) }
    }
  }

  private func lead(_ node: SimulatedNode, _ key: Int, _ token: Int) {
    let start = queue.now
    fetch(node, key, token: token) { position in
      // The node died: its callers ask another, and its lease runs out.
      guard let position else { return self.solo(node, key) }
      node.durations.note(.seconds(self.queue.now - start), host: "")
      self.finish(node, key, position)
      if self.scenario.isInline {
        self.write(node, key, position)
        self.release(node, key, token, .value(.init()), position, 5)
      } else {
        self.put(node, key, position, 1) { isStored in
          self.release(node, key, token, isStored ? .stored : nil, position, 2)
        }
      }
    }
  }

  private func release(
    _ node: SimulatedNode, _ key: Int, _ token: Int, _ outcome: FlightOutcome?, _ position: Int,
    _ lifetime: Double
  ) {
    command(node) { isAnswered in
      guard isAnswered else { return }
      let told = self.redis.release(
        key, token: token, outcome: outcome, position: position, lifetime: lifetime, now: self.queue.now)
      for index in told where self.redisAnswers(self.nodes[index]) {
        self.queue.after(self.random.logNormal(.redis)) { self.nodes[index].wakes[key]?() }
      }
    }
  }

  /// One command, by the breaker of the library.
  private func command(_ node: SimulatedNode, _ body: @escaping (Bool) -> Void) {
    if !node.redis.isClosed {
      guard node.redis.mayTry(at: queue.instant) else { return queue.after(0) { body(false) } }
      guard redisAnswers(node) else {
        node.redis.failed(at: queue.instant)
        return queue.after(0) { body(false) }
      }
      node.redis.succeeded()
    }
    figures.commands += 1
    guard redisAnswers(node) else {
      return queue.after(0.1) {
        _ = node.redis.timedOut(at: self.queue.instant)
        body(false)
      }
    }
    queue.after(random.logNormal(.redis)) {
      node.redis.succeeded()
      body(true)
    }
  }

  // MARK: Origin

  /// Asks the origin. The lease is renewed meanwhile. Without a result, the node has died.
  private func fetch(_ node: SimulatedNode, _ key: Int, token: Int?, _ body: @escaping (Int?) -> Void) {
    let position = node.table.position
    let generation = key < scenario.purgedKeys && position > 0 ? 1 : 0
    figures.fetches[2 * key + generation, default: 0] += 1
    figures.running += 1
    figures.peak = max(figures.peak, figures.running)
    var time = random.logNormal(scenario.origin)
    let dies = scenario.fault == .holdersDie && token != nil && random.unit() < 0.1
    let freezes = scenario.fault == .holdersFreeze && token != nil && random.unit() < 0.05
    if dies { time *= random.unit() }
    if freezes { time += 4 }
    var isOver = false
    func renew() {
      guard !isOver, let token else { return }
      command(node) { isAnswered in
        guard isAnswered, !isOver else { return }
        guard self.redis.renew(key, token: token, lease: Self.lease, now: self.queue.now) else { return }
      }
      queue.after(Self.lease / 3, renew)
    }
    if token != nil, !freezes { queue.after(Self.lease / 3, renew) }
    queue.after(time) {
      isOver = true
      self.figures.running -= 1
      if dies { self.figures.deaths += 1 }
      body(dies ? nil : position)
    }
  }
}

extension Duration {
  /// Seconds as a number.
  var seconds: Double { self / .seconds(1) }
}
