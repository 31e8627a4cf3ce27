/** The result that an exporter of the SDK reports. Code 0: success. */
interface ExportResult {
  readonly code: number
  readonly error?: Error
}

/** The part of an exporter that sends records. */
interface Exporter<T> {
  readonly export: (records: T, onResult: (result: ExportResult) => void) => void
}

/** Time after a failed export in which nothing is sent, in ms. */
const pauseMs = 30_000

/**
 * Creates a breaker for exporters that share a collector. After a failure, exports fail immediately
 * for half a minute, so that an unreachable collector delays neither the work nor the exit.
 */
export function createExportBreaker(
  onFailure: (reason: string) => void,
  now: () => number = () => performance.now(),
): { readonly guard: <T, E extends Exporter<T>>(exporter: E & Exporter<T>) => E } {
  let pausedUntilMs = -Infinity
  return {
    guard(exporter) {
      const send = exporter.export.bind(exporter)
      return Object.assign(exporter, {
        export: (records: Parameters<typeof send>[0], onResult: (result: ExportResult) => void) => {
          if (now() < pausedUntilMs) return onResult({ code: 1 })
          send(records, result => {
            if (result.code !== 0) {
              pausedUntilMs = now() + pauseMs
              onFailure(describeFailure(result.error))
            }
            onResult(result)
          })
        },
      })
    },
  }
}

/**
 * Describes why an export failed: the status of HTTP, or the code of the network error. The text of
 * a response is left out, because it comes from outside.
 */
function describeFailure(failure: Error | undefined): string {
  const { code, cause } = (failure ?? {}) as { readonly code?: unknown; readonly cause?: unknown }
  if (typeof code === 'number') return `it answers with the HTTP status ${code}`
  const causeCode = (cause as { readonly code?: unknown } | undefined)?.code
  const text = [code, causeCode].find(candidate => typeof candidate === 'string')
  return typeof text === 'string' ? text : (failure?.message ?? 'the export failed')
}
