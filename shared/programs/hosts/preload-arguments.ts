import { join } from 'node:path'

/** The module that Node loads before a program. It is next to this file, and next to a bundle. */
const preloadFile = join(import.meta.dirname, 'preload-program.cjs')

/** The variable that turns the memory for stack traces off. */
const memoryVariable = 'ANTICHAIN_REMEMBER_FRAMES'

/**
 * Returns the arguments of Node that load the memory for stack traces before a program. Returns
 * none if the user turned it off, or if Node restricts which files the process reads.
 * `nodeArgs`: the other arguments of Node.
 */
export function createPreloadArguments(
  env: Readonly<Record<string, string>>,
  nodeArgs: readonly string[],
): readonly string[] {
  if (/^(0|false)$/i.test(env[memoryVariable] ?? '')) return []
  const allArgs = [...nodeArgs, ...(env['NODE_OPTIONS'] ?? '').split(/\s+/)]
  const isRestricted = allArgs.some(arg => /^--(experimental-)?permission/.test(arg))
  // One word, because the SDK searches the arguments for the word `--require`.
  return isRestricted ? [] : [`--require=${preloadFile}`]
}
