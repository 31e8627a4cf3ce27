import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { imageLanguages } from '../../../infra/image-languages.ts'
import { createSystemClock } from '../../platform/system/clock.ts'
import { createProcesses } from '../../platform/system/processes.ts'
import { readPackageMarker } from './package-marker.ts'
import { installProgramPackages } from './install-packages.ts'
import type { PackageInstallDeps } from './run-package-command.ts'

let root = ''
/** A PATH with the package managers of the container image, which npm installs as in the image. */
let path = ''
const processes = createProcesses()

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'managers-'))
  const tools = imageLanguages.flatMap(({ tools: named = [] }) => named)
  const prefix = join(root, 'tools')
  const args = ['install', '--global', '--ignore-scripts', '--no-audit', '--no-fund']
  execFileSync('npm', [...args, '--prefix', prefix, ...tools], { stdio: 'pipe' })
  path = [join(prefix, 'bin'), process.env['PATH']].join(delimiter)
}, 300_000)
afterAll(async () => {
  await processes.close()
  rmSync(root, { recursive: true, force: true })
})

/**
 * Creates a program that depends on a package in a subfolder. The command `lock` creates its lock
 * file.
 */
function writeProgram(name: string, lock: readonly [string, ...string[]]): string {
  const folder = join(root, name)
  mkdirSync(join(folder, 'dep'), { recursive: true })
  const write = (file: string, value: object): void =>
    writeFileSync(join(folder, file), JSON.stringify(value))
  write('dep/package.json', { name: 'dep', version: '1.0.0', main: 'index.js' })
  writeFileSync(join(folder, 'dep/index.js'), 'module.exports = "here"\n')
  const scripts = { postinstall: "node -e \"fs.writeFileSync('ran', '')\"" }
  const manifest = { name: 'p', version: '1.0.0', dependencies: { dep: 'file:./dep' }, scripts }
  write('package.json', manifest)
  const [command, ...args] = lock
  const env = { ...process.env, PATH: path, HOME: root, CI: '' }
  execFileSync(command, args, { cwd: folder, env, stdio: 'pipe' })
  for (const leftover of ['node_modules', 'ran'])
    rmSync(join(folder, leftover), { recursive: true, force: true })
  return folder
}

const deps = (): PackageInstallDeps => ({
  processes,
  clock: createSystemClock(),
  scratch: root,
  env: { PATH: path },
})

const scriptOptions = { ignoreScripts: false } as const

test.each([
  ['pnpm', 'pnpm-lock.yaml', ['pnpm', 'install', '--no-frozen-lockfile']],
  ['yarn', 'yarn.lock', ['yarn', 'install']],
] as const)(
  '%s installs the contents of %s, and refuses a package that this file does not contain',
  async (name, lock, lockCommand) => {
    const folder = writeProgram(name, [...lockCommand])
    expect(existsSync(join(folder, lock))).toBe(true)
    expect(await installProgramPackages(deps(), folder, scriptOptions)).toBe('installed')
    const message = execFileSync(process.execPath, ['-p', 'require("dep")'], { cwd: folder })
    expect(String(message)).toBe('here\n')
    const file = join(folder, 'package.json')
    const wanted = { ...JSON.parse(readFileSync(file, 'utf8')), dependencies: { semver: '7.8.6' } }
    writeFileSync(file, JSON.stringify(wanted))
    await expect(installProgramPackages(deps(), folder, scriptOptions)).rejects.toMatchObject({
      code: 'INSTALL_FAILED',
    })
  },
  300_000,
)

test.each([
  ['npm', 'package-lock.json', ['npm', 'install', '--package-lock-only']],
  ['pnpm', 'pnpm-lock.yaml', ['pnpm', 'install', '--no-frozen-lockfile']],
  ['yarn', 'yarn.lock', ['yarn', 'install']],
] as const)(
  '%s runs the scripts of a program with the lock file %s, unless the options ignore scripts',
  async (name, _lock, lockCommand) => {
    const folder = writeProgram(`scripts-${name}`, [...lockCommand])
    const scriptOutput = join(folder, 'ran')
    expect(existsSync(scriptOutput)).toBe(false)
    expect(await installProgramPackages(deps(), folder, { ignoreScripts: true })).toBe('installed')
    expect(existsSync(scriptOutput)).toBe(false)
    const knownPackages = readPackageMarker(folder)
    expect(await installProgramPackages(deps(), folder, scriptOptions)).toBe('installed')
    expect(existsSync(scriptOutput)).toBe(true)
    // Packages that were installed without scripts are reused only if scripts are ignored again.
    const withScripts = await installProgramPackages(deps(), folder, {
      ...scriptOptions,
      ...(knownPackages === undefined ? {} : { knownPackages }),
    })
    expect(withScripts).toBe('installed')
    const withoutScripts = await installProgramPackages(deps(), folder, {
      ignoreScripts: true,
      ...(knownPackages === undefined ? {} : { knownPackages }),
    })
    expect(withoutScripts).toBe('known')
  },
  300_000,
)
