/** Time within which several signals, from a terminal and from a parent process, count as one. */
const repeatWindowMs = 1_000

/** The shutdown request of this process. */
export interface ShutdownSignal {
  /** Resolves at the shutdown request. */
  readonly whenReceived: Promise<undefined>
  /** Stops listening. Without this call the process does not exit by itself. */
  readonly release: () => void
}

/**
 * Listens for shutdown signals, so that the process can shut down in order. A further signal more
 * than a second after the first one ends the process immediately.
 */
export function watchShutdownSignal(): ShutdownSignal {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  // Waiting for a signal does not keep a process alive by itself.
  const keepAliveTimer = setInterval(() => {}, 1 << 30)
  const whenReceived = Promise.withResolvers<undefined>()
  let firstSignalMs: number | undefined
  const onSignal = (signal: NodeJS.Signals): void => {
    firstSignalMs ??= performance.now()
    whenReceived.resolve(undefined)
    if (performance.now() - firstSignalMs < repeatWindowMs) return
    release()
    process.kill(process.pid, signal)
  }
  const release = (): void => {
    clearInterval(keepAliveTimer)
    for (const signalName of signals) process.off(signalName, onSignal)
  }
  for (const signal of signals) process.on(signal, onSignal)
  return { whenReceived: whenReceived.promise, release }
}
