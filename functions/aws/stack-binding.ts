import { readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StackId } from '../../shared/records/ids.ts'

/**
 * Restricts an environment of a function to one stack. A program may leave processes and files
 * behind, and plugins hold credentials. No other stack may have access to these.
 */
export interface StackBinding {
  /** Reports whether the environment may serve a stack: it serves only the first one. */
  readonly mayServe: (stack: StackId) => boolean
  /** Ends the environment at once, so that the next one starts clean. */
  readonly endEnvironment: () => void
}

/** Binds this process to the first stack that it serves. `exit`: for tests. */
export function createStackBinding(
  exit: (status: number) => void = status => process.exit(status),
): StackBinding {
  let boundStack: StackId | undefined
  return {
    mayServe(stack) {
      boundStack ??= stack
      return boundStack === stack
    },
    endEnvironment: () => exit(0),
  }
}

/**
 * Removes the temporary files of an earlier process in the same environment, because Lambda keeps
 * them when a process ends. A function can write only to this folder. Does nothing outside of
 * Lambda.
 */
export function clearScratch(env: Readonly<Record<string, string | undefined>>): void {
  if (env['AWS_LAMBDA_RUNTIME_API'] === undefined) return
  const folder = tmpdir()
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true })
}
