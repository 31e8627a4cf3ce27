import { join } from 'node:path'

/**
 * The module that Node loads before a program. It is next to this file, or next to the bundle that
 * contains this file.
 */
const preloadFile = join(import.meta.dirname, 'preload-program.cjs')

/** The input of `createPreload`. */
export interface PreloadInput {
  /** The environment of the program. */
  readonly env: Readonly<Record<string, string>>
  /** The other arguments of Node. */
  readonly nodeArgs: readonly string[]
  /** The folder that keeps compiled code. Undefined: compiled code is not kept. */
  readonly compiledFolder: string | undefined
  /** Whether the program sends its debug messages to the engine. */
  readonly debug: boolean
}

/** The arguments and the environment variables that load a module before a program. */
export interface Preload {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** The variables with which a user decides about compiled code. The last one measures coverage. */
const compileVariables = ['NODE_COMPILE_CACHE', 'NODE_DISABLE_COMPILE_CACHE', 'NODE_V8_COVERAGE']

/**
 * Returns the arguments and variables that make Node remember frames of stack traces, keep compiled
 * code, and drop debug messages. Returns none if all are off, or if Node restricts which files the
 * process reads. The module removes its argument and its variable before the program starts.
 */
export function createPreload({ env, nodeArgs, compiledFolder, debug }: PreloadInput): Preload {
  const allArgs = [...nodeArgs, ...(env['NODE_OPTIONS'] ?? '').split(/\s+/)]
  const isRestricted = allArgs.some(arg => /^--(experimental-)?permission/.test(arg))
  const remembersFrames = !/^(0|false)$/i.test(env['ANTICHAIN_REMEMBER_FRAMES'] ?? '')
  const isDecidedByUser = compileVariables.some(name => (env[name] ?? '') !== '')
  const folder = isDecidedByUser ? undefined : compiledFolder
  if (isRestricted || (debug && !remembersFrames && folder === undefined))
    return { args: [], env: {} }
  const settings = { remembersFrames, compiledFolder: folder, dropsDebugMessages: !debug }
  return {
    // Option and value are one argument, because the SDK searches for an argument `--require`.
    args: [`--require=${preloadFile}`],
    env: { ANTICHAIN_PRELOAD: JSON.stringify(settings) },
  }
}
