/** Resolves when this process is told to end. */
export function toldToEnd(): Promise<undefined> {
  // Waiting for a signal keeps no process alive by itself.
  const alive = setInterval(() => {}, 1 << 30)
  return new Promise<undefined>(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => resolve(undefined))
  }).finally(() => clearInterval(alive))
}
