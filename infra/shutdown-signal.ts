/** Signals that come together, from a terminal and from whoever passes them on, are one. */
const togetherMs = 1_000

/** Whether this process was told to end. */
export interface ShutdownSignal {
  /** Resolves when it is. */
  readonly received: Promise<undefined>
  /** Listens no more: without it the process goes on for ever. */
  readonly release: () => void
}

/**
 * Listens to who ends this process, so that what is under way then is brought to its end. Told
 * again later than a second after that, it ends at once.
 */
export function watchShutdownSignal(): ShutdownSignal {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  // Waiting for a signal keeps no process alive by itself.
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
