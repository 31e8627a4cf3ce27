/**
 * A generator opens only archives of the stack that it serves, also when no API has checked the
 * name. A mistake here runs the program of another stack, with its secrets in clear.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Pin } from '../../shared/engine/deployment/log/log-view.ts'
import {
  type EmbeddedPlatform,
  openEmbeddedPlatform,
} from '../../shared/platform/embedded/embedded-platform.ts'
import { packProgram } from '../../shared/programs/archive/program-archive.ts'
import {
  type BlobHash,
  deploymentIdOf,
  type EpochMs,
  type StackId,
  stackIdOf,
} from '../../shared/records/ids.ts'
import type { DeploymentRequest, RequestedProgram } from '../../shared/records/stack-request.ts'
import { createArchivedProgramOpener } from '../../shared/runtime/programs/open-archived-program.ts'
import { createProgramFolders } from '../../shared/runtime/programs/program-folder.ts'
import { simSecrets } from '../sim/secrets.ts'

const [own, other] = [stackIdOf('shop', 'dev'), stackIdOf('shop', 'prod')]
const options = {
  command: 'up',
  parallel: 1,
  refresh: false,
  continueOnError: false,
  execute: 'here',
  message: '',
} as const

let home: string
let platform: EmbeddedPlatform
let bytes: Uint8Array
let opener: ReturnType<typeof createArchivedProgramOpener>

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'antichain-opener-'))
  const source = join(home, 'source')
  mkdirSync(source)
  writeFileSync(join(source, 'Pulumi.yaml'), 'name: shop\nruntime: nodejs\n')
  bytes = (await packProgram(source)).bytes
  platform = await openEmbeddedPlatform({ home: join(home, 'store') })
  opener = createArchivedProgramOpener(platform.requests, {
    folders: createProgramFolders(platform.archives, join(home, 'scratch')),
    openSecrets: async () => simSecrets,
  })
})

afterEach(async () => {
  await platform.close()
  rmSync(home, { recursive: true, force: true })
})

function open(stack: StackId, program: RequestedProgram) {
  const request: DeploymentRequest = {
    stack,
    key: 'k',
    at: 1 as EpochMs,
    by: 'a test',
    dryRun: false,
    options,
    program,
  }
  return opener.open(request)
}

const reopen = (stack: StackId, archive: BlobHash) =>
  opener.reopen(deploymentIdOf(stack, 1), { place: { root: '', archive }, options } as Pin)

const unknownArchive = { code: 'ARCHIVE_UNKNOWN', message: expect.stringContaining(own) }

test('a request, the program of a stack and a deployment open an archive of their stack', async () => {
  const archive = await platform.archives.put(own, bytes)
  await platform.requests.putProgram(own, archive)
  for (const request of [
    await open(own, { kind: 'archive', archive }),
    await open(own, { kind: 'last' }),
    await reopen(own, archive),
  ])
    expect(request.source).toMatchObject({ archive })
})

test('the archive of another stack is refused, also after this process has unpacked it', async () => {
  const archive = await platform.archives.put(other, bytes)
  await open(other, { kind: 'archive', archive })
  await platform.requests.putProgram(own, archive)
  await expect(open(own, { kind: 'archive', archive })).rejects.toMatchObject(unknownArchive)
  await expect(open(own, { kind: 'last' })).rejects.toMatchObject(unknownArchive)
  await expect(reopen(own, archive)).rejects.toMatchObject(unknownArchive)
})

test('a program that an older version of Antichain has stored is still opened', async () => {
  const archive = await platform.blobs.put(bytes)
  await platform.requests.putProgram(own, archive)
  expect((await open(own, { kind: 'last' })).source).toMatchObject({ archive })
  expect((await reopen(own, archive)).source).toMatchObject({ archive })
})
