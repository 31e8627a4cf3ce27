import { readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StackId } from '../../shared/records/ids.ts'

/**
 * Keeps an environment of a function to one stack: a program may leave processes and files behind,
 * and plugins hold credentials; those of another stack must not meet them.
 */
export interface StackBinding {
  /** Whether the environment may work for a stack; once it has, for no other. */
  readonly mayServe: (stack: StackId) => boolean
  /** Ends the environment at once; who comes next starts with nothing. */
  readonly leave: () => void
}

/** Binds this process to the first stack that it works for. `exit`: for tests. */
export function createStackBinding(
  exit: (status: number) => void = status => process.exit(status),
): StackBinding {
  let bound: StackId | undefined
  return {
    mayServe(stack) {
      bound ??= stack
      return bound === stack
    },
    leave: () => exit(0),
  }
}

/**
 * Removes what an earlier process of the same environment left among the temporary files, the only
 * ones that a function may write: Lambda keeps them when a process ends. Does nothing elsewhere.
 */
export function clearScratch(env: Readonly<Record<string, string | undefined>>): void {
  if (env['AWS_LAMBDA_RUNTIME_API'] === undefined) return
  const folder = tmpdir()
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true })
}
