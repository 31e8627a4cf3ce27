import { execFileSync } from 'node:child_process'
import { lstatSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withoutUndefined } from '../../programs/hosts/program-environment.ts'
import { createPythonManifest, installPythonManagers } from '../../../test/e2e/python-managers.ts'
import { createSystemClock } from '../../platform/system/clock.ts'
import { createProcesses } from '../../platform/system/processes.ts'
import { installProgramPackages } from './install-packages.ts'
import { readPackageMarker } from './package-marker.ts'
import type { PackageInstallDeps } from './run-package-command.ts'

let root = ''
/** A PATH with uv and poetry, which pip installs. */
let path = ''
const processes = createProcesses()

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'python-managers-'))
  path = [installPythonManagers(), process.env['PATH']].join(delimiter)
}, 300_000)
afterAll(async () => {
  await processes.close()
  rmSync(root, { recursive: true, force: true })
})

const deps = (): PackageInstallDeps => ({
  processes,
  clock: createSystemClock(),
  scratch: root,
  env: { ...withoutUndefined(process.env), PATH: path, HOME: root },
})

/** Creates a program that requires a package of PyPI, and locks it with the tool. */
function writeProgram(tool: 'uv' | 'poetry', name: string, requirement: string): string {
  const folder = join(root, name)
  mkdirSync(folder, { recursive: true })
  const project = `name: p\nruntime:\n  name: python\n  options:\n    toolchain: ${tool}\n`
  writeFileSync(join(folder, 'Pulumi.yaml'), project)
  writeFileSync(join(folder, '__main__.py'), '')
  writeFileSync(join(folder, 'pyproject.toml'), createPythonManifest(requirement))
  const env = { ...process.env, PATH: path, HOME: root }
  execFileSync(tool, ['lock'], { cwd: folder, env, stdio: 'pipe' })
  return folder
}

/** Returns the version of the installed package `idna`. */
const readVersion = (folder: string): string =>
  execFileSync(join(folder, '.venv/bin/python3'), ['-c', 'import idna; print(idna.__version__)'], {
    encoding: 'utf8',
  }).trim()

for (const tool of ['uv', 'poetry'] as const) {
  test(`${tool} installs the versions of its lock file, also without scripts`, async () => {
    const folder = writeProgram(tool, `${tool}-locked`, 'idna==3.10')
    expect(await installProgramPackages(deps(), folder, { ignoreScripts: true })).toBe('installed')
    expect(readVersion(folder)).toBe('3.10')
    // An archive of the program cannot contain a link to the interpreter of this machine.
    expect(lstatSync(join(folder, '.venv/bin/python3')).isSymbolicLink()).toBe(false)
    const knownPackages = readPackageMarker(folder)
    expect(knownPackages).toBeDefined()
    const again = { ignoreScripts: true, ...(knownPackages === undefined ? {} : { knownPackages }) }
    expect(await installProgramPackages(deps(), folder, again)).toBe('known')
    writeFileSync(join(folder, 'pyproject.toml'), createPythonManifest('idna==3.9'))
    await expect(installProgramPackages(deps(), folder, again)).rejects.toMatchObject({
      code: 'INSTALL_FAILED',
    })
  }, 300_000)
}
