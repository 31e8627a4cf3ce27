import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { createProcesses } from '../../platform/system/processes.ts'
import type { EpochMs } from '../../records/ids.ts'
import { withoutUndefined } from '../../programs/hosts/program-environment.ts'
import { planPackages } from './install-packages.ts'
import type { PackageRegistry } from './registries/package-registry.ts'

let folder: string
const processes = createProcesses()
afterAll(() => processes.close())
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'python-packages-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** A command that reports the version of Python, so that the test needs no Python. */
const python = '#!/bin/sh\necho /bin/python\necho 3.13\n'

function plan(
  files: Readonly<Record<string, string>>,
  {
    options = '{}',
    ignoreScripts = false,
    command = python,
    nowMs = 0,
    registries = [] as readonly PackageRegistry[],
  } = {},
) {
  writeFileSync(join(folder, 'python3'), command, { mode: 0o755 })
  const project = `name: p\nruntime:\n  name: python\n  options: ${options}\n`
  for (const [name, text] of Object.entries({ 'Pulumi.yaml': project, ...files }))
    writeFileSync(join(folder, name), text)
  const env = { ...withoutUndefined(process.env), PULUMI_PYTHON_CMD: join(folder, 'python3') }
  const clock = { now: () => nowMs as EpochMs }
  return planPackages({ processes, clock, env }, folder, { ignoreScripts, registries })
}

test('pip installs requirements into an environment whose interpreter can be packed', async () => {
  const { commands = [], packagesFolder } = (await plan({ 'requirements.txt': 'pulumi\n' })) ?? {}
  expect(packagesFolder).toBe('.venv')
  expect(commands.map(({ args }) => args.slice(0, 3))).toEqual([
    ['-I', '-m', 'venv'],
    ['-I', '-m', 'pip'],
    ['-I', '-c', expect.stringContaining('UNCHECKED_HASH')],
  ])
  expect(commands.map(({ command }) => command).slice(0, 2)).toEqual(['/bin/python', '/bin/python'])
  expect(commands[1]?.args.slice(-2)).toEqual(['-r', 'requirements.txt'])
})

test('packages are reused for the same requirements, version of Python and options only', async () => {
  const first = await plan({ 'requirements.txt': 'pulumi\n' })
  const same = await plan({ 'requirements.txt': 'pulumi\n', 'main.py': '1' })
  expect(same).toMatchObject({ marker: first?.marker, canReusePackages: true })
  const others = [
    await plan({ 'requirements.txt': 'pulumi<4\n' }),
    await plan({ 'requirements.txt': 'pulumi\n' }, { ignoreScripts: true }),
    await plan(
      { 'requirements.txt': 'pulumi\n' },
      { command: '#!/bin/sh\necho /bin/python\necho 3.14\n' },
    ),
  ]
  expect(new Set([first, ...others].map(each => each?.marker)).size).toBe(4)
  expect(await plan({ 'requirements.txt': 'pulumi\n./lib\n' })).toMatchObject({
    canReusePackages: false,
  })
})

test('packages without hashes are reused on one day only', async () => {
  const day = { nowMs: 20_000 * 86_400_000 }
  const nextDay = { nowMs: day.nowMs + 86_400_000 }
  const markerOf = async (text: string, options: { nowMs: number }) =>
    (await plan({ 'requirements.txt': text }, options))?.marker
  const hashed = 'pulumi==3.1.0 --hash=sha256:00\n'
  expect(await markerOf('pulumi\n', nextDay)).not.toBe(await markerOf('pulumi\n', day))
  expect(await markerOf(hashed, nextDay)).toBe(await markerOf(hashed, day))
})

test('an editable requirement is refused with a hint, because the packages are moved', async () => {
  await expect(plan({ 'requirements.txt': '-e ./lib\n' })).rejects.toMatchObject({
    code: 'INSTALL_FAILED',
    message: 'the requirement `-e ./lib` is editable',
    hint: expect.stringContaining('without `-e`'),
  })
})

test('a requirements file that is a folder is left to pip', async () => {
  mkdirSync(join(folder, 'requirements.txt'))
  expect(await plan({})).toMatchObject({ canReusePackages: false })
})

