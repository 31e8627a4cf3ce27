import { catalogue } from '../../shared/errors/catalogue.ts'
import { DeployError } from '../../shared/errors/error.ts'
import { escapeControls } from '../display/escape-controls.ts'
import type { OutputStream } from './io.ts'

/**
 * Reports an error on `stderr`: its message, its resource, its hint if it has one and, if
 * `verbose`, its stack trace. Returns the exit code of the error. An internal error has 255.
 */
export function reportFailure(thrown: unknown, stderr: OutputStream, verbose: boolean): number {
  const isDeployError = thrown instanceof DeployError
  const code = isDeployError ? thrown.code : 'INTERNAL_ASSERTION'
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  const urn = isDeployError ? thrown.details['urn'] : undefined
  const hint = isDeployError ? thrown.hint : catalogue.INTERNAL_ASSERTION.hint
  const lines = [
    `error[${code}]: ${message}`,
    ...(urn === undefined ? [] : [`  resource: ${String(urn)}`]),
    ...(hint === '' ? [] : [`  hint: ${hint}`]),
    ...(verbose ? stackTraceOf(thrown) : []),
  ]
  // A message may name a resource or a lock of a foreign state, and so contain any character.
  stderr.write(`${escapeControls(lines.join('\n'))}\n`)
  return catalogue[code].exit
}

function stackTraceOf(thrown: unknown): readonly string[] {
  if (!(thrown instanceof Error)) return []
  const stackTrace = thrown.stack ?? ''
  return thrown.cause === undefined
    ? [stackTrace]
    : [stackTrace, 'caused by:', ...stackTraceOf(thrown.cause)]
}
