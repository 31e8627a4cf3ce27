import type { LoggerPort } from '../../ports/system.ts'
import type { TelemetryPort } from '../../ports/telemetry.ts'

/** Returns a logger that also records its lines as telemetry, except debug lines. */
export function withTelemetryLogs(logger: LoggerPort, telemetry: TelemetryPort): LoggerPort {
  if (!telemetry.isOn) return logger
  return {
    write(level, event, fields) {
      logger.write(level, event, fields)
      if (level !== 'debug') telemetry.recordLog(level, event, fields)
    },
  }
}
