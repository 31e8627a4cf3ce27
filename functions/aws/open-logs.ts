import type { LoggerPort } from '../../shared/ports/system.ts'
import type { TelemetryPort } from '../../shared/ports/telemetry.ts'
import { createLogger } from '../../shared/platform/system/logger.ts'
import { openTelemetry } from '../../shared/platform/telemetry/open-telemetry.ts'
import { withTelemetryLogs } from '../../shared/platform/telemetry/telemetry-logs.ts'

/**
 * Opens the telemetry that the variables of a function configure, and the logger. Telemetry also
 * gets the lines of the logger. `write` receives the lines of the log. Default: standard output.
 */
export function openLogs(
  env: Readonly<Record<string, string | undefined>>,
  write: (line: string) => void = line => void process.stdout.write(line),
): { readonly telemetry: TelemetryPort; readonly logger: LoggerPort } {
  const logger = createLogger({ level: 'info', write })
  const onWarning = (message: string): void => logger.write('warn', 'telemetry.failed', { message })
  const telemetry = openTelemetry({ env, onWarning })
  return { telemetry, logger: withTelemetryLogs(logger, telemetry) }
}
