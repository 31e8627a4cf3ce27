import type { TelemetryPort } from '../../shared/ports/telemetry.ts'

/**
 * Runs one call of a function, and records its duration. Then sends all telemetry. Throws the error
 * of `run`.
 */
export function observeCall<T>(telemetry: TelemetryPort, run: () => Promise<T>): Promise<T> {
  return flushAfter(telemetry, async () => {
    const startMs = performance.now()
    let outcome = 'failed'
    try {
      const result = await run()
      outcome = 'succeeded'
      return result
    } finally {
      const seconds = (performance.now() - startMs) / 1_000
      telemetry.recordDuration('faas.invoke_duration', seconds, { outcome })
    }
  })
}

/**
 * Runs one call of a function, and sends all telemetry before it returns, because Lambda freezes
 * the process afterwards. Throws the error of `run`.
 */
export async function flushAfter<T>(
  telemetry: Pick<TelemetryPort, 'flush'>,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run()
  } finally {
    await telemetry.flush()
  }
}
