import { catalogue } from '../../shared/errors/catalogue.ts'
import { DeployError } from '../../shared/errors/error.ts'
import type { OutputStream } from './io.ts'

/**
 * Reports an error on `stderr`: its message, its resource, its hint and, if `verbose`, its stack
 * trace. Returns the exit code of the catalogue, 255 for an internal error.
 */
export function reportFailure(thrown: unknown, stderr: OutputStream, verbose: boolean): number {
  const known = thrown instanceof DeployError
  const code = known ? thrown.code : 'INTERNAL_ASSERTION'
  const sentence = thrown instanceof Error ? thrown.message : String(thrown)
  const urn = known ? thrown.details['urn'] : undefined
  const lines = [
    `error[${code}]: ${sentence}`,
    ...(urn === undefined ? [] : [`  resource: ${String(urn)}`]),
    `  hint: ${known ? thrown.hint : catalogue.INTERNAL_ASSERTION.hint}`,
    ...(verbose ? stackTraceOf(thrown) : []),
  ]
  stderr.write(`${lines.join('\n')}\n`)
  return catalogue[code].exit
}

function stackTraceOf(thrown: unknown): readonly string[] {
  if (!(thrown instanceof Error)) return []
  const own = thrown.stack ?? ''
  return thrown.cause === undefined ? [own] : [own, 'caused by:', ...stackTraceOf(thrown.cause)]
}
