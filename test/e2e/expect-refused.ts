import { expect } from 'vitest'
import { catalogue, type ErrorCode } from '../../shared/errors/catalogue.ts'
import type { CommandOutput } from './sandbox.ts'

/** A line of a stack trace, from Antichain or from a program. */
const traceLine = /^\s+at .*:\d+:\d+\)?"?/m

/**
 * Checks the refusal of a command. The exit code is that of the catalogue, and stderr has one error
 * with its code and a hint, without a stack trace. The output contains all `patterns`.
 */
export function expectRefused(
  result: CommandOutput,
  code: ErrorCode,
  patterns: readonly (string | RegExp)[],
): void {
  const output = result.out + result.err
  for (const pattern of patterns) expect(output).toMatch(pattern)
  expect(result.err).toContain(`error[${code}]: `)
  expect(result.err.match(/^error/gm)).toHaveLength(1)
  expect(result.err).toContain('hint: ')
  expect(result.exit).toBe(catalogue[code].exit)
  expect(output).not.toMatch(traceLine)
  // In JSON events the line breaks of a stack trace are escaped.
  expect(output).not.toMatch(/(?:\\n|")\s+at [^"]*:\d+:\d+/)
}
