import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isTruthy } from '../../shared/config/truthy.ts'

/**
 * Runs tests that need commands of a language. If a command is missing, the tests are skipped with
 * a message; if CI is set, they fail.
 */
export function describeWithCommands(
  name: string,
  commands: readonly (readonly string[])[],
  tests: () => void,
): void {
  const missingCommands = commands
    .filter(([command = '', ...args]) => spawnSync(command, args).status !== 0)
    .map(args => args.join(' '))
  if (missingCommands.length > 0 && isTruthy(process.env['CI'])) {
    test(`${name}: ${missingCommands.join(', ')} must work`, () => {
      expect(missingCommands).toEqual([])
    })
    return
  }
  if (missingCommands.length > 0)
    process.stderr.write(`SKIPPED: ${name}: no ${missingCommands.join(', ')}\n`)
  describe.skipIf(missingCommands.length > 0)(name, tests)
}

/**
 * Runs tests that need one command of the Debian package of the same name. In CI, root first
 * installs a missing package. Without the command, the tests are skipped with a message, and in CI
 * they fail.
 */
export function describeWithDebianPackage(
  name: string,
  packageName: string,
  tests: () => void,
): void {
  const isInstalled = spawnSync(packageName, ['--version']).status === 0
  if (!isInstalled && isTruthy(process.env['CI']) && process.getuid?.() === 0)
    installDebianPackage(packageName)
  describeWithCommands(name, [[packageName, '--version']], tests)
}

function installDebianPackage(packageName: string): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const args of [
    ['update', '-q'],
    ['install', '-y', '-q', '--no-install-recommends', packageName],
  ])
    spawnSync('apt-get', args, { env, stdio: 'ignore' })
}

/**
 * Creates a virtual environment with the packages of a requirements file, once per machine and
 * contents of that file. Returns its folder.
 */
export function createVirtualEnvironment(requirements: string): string {
  const name = readFileSync(requirements, 'utf8')
    .trim()
    .replaceAll(/[^\w.]+/g, '-')
  const base = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
  const folder = join(base, 'antichain', 'tests', `python-${name}`)
  if (existsSync(folder)) return folder
  const partialFolder = `${folder}.${process.pid}`
  rmSync(partialFolder, { recursive: true, force: true })
  mkdirSync(join(partialFolder, '..'), { recursive: true })
  execFileSync('python3', ['-m', 'venv', partialFolder])
  execFileSync(join(partialFolder, 'bin', 'pip'), ['install', '--quiet', '-r', requirements])
  replaceInterpreter(join(partialFolder, 'bin'), { from: partialFolder, to: folder })
  renameSync(partialFolder, folder)
  return folder
}

/** Replaces the environment that the first line of each script names, before the folder moves. */
function replaceInterpreter(bin: string, folders: { readonly from: string; readonly to: string }) {
  for (const { name } of readdirSync(bin, { withFileTypes: true }).filter(file => file.isFile())) {
    const content = readFileSync(join(bin, name), 'latin1')
    const start = `#!${folders.from}/`
    if (content.startsWith(start))
      writeFileSync(join(bin, name), `#!${folders.to}/${content.slice(start.length)}`, 'latin1')
  }
}
