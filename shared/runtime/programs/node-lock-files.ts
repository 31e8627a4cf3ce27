/** The package managers of Node that a lock file can select. */
export type NodePackageManager = 'npm' | 'pnpm' | 'yarn' | 'bun'

/**
 * The lock files of Node's package managers, and the manager of each. The first file that exists
 * selects the manager.
 */
export const nodeLockFiles: readonly (readonly [file: string, manager: NodePackageManager])[] = [
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
]
