import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create } from 'tar'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createProcesses } from '../../shared/platform/system/processes.ts'
import type { EpochMs } from '../../shared/records/ids.ts'
import { startHttpReceiver } from '../../shared/triggers/outbound/local-receiver.fixture.ts'
import { serveInstall } from './serve-install.ts'
import { createSingleCallCheck } from '../aws/single-call.ts'

let receiver: Awaited<ReturnType<typeof startHttpReceiver>>
let root = ''
/** The statuses of the answers to uploads, in order. All later uploads get the last status. */
let uploadStatuses: number[] = []
const listUploads = () => receiver.received.filter(({ method }) => method === 'PUT')

beforeAll(async () => {
  receiver = await startHttpReceiver()
  root = mkdtempSync(join(tmpdir(), 'antichain-installer-'))
  mkdirSync(join(root, 'top'))
  writeFileSync(join(root, 'top', 'Pulumi.yaml'), 'name: p\nruntime: nodejs\n')
})
afterAll(() => {
  receiver.close()
  rmSync(root, { recursive: true })
})
beforeEach(() => {
  receiver.received.length = 0
  uploadStatuses = [200]
  receiver.state.answer = ({ method }) => {
    if (method === 'GET') return { status: 200, body: packFiles() }
    return { status: (uploadStatuses.length > 1 ? uploadStatuses.shift() : uploadStatuses[0]) ?? 0 }
  }
})

const packFiles = (): Uint8Array =>
  create({ cwd: root, gzip: true, sync: true, portable: true }, ['top']).read() ?? new Uint8Array()

function install(order: object = {}) {
  const deps = {
    outbound: receiver.outbound,
    clock: { now: () => 0 as EpochMs, sleep: async () => undefined },
    scratch: join(root, 'scratch'),
    env: {},
    processes: createProcesses,
  }
  return serveInstall(deps, {
    order: {
      repository: 'acme/shop',
      commit: 'c0ffee',
      apiUrl: receiver.origin,
      folder: '',
      ignoreScripts: false,
      ...order,
    },
    upload: { url: `${receiver.origin}/installs/1`, headers: { 'if-none-match': '*' } },
  })
}

describe('the installer', () => {
  test('uploads the packed program to the address of the call, and keeps no file', async () => {
    const answer = await install()
    expect(answer).toMatchObject({ kind: 'installed', packages: 'none' })
    const [{ url, headers } = {}] = listUploads()
    expect(url).toBe('/installs/1')
    expect(headers?.['if-none-match']).toBe('*')
    expect(answer).toHaveProperty('sizeBytes', Number(headers?.['content-length']))
    expect(answer).toHaveProperty('contentHash', expect.stringMatching(/^[0-9a-f]{64}$/))
    expect(readdirSync(join(root, 'scratch'))).toEqual([])
  })

  test('repeats an upload that the store could not serve, and accepts that the object exists then', async () => {
    uploadStatuses = [503, 412]
    expect(await install()).toMatchObject({ kind: 'installed' })
    expect(listUploads()).toHaveLength(2)
  })

  test('returns an error when the store refuses the upload', async () => {
    uploadStatuses = [403]
    const answer = await install()
    expect(answer).toMatchObject({ kind: 'refused', code: 'INSTALL_FAILED' })
    expect(answer).toHaveProperty('message', expect.stringContaining('status 403'))
  })

  test('returns the error of a folder without a project, with its hint', async () => {
    expect(await install({ folder: 'infra' })).toEqual({
      kind: 'refused',
      code: 'PROJECT_NOT_FOUND',
      message: "acme/shop has no project file in 'infra' at c0ffee",
      hint: 'Correct the `folder` in the rule of the webhook.',
    })
    expect(listUploads()).toEqual([])
  })

  test('fetches from a temporary address without a token', async () => {
    await install({ location: `${receiver.origin}/temporary` })
    expect(receiver.received[0]).toMatchObject({ url: '/temporary' })
    expect(receiver.received[0]?.headers).not.toHaveProperty('authorization')
  })

  test('refuses a job with a credential, before it fetches the program', async () => {
    await expect(install({ token: 'the-token' })).rejects.toThrow('token')
    expect(receiver.received).toEqual([])
  })

  test('ends its process at a second call, before it reads the call', () => {
    const exits: number[] = []
    const requireFirstCall = createSingleCallCheck(status => exits.push(status))
    requireFirstCall()
    expect(exits).toEqual([])
    requireFirstCall()
    expect(exits).toEqual([0])
  })
})
