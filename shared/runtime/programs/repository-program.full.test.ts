import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { create } from 'tar'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type InstallerDeps, installProgram } from './install-program.ts'
import {
  type EmbeddedPlatform,
  openEmbeddedPlatform,
} from '../../platform/embedded/embedded-platform.ts'
import { createProcesses } from '../../platform/system/processes.ts'
import { type BlobHash, stackIdOf } from '../../records/ids.ts'
import type { RepositoryProgram } from '../../records/stack-request.ts'
import { startHttpReceiver } from '../../triggers/outbound/local-receiver.fixture.ts'
import {
  sealWebhook,
  webhookDraft,
  webhookKeyOf,
} from '../../triggers/webhooks/webhook-document.ts'
import { createProgramFolders } from './program-folder.ts'
import { packRepository, type RepositoryDeps } from './repository-program.ts'
import { removeFunctionVariables } from '../credentials/stack-role.ts'

const commit = '0123456789abcdef0123456789abcdef01234567'
const program: RepositoryProgram = {
  kind: 'repository',
  repository: 'acme/shop',
  commit,
  folder: 'infra',
  webhook: 'hook',
}
const secret = 'a secret of sixteen characters and more'
let stackCount = 0
let stack = stackIdOf('p', 's')
let home = ''
/** The folder with the files of the repository at the commit. */
let repository = ''
let platform: EmbeddedPlatform
let receiver: Awaited<ReturnType<typeof startHttpReceiver>>

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'antichain-repository-'))
  platform = await openEmbeddedPlatform({ home })
  receiver = await startHttpReceiver()
  const webhook = { form: 'github', secrets: [secret], credential: 'token', rules: [] }
  const draft = webhookDraft.parse({ ...webhook, apiUrl: receiver.origin })
  const sealed = await sealWebhook(platform.sealing, 'hook', draft)
  await platform.documents.put(webhookKeyOf('hook'), sealed, 0)
}, 60_000)
afterAll(async () => {
  receiver.close()
  await platform.close()
  rmSync(home, { recursive: true })
})
beforeEach(() => {
  stackCount += 1
  stack = stackIdOf('p', `s${stackCount}`)
  repository = mkdtempSync(join(home, 'files-'))
  receiver.received.length = 0
  receiver.state.answer = () => ({ status: 200, body: packRepositoryFiles() })
  put('infra/Pulumi.yaml', 'name: p\nruntime: nodejs\n')
  put('infra/index.js', 'console.log(require("dep"))\n')
})
afterEach(() => rmSync(repository, { recursive: true, force: true }))

function put(path: string, text: string): void {
  mkdirSync(dirname(join(repository, path)), { recursive: true })
  writeFileSync(join(repository, path), text)
}

const runNpm = (...args: readonly string[]): void =>
  void execFileSync('npm', args, { cwd: join(repository, 'infra'), stdio: 'pipe' })

/** Adds a package to the program. The package has a script that stores its environment. */
function addPackage(more: object = {}): void {
  const script = 'node -e "fs.writeFileSync(\'ran.json\', JSON.stringify(process.env))"'
  put('dep/package/package.json', packageJsonOf({ name: 'dep', scripts: { postinstall: script } }))
  put('dep/package/index.js', 'module.exports = 1\n')
  const file = join(repository, 'infra', 'dep.tgz')
  create({ file, cwd: join(repository, 'dep'), gzip: true, sync: true, portable: true }, [
    'package',
  ])
  put('infra/package.json', packageJsonOf({ dependencies: { dep: 'file:dep.tgz' }, ...more }))
  runNpm('install', '--package-lock-only', '--offline', '--no-audit', '--no-fund')
}
const packageJsonOf = (fields: object): string => JSON.stringify({ version: '1.0.0', ...fields })

function packRepositoryFiles(): Uint8Array {
  const stream = create({ cwd: dirname(repository), gzip: true, sync: true, portable: true }, [
    repository.slice(dirname(repository).length + 1),
  ])
  const bytes = stream.read()
  if (bytes === null) throw new Error('the archive is empty')
  return bytes
}

function deps(env: Readonly<Record<string, string | undefined>> = process.env): RepositoryDeps {
  // The clock skips the pauses between attempts, but not the installation timeout.
  const clock: InstallerDeps['clock'] = {
    now: () => platform.clock.now(),
    sleep: (ms, signal) => platform.clock.sleep(ms > 60_000 ? ms : 0, signal),
  }
  const { outbound } = receiver
  const scratch = join(home, 'scratch')
  const installerEnv = removeFunctionVariables(env)
  const installer = { outbound, clock, scratch, env: installerEnv, processes: createProcesses }
  return {
    ...platform,
    outbound,
    clock,
    scratch,
    folders: createProgramFolders(platform.archives, scratch),
    install: order => installProgram(installer, order),
  }
}
const folderOf = (archive: BlobHash) => deps().folders.open(stack, archive)

