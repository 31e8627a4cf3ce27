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
  /** The folder that remembers type checks. Undefined: they are not remembered. */
  readonly checkedFolder: string | undefined
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
 * code, remember type checks, and drop debug messages. The module removes its argument and its
 * variable before the program starts. If Node restricts which files the process reads, no module is
 * loaded, and ts-node checks at each run.
 */
export function createPreload({
  env,
  nodeArgs,
  compiledFolder,
  checkedFolder,
  debug,
}: PreloadInput): Preload {
  const allArgs = [...nodeArgs, ...(env['NODE_OPTIONS'] ?? '').split(/\s+/)]
  const isRestricted = allArgs.some(arg => /^--(experimental-)?permission/.test(arg))
  if (isRestricted) return { args: [], env: createUncachedEnvironment(env) }
  const remembersFrames = !/^(0|false)$/i.test(env['ANTICHAIN_REMEMBER_FRAMES'] ?? '')
  const isDecidedByUser = compileVariables.some(name => (env[name] ?? '') !== '')
  const settings = {
    remembersFrames,
    compiledFolder: isDecidedByUser ? undefined : compiledFolder,
    checkedFolder,
    dropsDebugMessages: !debug,
  }
  return {
    // Option and value are one argument, because the SDK searches for an argument `--require`.
    args: [`--require=${preloadFile}`],
    env: { ANTICHAIN_PRELOAD: JSON.stringify(settings) },
  }
}

/** Returns the variable that turns off the cache of ts-node, unless the user decides about it. */
function createUncachedEnvironment(
  env: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const isTranspiled = env['PULUMI_NODEJS_TRANSPILE_ONLY'] === 'true'
  return isTranspiled || (env['TS_NODE_CACHE'] ?? '') !== '' ? {} : { TS_NODE_CACHE: 'false' }
}
