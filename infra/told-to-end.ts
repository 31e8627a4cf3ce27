/** Signals that come together, from a terminal and from whoever passes them on, are one. */
const togetherMs = 1_000

/** Whether this process was told to end. */
export interface ToldToEnd {
  /** Resolves when it is. */
  readonly heard: Promise<undefined>
  /** Listens no more: without it the process goes on for ever. */
  readonly letGo: () => void
}

/**
 * Listens to who ends this process, so that what is under way then is brought to its end. Told
 * again later than a second after that, it ends at once.
 */
export function toldToEnd(): ToldToEnd {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  // Waiting for a signal keeps no process alive by itself.
  const alive = setInterval(() => {}, 1 << 30)
  const told = Promise.withResolvers<undefined>()
  let firstMs: number | undefined
  const hear = (signal: NodeJS.Signals): void => {
    firstMs ??= performance.now()
    told.resolve(undefined)
    if (performance.now() - firstMs < togetherMs) return
    letGo()
    process.kill(process.pid, signal)
  }
  const letGo = (): void => {
    clearInterval(alive)
    for (const each of signals) process.off(each, hear)
  }
  for (const signal of signals) process.on(signal, hear)
  return { heard: told.promise, letGo }
}
