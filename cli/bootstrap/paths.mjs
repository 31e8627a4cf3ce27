/** Paths of the project, and the environment of its child processes. */
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
/** The path of the Node that the project installs as a package. */
export const projectNode = join(root, 'node_modules', 'node', 'bin', 'node')
export const antichainPath = join(root, 'cli', 'antichain')
export const quickstartFolder = 'examples/quickstart'
/**
 * Program folders with their own lock file, because the SDK cannot be installed beside TypeScript
 * 7. The paths are relative to the project.
 */
export const programFolders = [quickstartFolder, 'test/fixtures/sdk']

/** Returns the path of an executable from the project's packages. */
export const binPathOf = name => join(root, 'node_modules', '.bin', name)

/**
 * The compile cache (NODE_COMPILE_CACHE) of programs and providers in tests. Each test starts new
 * processes, and loading the SDK without a cache takes most of their time.
 */
export const compileCacheFolder = join(root, 'node_modules', '.cache', 'compile-programs')

/**
 * Returns the environment of the project's commands. The project's Node comes first in PATH, and
 * programs still get the PATH of the user.
 */
export function createProjectVariables(extraVariables = {}) {
  const path = process.env.PATH ?? ''
  return {
    ...process.env,
    ANTICHAIN_USER_PATH: process.env.ANTICHAIN_USER_PATH ?? path,
    PATH: `${dirname(projectNode)}${delimiter}${path}`,
    ...extraVariables,
  }
}

/**
 * Returns the environment of npm in another folder, without the variables that `npm run` sets for
 * the project. PATH omits the project's Node, which npm may replace. The running Node comes last,
 * in case PATH has no other one.
 */
export function createNpmVariables() {
  const callerVariablePattern =
    /^npm_(package|lifecycle|config_(local_prefix|workspaces?$|include_workspace_root))/
  const inheritedEntries = Object.entries(process.env).filter(
    ([key]) => !callerVariablePattern.test(key),
  )
  const projectFolders = [join(root, 'node_modules', '.bin'), dirname(projectNode)]
  const path = (process.env.PATH ?? '')
    .split(delimiter)
    .filter(folder => !projectFolders.includes(folder))
  return {
    ...Object.fromEntries(inheritedEntries),
    PATH: [...path, dirname(process.execPath)].join(delimiter),
    npm_config_update_notifier: 'false',
  }
}