test('uv obeys its lock file, and poetry omits the project itself', async () => {
  const files = { 'pyproject.toml': '[project]\n', 'uv.lock': 'version = 1\n' }
  const uv = await plan(files, { options: '{toolchain: uv}', ignoreScripts: true })
  expect(uv?.commands[1]).toMatchObject({
    command: 'uv',
    args: ['sync', '--no-editable', '--no-progress', '--locked', '--no-build'],
    variables: { UV_PROJECT_ENVIRONMENT: join(folder, '.venv'), UV_PYTHON_DOWNLOADS: 'never' },
    hint: expect.stringContaining('uv export'),
  })
  expect(uv?.canReusePackages).toBe(true)
  const localLock = { ...files, 'uv.lock': 'source = { directory = "lib" }\n' }
  expect(await plan(localLock, { options: '{toolchain: uv}' })).toMatchObject({
    canReusePackages: false,
  })
  const poetry = await plan(files, { options: '{toolchain: poetry}' })
  expect(poetry?.commands[1]).toMatchObject({
    command: 'poetry',
    args: ['install', '--no-interaction', '--no-root', '--no-ansi'],
    hint: expect.stringContaining('poetry export'),
  })
  expect(poetry).toMatchObject({ canReusePackages: false })
})

/** A guarded registry: code of packages must not read its credential. */
const registry: PackageRegistry = {
  manager: 'pip',
  address: 'https://pip.test/simple',
  name: 'corp',
  runsScripts: false,
  credential: 'robot:s3cret',
}

test('a guarded registry of pip installs wheels only, with its credential in a private file', async () => {
  const installed = await plan({ 'requirements.txt': 'pulumi\n' }, { registries: [registry] })
  expect(installed?.commands[1]).toMatchObject({
    args: expect.arrayContaining(['--only-binary', ':all:']),
    homeFiles: { NETRC: { text: 'machine pip.test login "robot" password "s3cret"\n' } },
    variables: { PIP_INDEX_URL: 'https://pip.test/simple' },
  })
  expect(installed?.commands[0]?.homeFiles).toBeUndefined()
  expect(installed?.marker).toContain('wheels only')
  const trusted = { ...registry, runsScripts: true }
  const other = await plan({ 'requirements.txt': './lib\n' }, { registries: [trusted] })
  expect(other?.commands[1]?.args).not.toContain('--only-binary')
})

test.each([
  ['./lib', '{}', /because of `\.\/lib`/],
  ['lib @ git+https://git.test/lib', '{}', /because of `lib @ git/],
  ['-r https://git.test/lib.txt', '{}', /because of `-r https/],
  ['-r ../../etc/more.txt', '{}', /because of `-r \.\./],
  ['pulumi --no-binary pulumi', '{}', /--no-binary/],
  ['--only-binary :none:', '{}', /:none:/],
  ['-i http://pip.test/', '{}', /send the credential of the package registry corp/],
  ['--trusted-host pip.test', '{}', /send the credential/],
  ['pulumi', '{toolchain: poetry}', /poetry reveal the credential of the package registry corp/],
])('with a guarded registry, the requirement %s is refused with the tools %s', async (...row) => {
  const [requirement, options, message] = row
  const files = { 'requirements.txt': `${requirement}\n`, 'pyproject.toml': '[project]\n' }
  await expect(plan(files, { options, registries: [registry] })).rejects.toMatchObject({
    code: 'INSTALL_FAILED',
    message: expect.stringMatching(message),
  })
})

test('a program that is a package is refused without scripts, because its build would run code', async () => {
  await expect(plan({ 'pyproject.toml': '' }, { ignoreScripts: true })).rejects.toMatchObject({
    code: 'INSTALL_FAILED',
    message: expect.stringContaining('pyproject.toml'),
  })
})

test.each([
  ['no requirements', {}, '{}', 'INSTALL_FAILED', /no requirements\.txt/],
  ['uv without a project', {}, '{toolchain: uv}', 'INSTALL_FAILED', /no pyproject\.toml/],
  ['an unknown toolchain', {}, '{toolchain: conda}', 'PROJECT_INVALID', /conda/],
])('a program with %s is refused', async (_, files, options, code, message) => {
  await expect(plan(files, { options })).rejects.toMatchObject({
    code,
    message: expect.stringMatching(message),
  })
})

test('a machine without Python refuses to install', async () => {
  await expect(
    plan({ 'requirements.txt': '' }, { command: '#!/bin/sh\nexit 1\n' }),
  ).rejects.toMatchObject({ code: 'INSTALL_FAILED' })
})
