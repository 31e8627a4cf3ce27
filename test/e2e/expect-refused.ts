import { expect } from 'vitest'
import { catalogue, type ErrorCode } from '../../shared/errors/catalogue.ts'
import type { CommandOutput } from './place.ts'

/** A line of a stack trace, of ours or of a program. */
const traceLine = /^\s+at .*:\d+:\d+\)?"?/m

/**
 * Checks that a command was refused well: the exit code of the catalogue, one error with its code
 * on stderr and what to do about it, `words` somewhere in what was said, and no stack trace.
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
  expect(ran.err).toContain('what to do: ')
  expect(ran.exit).toBe(catalogue[code].exit)
  expect(output).not.toMatch(traceLine)
  // Events carry their line breaks escaped.
  expect(output).not.toMatch(/(?:\\n|")\s+at [^"]*:\d+:\d+/)
}
