import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isTruthy } from '../../shared/config/truthy.ts'

/**
 * Runs tests that need commands of a language. Tests with a missing command are skipped with a
 * message; with CI set that is a failure.
 */
export function whenInstalled(
  name: string,
  commands: readonly (readonly string[])[],
  tests: () => void,
): void {
  const absent = commands
    .filter(([command = '', ...args]) => spawnSync(command, args).status !== 0)
    .map(args => args.join(' '))
  if (absent.length > 0 && isTruthy(process.env['CI'])) {
    test(`${name}: ${absent.join(', ')} must work`, () => {
      expect(absent).toEqual([])
    })
    return
  }
  if (absent.length > 0) process.stderr.write(`SKIPPED: ${name}: no ${absent.join(', ')}\n`)
  describe.skipIf(absent.length > 0)(name, tests)
}

/**
 * Returns a virtual environment with the packages of a requirements file. It is created once per
 * machine and contents.
 */
export function virtualEnvironment(requirements: string): string {
  const name = readFileSync(requirements, 'utf8')
    .trim()
    .replaceAll(/[^\w.]+/g, '-')
  const base = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
  const folder = join(base, 'antichain', 'tests', `python-${name}`)
  if (existsSync(folder)) return folder
  const partial = `${folder}.${process.pid}`
  rmSync(partial, { recursive: true, force: true })
  mkdirSync(join(partial, '..'), { recursive: true })
  execFileSync('python3', ['-m', 'venv', partial])
  execFileSync(join(partial, 'bin', 'pip'), ['install', '--quiet', '-r', requirements])
  renameSync(partial, folder)
  return folder
}
