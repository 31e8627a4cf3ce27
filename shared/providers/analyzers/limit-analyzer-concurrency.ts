import type { Analyzer, AnalyzerHost } from './analyzer.ts'

/**
 * Returns a host whose packs run at most `limit` analyses concurrently. A limit that is not above 0
 * means no limit.
 */
export function limitAnalyzerConcurrency(host: AnalyzerHost, limit: number): AnalyzerHost {
  if (!(limit > 0)) return host
  let free = limit
  const waiting: (() => void)[] = []
  const runLimited = async <T>(run: () => Promise<T>): Promise<T> => {
    if (free > 0) free -= 1
    else await new Promise<void>(begin => waiting.push(begin))
    try {
      return await run()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    }
  }
  const limitPack = (pack: Analyzer): Analyzer => ({
    ...pack,
    analyze: resource => runLimited(() => pack.analyze(resource)),
    analyzeStack: resources => runLimited(() => pack.analyzeStack(resources)),
  })
  return { ...host, load: async packs => (await host.load(packs)).map(limitPack) }
}
