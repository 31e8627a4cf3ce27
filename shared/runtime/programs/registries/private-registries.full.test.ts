/** Installations with real npm and pip from registries that require a credential. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { createSystemClock } from '../../../platform/system/clock.ts'
import { createProcesses } from '../../../platform/system/processes.ts'
import { withoutUndefined } from '../../../programs/hosts/program-environment.ts'
import {
  type ReceivedRequest,
  startHttpReceiver,
} from '../../../triggers/outbound/local-receiver.fixture.ts'
import { installProgramPackages } from '../install-packages.ts'
import type { PackageRegistry } from './package-registry.ts'

const root = mkdtempSync(join(tmpdir(), 'private-registries-'))
const processes = createProcesses()
const receiver = await startHttpReceiver()
const deps = {
  processes,
  clock: createSystemClock(),
  scratch: root,
  // npx sets a cache, from which a package comes without a credential.
  env: Object.fromEntries(
    Object.entries(withoutUndefined(process.env)).filter(([name]) => !name.startsWith('npm_')),
  ),
}
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(root, 'program-'))
  receiver.received.length = 0
})
afterAll(async () => {
  receiver.close()
  await processes.close()
  rmSync(root, { recursive: true, force: true })
})

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)

/** Serves some bodies by path, to callers with an authorization. All others get status 401. */
function serve(authorization: string, bodies: Readonly<Record<string, string | Uint8Array>>): void {
  receiver.state.answer = ({ url, headers }: ReceivedRequest) => {
    if (headers.authorization !== authorization)
      return { status: 401, headers: { 'www-authenticate': 'Basic realm="x"' } }
    const body = bodies[decodeURIComponent(url)]
    return body === undefined
      ? { status: 404 }
      : { status: 200, body, headers: url.endsWith('/') ? { 'content-type': 'text/html' } : {} }
  }
}

/**
 * Creates a program whose lock file names a package of npm, and serves the package. The script of
 * the package writes a file.
 */
function createNpmProgram(): void {
  const source = mkdtempSync(join(root, 'package-'))
  mkdirSync(join(source, 'package'))
  const script = "node -e \"require('fs').writeFileSync('ran', '')\""
  const manifest = { name: '@corp/dep', version: '1.0.0', scripts: { postinstall: script } }
  writeFileSync(join(source, 'package', 'package.json'), JSON.stringify(manifest))
  const archive = execFileSync('tar', ['-czf', '-', '-C', source, 'package'])
  const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`
  const resolved = `${receiver.origin}/npm/@corp/dep/-/dep-1.0.0.tgz`
  const dependencies = { '@corp/dep': '1.0.0' }
  write('package.json', JSON.stringify({ name: 'p', version: '1.0.0', dependencies }))
  const entry = { version: '1.0.0', resolved, integrity, hasInstallScript: true }
  const packages = {
    '': { name: 'p', version: '1.0.0', dependencies },
    'node_modules/@corp/dep': entry,
  }
  write('package-lock.json', JSON.stringify({ name: 'p', lockfileVersion: 3, packages }))
  serve('Bearer t0ken', { '/npm/@corp/dep/-/dep-1.0.0.tgz': archive })
}

const npmRegistry = (): PackageRegistry => ({
  name: 'corp',
  manager: 'npm',
  address: `${receiver.origin}/npm`,
  scope: '@corp',
  credential: 't0ken',
  runsScripts: false,
})

const hasScriptRun = (): boolean => existsSync(join(folder, 'node_modules/@corp/dep/ran'))

test('npm installs a private package, runs no script, and obeys no settings of the program', async () => {
  createNpmProgram()
  // These settings would send the credential to another server, and run a command as Git.
  const settings = `registry=${receiver.origin}/other/\nhttps-proxy=http://127.0.0.1:9\ngit=./evil\n`
  write('.npmrc', settings)
  const options = { ignoreScripts: false, registries: [npmRegistry()] }
  expect(await installProgramPackages(deps, folder, options)).toBe('installed')
  expect(existsSync(join(folder, 'node_modules/@corp/dep/package.json'))).toBe(true)
  expect(hasScriptRun()).toBe(false)
  expect(readFileSync(join(folder, '.npmrc'), 'utf8')).toBe(settings)
  expect(readdirSync(root).filter(name => /^(?:installing|hidden)-/.test(name))).toEqual([])
  expect(receiver.received.map(({ url }) => url)).toEqual(['/npm/@corp/dep/-/dep-1.0.0.tgz'])
})

test('an administrator lets scripts run, and a credential that is refused stays out of the error', async () => {
  createNpmProgram()
  const registries = [{ ...npmRegistry(), runsScripts: true }]
  await installProgramPackages(deps, folder, { ignoreScripts: false, registries })
  expect(hasScriptRun()).toBe(true)
  const refused = [{ ...npmRegistry(), credential: 'wrong-t0ken' }]
  const failure = installProgramPackages(deps, folder, {
    ignoreScripts: false,
    registries: refused,
  })
  await expect(failure).rejects.toMatchObject({
    code: 'INSTALL_FAILED',
    message: expect.stringContaining('401'),
  })
  await expect(failure).rejects.not.toMatchObject({
    message: expect.stringContaining('wrong-t0ken'),
  })
})

test('pnpm is refused with a guarded registry, because .pnpmfile.cjs of the program would run', async () => {
  write('package.json', '{"dependencies":{"dep":"1"}}')
  write('pnpm-lock.yaml', '')
  const options = { ignoreScripts: true, registries: [npmRegistry()] }
  await expect(installProgramPackages(deps, folder, options)).rejects.toMatchObject({
    code: 'INSTALL_FAILED',
    message: expect.stringContaining('pnpm reveal the credential of the package registry corp'),
    hint: expect.stringContaining('--run-scripts'),
  })
})

const wheelScript = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w') as wheel:
    wheel.writestr('dep.py', 'value = 7\\n')
    wheel.writestr('dep-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: dep\\nVersion: 1.0\\n')
    wheel.writestr('dep-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    wheel.writestr('dep-1.0.dist-info/RECORD', '')
`

test('pip installs a private package with user and password from the registry instead of PyPI', async () => {
  const wheel = join(root, 'dep-1.0-py3-none-any.whl')
  execFileSync('python3', ['-c', wheelScript, wheel])
  const file = '/simple/dep/dep-1.0-py3-none-any.whl'
  const links = `<a href="${receiver.origin}${file}">dep-1.0-py3-none-any.whl</a>`
  const authorization = `Basic ${Buffer.from('robot:pw"d').toString('base64')}`
  serve(authorization, { '/simple/dep/': links, [file]: readFileSync(wheel) })
  write('Pulumi.yaml', 'name: p\nruntime: python\n')
  write('requirements.txt', 'dep==1.0\n')
  const registry: PackageRegistry = {
    name: 'corp',
    manager: 'pip',
    address: `${receiver.origin}/simple`,
    credential: 'robot:pw"d',
    runsScripts: false,
  }
  const options = { ignoreScripts: false, registries: [registry] }
  expect(await installProgramPackages(deps, folder, options)).toBe('installed')
  const python = join(folder, '.venv/bin/python3')
  expect(String(execFileSync(python, ['-c', 'import dep; print(dep.value)']))).toBe('7\n')
  const refused = [{ ...registry, credential: 'robot:wrong-word' }]
  const failure = installProgramPackages(deps, folder, { ...options, registries: refused })
  await expect(failure).rejects.toMatchObject({ code: 'INSTALL_FAILED' })
  await expect(failure).rejects.not.toMatchObject({
    message: expect.stringContaining('wrong-word'),
  })
}, 120_000)
