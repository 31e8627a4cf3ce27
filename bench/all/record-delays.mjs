/**
 * Records how long other work of the engine's main thread waits. Node imports this file before the
 * engine, because NODE_OPTIONS names it. At its end the process writes the 99th percentile of the
 * delays, in ms, to the file of the variable `BENCH_DELAYS`.
 */
import { writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

const resolutionMs = 10

if (isMainThread && /cli\/(main\.mjs|main\.ts)$/.test(process.argv[1] ?? '')) {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs })
  delays.enable()
  // The histogram has the times between two samples, which include the pause between them.
  process.on('exit', () =>
    writeFileSync(
      process.env.BENCH_DELAYS ?? '',
      String(Math.max(0, delays.percentile(99) / 1e6 - resolutionMs)),
    ),
  )
}
