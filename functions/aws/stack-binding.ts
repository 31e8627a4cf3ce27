import { readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StackId } from '../../shared/records/ids.ts'

/**
 * The restriction of a function environment to one stack. A program can leave processes and files
 * behind, and plugins hold credentials. No other stack may have access to these leftovers.
 */
export interface StackBinding {
  /** Reports whether the environment may serve a stack: it serves only the first one. */
  readonly mayServe: (stack: StackId) => boolean
  /** Ends this process at once, so that the next call gets a new process. */
  readonly endEnvironment: () => void
}

/** Binds this process to the first stack that it serves. Tests replace `exit`. */
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
 * Empties the temporary folder, the only one to which a function can write. Lambda keeps the files
 * there when the process of an environment ends. Does nothing outside of Lambda.
 */
export function clearScratch(env: Readonly<Record<string, string | undefined>>): void {
  if (env['AWS_LAMBDA_RUNTIME_API'] === undefined) return
  const folder = tmpdir()
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true })
}
