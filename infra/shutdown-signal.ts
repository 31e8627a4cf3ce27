/** Time within which several signals, from a terminal and from a parent process, count as one. */
const togetherMs = 1_000

/** The shutdown request of this process. */
export interface ShutdownSignal {
  /** Resolves at the shutdown request. */
  readonly received: Promise<undefined>
  /** Stops listening. Otherwise the process never exits. */
  readonly release: () => void
}

/**
 * Listens for shutdown signals, so that work in progress can be completed. A further signal more
 * than a second later ends the process at once.
 */
export function watchShutdownSignal(): ShutdownSignal {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  // Waiting for a signal does not keep a process alive by itself.
  const alive = setInterval(() => {}, 1 << 30)
  const received = Promise.withResolvers<undefined>()
  let firstMs: number | undefined
  const onSignal = (signal: NodeJS.Signals): void => {
    firstMs ??= performance.now()
    received.resolve(undefined)
    if (performance.now() - firstMs < togetherMs) return
    release()
    process.kill(process.pid, signal)
  }
  const release = (): void => {
    clearInterval(alive)
    for (const each of signals) process.off(each, onSignal)
  }
  for (const signal of signals) process.on(signal, onSignal)
  return { received: received.promise, release }
}
