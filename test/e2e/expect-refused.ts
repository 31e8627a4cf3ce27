import { expect } from 'vitest'
import { catalogue, type ErrorCode } from '../../shared/errors/catalogue.ts'
import type { CommandOutput } from './place.ts'

/** A line of a stack trace, from Antichain or from a program. */
const traceLine = /^\s+at .*:\d+:\d+\)?"?/m

/**
 * Checks how a command was refused. It has the exit code of the catalogue, one error with its code
 * and a hint on stderr, and no stack trace. The `patterns` are somewhere in the output.
 */
export function expectRefused(
  ran: CommandOutput,
  code: ErrorCode,
  patterns: readonly (string | RegExp)[],
): void {
  const output = ran.out + ran.err
  for (const word of patterns) expect(output).toMatch(word)
  expect(ran.err).toContain(`error[${code}]: `)
  expect(ran.err.match(/^error/gm)).toHaveLength(1)
  expect(ran.err).toContain('hint: ')
  expect(ran.exit).toBe(catalogue[code].exit)
  expect(output).not.toMatch(traceLine)
  // Line breaks in events are escaped.
  expect(output).not.toMatch(/(?:\\n|")\s+at [^"]*:\d+:\d+/)
}
