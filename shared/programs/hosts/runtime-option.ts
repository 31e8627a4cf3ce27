import type { ProgramInput } from '../program.ts'

/** Returns a text option of the runtime. Returns '' if it is absent. */
export function readTextOption(source: Pick<ProgramInput, 'runtimeOptions'>, name: string): string {
  const value: unknown = source.runtimeOptions[name]
  return typeof value === 'string' ? value : ''
}
