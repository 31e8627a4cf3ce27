/** Where things are, and the environment of what is started from here. */
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
export const ourNode = join(root, 'node_modules', 'node', 'bin', 'node')
export const antichain = join(root, 'cli', 'antichain')
export const quickstart = 'examples/quickstart'
/** Program folders with a lock file of their own: the SDK cannot live beside TypeScript 7. */
export const programs = [quickstart, 'test/fixtures/sdk']

/** An executable of a package of ours. */
export const binPath = name => join(root, 'node_modules', '.bin', name)

/**
 * Where tests let programs and providers keep compiled code, as a person may who sets the same
 * variable: each test starts them anew, and loading the SDK is most of what they do.
 */
export const compiledPrograms = join(root, 'node_modules', '.cache', 'compile-programs')

/** For commands of ours: our Node comes first, and programs still get the PATH of the person. */
export function createOwnVariables(more = {}) {
  const path = process.env.PATH ?? ''
  return {
    ...process.env,
    ANTICHAIN_USER_PATH: process.env.ANTICHAIN_USER_PATH ?? path,
    PATH: `${dirname(ourNode)}${delimiter}${path}`,
    ...more,
  }
}

/**
 * For an npm that works in another folder: without what the npm that runs us says about this one,
 * and not on a Node that lies in the folder which it is about to replace. The Node that runs us
 * comes last, in case that PATH has no other.
 */
export function createNpmVariables() {
  const ownVariables =
    /^npm_(package|lifecycle|config_(local_prefix|workspaces?$|include_workspace_root))/
  const kept = Object.entries(process.env).filter(([key]) => !ownVariables.test(key))
  const ours = [join(root, 'node_modules', '.bin'), dirname(ourNode)]
  const path = (process.env.PATH ?? '').split(delimiter).filter(folder => !ours.includes(folder))
  return {
    ...Object.fromEntries(kept),
    PATH: [...path, dirname(process.execPath)].join(delimiter),
    npm_config_update_notifier: 'false',
  }
}