describe('the program of a repository', { timeout: 60_000 }, () => {
  test('is packed with the packages of its lock file, whose scripts do not see variables of this project', async () => {
    addPackage()
    const env = { ...process.env, AWS_SECRET_ACCESS_KEY: 'no', ANTICHAIN_KEY: 'no', KEPT: 'yes' }
    const folder = await folderOf(await packRepository(deps(env), stack, program))
    expect(readFileSync(join(folder, 'node_modules', 'dep', 'index.js'), 'utf8')).toContain('1')
    const scriptEnv = JSON.parse(
      readFileSync(join(folder, 'node_modules', 'dep', 'ran.json'), 'utf8'),
    )
    expect(scriptEnv.KEPT).toBe('yes')
    expect(Object.keys(scriptEnv).filter(name => /^(AWS|ANTICHAIN)_/.test(name))).toEqual([])
    expect(scriptEnv.HOME).toContain('installing-')
    expect(existsSync(scriptEnv.HOME)).toBe(false)
    expect(receiver.received[0]).toMatchObject({
      url: `/repos/acme/shop/tarball/${commit}`,
      headers: { authorization: 'Bearer token' },
    })
  })

  test('reuses the packages of the last program for the same lock file, without a package manager', async () => {
    addPackage()
    await platform.requests.putProgram(stack, await packRepository(deps(), stack, program))
    const envWithoutPath = { ...process.env, PATH: '' }
    put('infra/index.js', 'console.log(2)\n')
    const folder = await folderOf(await packRepository(deps(envWithoutPath), stack, program))
    expect(readFileSync(join(folder, 'index.js'), 'utf8')).toContain('2')
    expect(existsSync(join(folder, 'node_modules', 'dep', 'index.js'))).toBe(true)
    addPackage({ description: 'another' })
    await expect(packRepository(deps(envWithoutPath), stack, program)).rejects.toMatchObject({
      code: 'INSTALL_FAILED',
    })
  })

  test('with an install script of its own is installed each time', async () => {
    addPackage({ scripts: { prepare: "node -e \"fs.writeFileSync('made.js', '')\"" } })
    for (const _time of [1, 2]) {
      const archive = await packRepository(deps(), stack, program)
      expect(existsSync(join(await folderOf(archive), 'made.js'))).toBe(true)
      await platform.requests.putProgram(stack, archive)
    }
  })

  test('without packages needs no package manager', async () => {
    const envWithoutPath = { PATH: '' }
    const folder = await folderOf(await packRepository(deps(envWithoutPath), stack, program))
    expect(existsSync(join(folder, 'Pulumi.yaml'))).toBe(true)
  })

  test('without a matching lock file is refused with a hint', async () => {
    put('infra/package.json', packageJsonOf({ dependencies: { dep: '1' } }))
    const refused = packRepository(deps(), stack, program)
    await expect(refused).rejects.toThrow('no lock file (package-lock.json')
    addPackage()
    put('infra/package-lock.json', '{}')
    await expect(packRepository(deps(), stack, program)).rejects.toThrow(/npm ci.*\n[^]*npm error/)
  })

  test('in a folder without a project is refused, and so is a program of an unknown webhook', async () => {
    const elsewhere = packRepository(deps(), stack, { ...program, folder: '' })
    await expect(elsewhere).rejects.toMatchObject({ code: 'PROJECT_NOT_FOUND' })
    const unknown = packRepository(deps(), stack, { ...program, webhook: 'none' })
    await expect(unknown).rejects.toMatchObject({ code: 'WEBHOOK_UNKNOWN' })
  })

  test('is requested again after a temporary failure of its host, but not after a refusal', async () => {
    let requestCount = 0
    receiver.state.answer = () => {
      requestCount += 1
      return requestCount === 1 ? { status: 503 } : { status: 200, body: packRepositoryFiles() }
    }
    await packRepository(deps(), stack, program)
    // The failed request, its repetition, and the download by the installer.
    expect(requestCount).toBe(3)
    receiver.received.length = 0
    receiver.state.answer = () => ({ status: 404 })
    await expect(packRepository(deps(), stack, program)).rejects.toMatchObject({
      code: 'OUTBOUND_FAILED',
    })
    expect(receiver.received).toHaveLength(1)
  })
})
