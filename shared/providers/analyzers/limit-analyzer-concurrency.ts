import type { Analyzer, AnalyzerHost } from './analyzer.ts'

/**
 * Returns a host whose packs together run at most `limit` analyses concurrently. Remediations are
 * not limited. With a limit of 0 or less, analyses are not limited either.
 */
export function limitAnalyzerConcurrency(host: AnalyzerHost, limit: number): AnalyzerHost {
  if (!(limit > 0)) return host
  let freeSlots = limit
  const waiters: (() => void)[] = []
  const runLimited = async <T>(run: () => Promise<T>): Promise<T> => {
    if (freeSlots > 0) freeSlots -= 1
    else await new Promise<void>(start => waiters.push(start))
    try {
      return await run()
    } finally {
      const startNext = waiters.shift()
      if (startNext === undefined) freeSlots += 1
      else startNext()
    }
  }
  const limitPack = (pack: Analyzer): Analyzer => ({
    ...pack,
    analyze: resource => runLimited(() => pack.analyze(resource)),
    analyzeStack: resources => runLimited(() => pack.analyzeStack(resources)),
  })
  return { ...host, load: async packs => (await host.load(packs)).map(limitPack) }
}
